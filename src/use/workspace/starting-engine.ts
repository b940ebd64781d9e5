import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../../run/duckdb/engine/engine.ts';

/** An engine that starts on its own threads while this thread reads the question. */
export interface StartingEngine extends AsyncDisposable {
  /** Undefined if the engine starts on first use. */
  readonly engine: Promise<Engine> | undefined;
}

export const lateEngine: StartingEngine = { engine: undefined, [Symbol.asyncDispose]: async () => undefined };

/** Starts the embedded engine. Awaiting `engine` reports its errors. Disposing twice is allowed. */
export async function startEngine(): Promise<StartingEngine> {
  const { openEngine } = await import('../../run/duckdb/engine/engine.ts');
  const engine = openEngine({ threads: { upTo: availableParallelism() }, endsWithProcess: true });
  engine.catch(() => undefined);
  // Let its threads start first, because loading further modules would delay them.
  await nextTurn();
  return {
    engine,
    async [Symbol.asyncDispose]() {
      await (await engine.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

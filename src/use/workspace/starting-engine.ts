import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../../run/duckdb/engine/engine.ts';

/** An engine that starts on threads of its own while this one still reads what is to be asked. */
export interface StartingEngine extends AsyncDisposable {
  /** undefined: it starts if a question needs it. */
  readonly engine: Promise<Engine> | undefined;
}

export const lateEngine: StartingEngine = { engine: undefined, [Symbol.asyncDispose]: async () => undefined };

/** Starts the embedded engine. Whoever awaits `engine` hears of its errors; disposing of it twice does no harm. */
export async function startEngine(): Promise<StartingEngine> {
  const { openEngine } = await import('../../run/duckdb/engine/engine.ts');
  const engine = openEngine({ threads: { upTo: availableParallelism() }, endsWithProcess: true });
  engine.catch(() => undefined);
  // By then its threads are at work; what is loaded next would otherwise hold them up.
  await nextTurn();
  return {
    engine,
    async [Symbol.asyncDispose]() {
      await (await engine.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

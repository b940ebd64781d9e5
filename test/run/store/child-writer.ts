import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const child = new URL('ingest-child.ts', import.meta.url).pathname;

export interface ChildRun {
  readonly killed: boolean;
  readonly said: string;
  readonly ms: number;
}

export interface ChildOptions {
  readonly uid?: number;
  /** Called with everything that the child has printed so far. */
  readonly onSaid?: (said: string, kill: () => void) => void;
}

/**
 * Ingests in a separate process, killed after this many milliseconds, if given. `forget` instead of the batch rows
 * forgets a user; `prune` removes events before a time.
 */
export async function ingestInChild(
  folder: string,
  batchRows: number | 'forget' | 'prune',
  files: readonly string[],
  killAfter?: number,
  { uid, onSaid }: ChildOptions = {},
): Promise<ChildRun> {
  const start = performance.now();
  const running = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', child, folder, String(batchRows), ...files],
    { stdio: ['ignore', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid }) },
  );
  let said = '';
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (text: Buffer) => {
      said += text.toString();
      onSaid?.(said, () => running.kill('SIGKILL'));
    });
  }
  const timer = killAfter === undefined ? undefined : setTimeout(() => running.kill('SIGKILL'), killAfter);
  const signal = await new Promise<NodeJS.Signals | null>((resolve) =>
    running.on('close', (_, ended) => resolve(ended)),
  );
  clearTimeout(timer);
  return { killed: signal === 'SIGKILL', said, ms: performance.now() - start };
}

/** Events that name their file in `src`, a third of them with IDs, and a broken line at the end. */
export function writeMany(file: string, name: string, count: number): void {
  const start = Date.parse('2024-03-06T00:00:00Z');
  const pieces: string[] = [];
  for (let index = 0; index < count; index += 1) {
    pieces.push(
      `{"utcTime":"${new Date(start + index * 100).toISOString().slice(0, -1)}","src":"${name}","docPath":"/page/${index % 97}","userAnonymousId":"u${index % 1013}"${index % 3 === 0 ? `,"eventId":"${name}-${index}"` : ''}}\n`,
    );
  }
  writeFileSync(file, `${pieces.join('')}{"broken\n`);
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { type ForgetReport, forgetUsers } from '../../../src/run/duckdb/store/forget.ts';
import { ingestFiles, type IngestOptions } from '../../../src/run/duckdb/store/ingest.ts';
import { type PruneReport, pruneStore } from '../../../src/run/duckdb/store/prune.ts';
import { openStoreEvents } from '../../../src/run/duckdb/store/store-events.ts';
import type { IngestReport } from '../../../src/run/store/ingest-report.ts';
import { scratchFolder } from '../ask-sql.ts';

export interface ScratchStore {
  readonly folder: string;
  /** Writes a file beside the store. */
  write(name: string, content: string | Uint8Array): string;
  /** Writes the file of an export window with its manifest. */
  writeWindow(name: string, content: string, window: Readonly<Record<string, unknown>>): string;
  ingest(files: readonly string[], options?: Partial<IngestOptions>): Promise<IngestReport>;
  prune(before: number, dryRun?: boolean): Promise<PruneReport>;
  forget(users: string | readonly string[], dryRun?: boolean): Promise<ForgetReport>;
  /** Rows of SQL over the view `events`. */
  ask(text: string): Promise<readonly (readonly unknown[])[]>;
  /** All files of the store and of its rejected lines. */
  files(): readonly string[];
  rejected(): readonly Readonly<Record<string, unknown>>[];
}

let number = 0;

/** Asks the stores of a test file one at a time. */
let engine: Promise<Engine> | undefined;
let asking: Promise<readonly (readonly unknown[])[]> = Promise.resolve([]);

/** `options` apply to everything that writes to it. */
export function scratchStore(options: Pick<IngestOptions, 'zone'> = {}): ScratchStore {
  const scratch = scratchFolder();
  afterAll(async () => {
    const closing = engine;
    engine = undefined;
    await (await closing)?.[Symbol.asyncDispose]();
  });
  const folder = join(scratch.path, '.sluice', 'store');
  const writer = {
    folder,
    holder: `process ${process.pid} (node)`,
    now: () => Date.parse('2024-03-08T12:00:00Z'),
    randomText: () => `n${String((number += 1))}`,
    ...options,
  };
  const listed = (path: string) =>
    readdirSync(path, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  return {
    folder,
    write: (name, content) => scratch.write(name, content),
    writeWindow(name, content, window) {
      const sha256 = createHash('sha256').update(content).digest('hex');
      const day = { start: '2024-03-06T00:00:00.000Z', end: '2024-03-07T00:00:00.000Z' };
      scratch.write(
        `${name}.manifest.json`,
        JSON.stringify({
          sluice: 'export-window',
          version: 1,
          query: 'q',
          window: day,
          revision: 1,
          rows: 1,
          events: 1,
          sha256,
          project: '42',
          source: 'test',
          time: '2024-03-08T00:00:00.000Z',
          ...window,
        }),
      );
      return scratch.write(name, content);
    },
    ingest: (files, options = {}) => ingestFiles({ ...writer, files, ...options }),
    prune: (before, dryRun) => pruneStore({ ...writer, before, dryRun }),
    forget: (users, dryRun) => forgetUsers({ ...writer, users: [users].flat(), dryRun }),
    ask: (text) =>
      (asking = asking
        .catch(() => undefined)
        .then(async () => {
          await openStoreEvents(await (engine ??= openEngine({ threads: 1 })), folder, { user: 'anonymous' });
          return (await engine).rows(text);
        })),
    files: () => listed(join(scratch.path, '.sluice')),
    rejected: () =>
      listed(join(scratch.path, '.sluice'))
        .filter((file) => file.includes('/rejected/'))
        .flatMap((file) =>
          readFileSync(file, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
        ),
  };
}

/** One line of NDJSON per event, at `minute` minutes after the start of 6 March. */
export function lines(...events: readonly Readonly<Record<string, unknown>>[]): string {
  return events
    .map(
      ({ minute = 0, ...event }) =>
        `${JSON.stringify({ utcTime: new Date(Date.parse('2024-03-06T00:00:00Z') + Number(minute) * 60_000).toISOString().slice(0, -1), ...event })}\n`,
    )
    .join('');
}

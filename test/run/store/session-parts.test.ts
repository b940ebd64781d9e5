import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { quotePaths } from '../../../src/run/duckdb/engine/sql-text.ts';
import { writeSessions } from '../../../src/run/duckdb/store/write-sessions.ts';
import { projectionPath } from '../../../src/run/store/projection-files.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { runs } from '../../runs.ts';
import { lines, scratchStore } from './scratch-store.ts';

const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const event = fc.record({
  minute: fc.integer({ min: 0, max: 3000 }),
  userAnonymousId: fc.constantFrom('ann', 'bob', 'cy', 'dee', null),
  sessionId: fc.constantFrom(null, '', 's1', 's2', 's3', 's4'),
  projectId: fc.constantFrom('1', '2', null),
});

describe('the sessions of many events', () => {
  it('are the same when the events are split into parts, and leave no files', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 20, maxLength: 120 }),
        fc.integer({ min: 3, max: 40 }),
        async (events, rowsAtOnce) => {
          const store = scratchStore();
          await store.ingest([
            store.write('a.ndjson', lines(...events.map((each, index) => ({ ...each, eventId: `e${index}` })))),
          ]);
          const { segments, projections } = (await readStore(store.folder))!;
          const filesOf = (files: readonly { readonly name: string }[]) =>
            `read_parquet(${quotePaths(files.map((file) => projectionPath(store.folder, file)))})`;
          const sessionsIn = async (most?: number) => {
            const written: string[] = [];
            await writeSessions(
              {
                folder: store.folder,
                engine,
                signal: undefined,
                zone: undefined,
                rows: (text) => engine.rows(text),
                freshName: (ending) => `unused${ending}`,
              },
              {
                segments,
                fresh: segments,
                gone: [],
                before: undefined,
                filesOf,
                codes: filesOf(projections!.users),
                rowsAtOnce: most,
                async writeFile(kind, select) {
                  written.push(...(await engine.rows(select)).map(String));
                  return { name: kind, bytes: 0, time: 0 } as never;
                },
              },
            );
            return written.sort();
          };
          const whole = await sessionsIn();
          expect(whole.length).toBeGreaterThan(1);
          expect(await sessionsIn(rowsAtOnce)).toEqual(whole);
          expect(readdirSync(engine.folder).filter((name) => name.startsWith('split-'))).toEqual([]);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

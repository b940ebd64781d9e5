import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { day } from '../../../src/ask/time/granularity.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Backend } from '../../../src/run/backend.ts';
import { openEmbedded } from '../../../src/run/duckdb/answer/open-embedded.ts';
import { fetchWindow, fetchWindows } from '../../../src/run/export/fetch-window.ts';
import { planWindows } from '../../../src/run/export/plan-windows.ts';
import { toExportQuery } from '../../../src/run/export/rows/export-query.ts';
import type { Window } from '../../../src/run/export/rows/window.ts';
import { toExportSource } from '../../../src/run/export/to-export-source.ts';
import { runs } from '../../runs.ts';
import { openFakeClock } from '../http/fake-clock.ts';
import { openMemorySpool } from './export-world.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = Date.UTC(2026, 8, 1);
const range = { start, end: start + 4 * day };
const clock = openFakeClock();

const event = fc.record({
  at: fc.oneof(
    fc.integer({ min: 0, max: 4 * day - 1 }),
    fc.integer({ min: 0, max: 999 }).map((ms) => day + ms),
    fc.integer({ min: -2, max: 1 }).map((ms) => 2 * day + ms),
  ),
  docPath: fc.constantFrom('/', '},{"TrackedEvents.utcTime":"2026-09-03T00:00:00.000"', '\\', 'ä🙂'),
});

async function openSource(events: readonly { readonly at: number; readonly docPath: string }[], limit: number) {
  const file = path.join(folder, 'events.ndjson');
  const texts = events.map(({ at, docPath }) =>
    JSON.stringify({ utcTime: new Date(start + at).toISOString(), docPath, eventType: 'pageview' }),
  );
  writeFileSync(file, `${texts.join('\n')}\n`);
  const backend = await openEmbedded({ events: [file], workingDirectory: folder });
  let requests = 0;
  const counting: Backend = {
    ...backend,
    runJson(...args) {
      requests += 1;
      return backend.runJson(...args);
    },
  };
  const source = toExportSource(counting, toExportQuery(builtInModel), { now: range.end, limit });
  const windows: Window[] = [];
  for await (const window of planWindows(source, range, { zone: 'UTC' })) windows.push(window);
  return {
    source,
    windows,
    requests: () => requests,
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

const spooled = (windows: readonly Window[]) => windows.map((window) => ({ window, spool: openMemorySpool() }));

it('fetches neighbouring windows with one request, each with the bytes that it has alone', async () => {
  const all = fc.array(event, { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(all, fc.constantFrom(3, 1_000), async (events, limit) => {
      await using world = await openSource(events, limit);
      const alone = spooled(world.windows);
      for (const { window, spool } of alone)
        expect((await fetchWindow(world.source, window, spool, { clock })).settled).toBe(true);
      const before = world.requests();
      const together = spooled(world.windows);
      const fetched = await fetchWindows({ ...world.source, together: 1_000 }, together, { clock });
      expect(world.requests() - before).toBe(1);
      expect(fetched.map(({ settled, events: found }) => [settled, found])).toEqual(
        world.windows.map((window) => [true, window.events]),
      );
      expect(together.map(({ spool }) => spool.text())).toEqual(alone.map(({ spool }) => spool.text()));
    }),
    { numRuns: runs(40) },
  );
});

it('fetches a window alone whose number of events is another one than before', async () => {
  const events = [0, 1, 2, 3].map((index) => ({ at: index * day + 5, docPath: '/' }));
  await using world = await openSource(events, 1_000);
  const parts = spooled(world.windows.map((window, index) => (index === 1 ? { ...window, events: 7 } : window)));
  const fetched = await fetchWindows(world.source, parts, { clock });
  expect(fetched.map(({ settled, events: found }) => [settled, found])).toEqual(Array(4).fill([true, 1]));
  expect(parts.map(({ spool }) => spool.text().split('\n').length)).toEqual([2, 2, 2, 2]);
});

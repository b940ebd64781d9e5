import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import { followFiles } from '../../../src/run/duckdb/answer/follow-files.ts';
import { openEmbedded } from '../../../src/run/duckdb/answer/open-embedded.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const line = (at: number) => `{"utcTime":"2024-03-01T00:00:00.000","userAnonymousId":"u${at}"}\n`;
const lines = (count: number) => Array.from({ length: count }, (_, at) => line(at)).join('');

function planOf(query: Query): Plan {
  const outcome = bind(query, builtInModel, { now: 0, limits: 'none' });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues));
  return outcome.value[0]!;
}

const counted = planOf({ measures: ['TrackedEvents.count'] });
const listed = planOf({ dimensions: ['TrackedEvents.userAnonymousId'], ungrouped: true });

/** `before` is called before each answer is computed; what it returns is called after. */
async function openFollowed(patterns: readonly string[], before: () => (() => void) | undefined = () => undefined) {
  const engines: Engine[] = [];
  const backend = await followFiles({
    patterns,
    workingDirectory: folder.path,
    async open() {
      const engine = await openEngine({ threads: 1 });
      engines.push(engine);
      const options = { events: patterns, workingDirectory: folder.path, engine: Promise.resolve(engine) };
      const opened = await openEmbedded(options).catch(async (error: unknown) => {
        await engine[Symbol.asyncDispose]();
        throw error;
      });
      return {
        ...opened,
        run: async (...asked) => {
          const after = before();
          const answer = await opened.run(...asked);
          after?.();
          return answer;
        },
      };
    },
  });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return {
    backend,
    engines,
    async count() {
      let count: unknown;
      for await (const { columns } of (await backend.run(counted)).batches) count = columns[0]![0];
      return Number(count);
    },
  };
}

describe('an engine over files that are followed', () => {
  it('stays while nothing changes, and while lines of JSON are appended', async () => {
    const file = folder.write('stays/a.ndjson', lines(3));
    folder.write('stays/b.csv', 'utcTime\n2024-03-01T00:00:00.000\n');
    const { engines, count, backend } = await openFollowed(['stays', 'stays/*.ndjson']);
    for (let round = 0; round < 3; round += 1) expect(await count()).toBe(4);
    expect(await backend.changes!()).toBe(0);
    for (let round = 1; round < 4; round += 1) {
      appendFileSync(file, line(round));
      expect(await count()).toBe(4 + round);
    }
    expect([engines.length, await backend.changes!()]).toEqual([1, 3]);
  });

  it('is replaced once for all questions that wait for it', async () => {
    folder.write('once/a.ndjson', lines(3));
    const { engines, count } = await openFollowed(['once']);
    folder.write('once/b.ndjson', lines(2));
    expect(await Promise.all(Array.from({ length: 8 }, count))).toEqual(Array.from({ length: 8 }, () => 5));
    expect(engines).toHaveLength(2);
  });

  it('is closed when its last answer was read', async () => {
    const file = folder.write('read/a.ndjson', lines(20_000));
    const { engines, count, backend } = await openFollowed(['read']);
    const stored = (await backend.store(listed))!;
    const rows = (await backend.run(listed)).batches[Symbol.asyncIterator]();
    let read = (await rows.next()).value!.rowCount;
    writeFileSync(file, lines(3));
    expect(await count()).toBe(3);
    for (let next = await rows.next(); !next.done; next = await rows.next()) read += next.value.rowCount;
    expect(read).toBe(20_000);
    let again = 0;
    for await (const { rowCount } of stored.batches()) again += rowCount;
    expect(again).toBe(20_000);
    expect(engines.map(({ closed }) => closed.aborted)).toEqual([false, false]);
    await stored[Symbol.asyncDispose]();
    expect(engines.map(({ closed }) => closed.aborted)).toEqual([true, false]);
  });

  it('is asked again if lines moved to another file, or if it failed over files that changed', async () => {
    const file = folder.write('moved/a.ndjson', lines(3));
    let change: (() => void) | undefined = () => {
      renameSync(file, `${file.replace('a.ndjson', 'b.ndjson')}`);
      writeFileSync(file, lines(1));
    };
    const { count } = await openFollowed(['moved'], () => {
      const now = change;
      change = undefined;
      now?.();
      return undefined;
    });
    expect(await count()).toBe(4);
    change = () => {
      appendFileSync(file, lines(1));
      throw new Error('the line was not complete');
    };
    expect(await count()).toBe(5);
    change = () => {
      throw new Error('for another reason');
    };
    await expect(count()).rejects.toThrow('for another reason');
  });

  it('is asked again if another file was in the place of one for a while', async () => {
    const file = folder.write('away/a.ndjson', lines(3));
    const aside = file.replace('away/a.ndjson', 'aside.ndjson');
    let rounds = 1;
    const { count } = await openFollowed(['away'], () => {
      if ((rounds -= 1) < 0) return undefined;
      renameSync(file, aside);
      writeFileSync(file, lines(1));
      return () => renameSync(aside, file);
    });
    expect(await count()).toBe(3);
    rounds = Infinity;
    await expect(count()).rejects.toMatchObject({ code: 'file-changed', retryable: true });
    rounds = 0;
    expect(await count()).toBe(3);
  });

  it('answers while files are added all the time, and while one grows', async () => {
    const file = folder.write('added/a.ndjson', lines(3));
    let added = 0;
    const { count } = await openFollowed(['added'], () => {
      folder.write(`added/b${(added += 1)}.ndjson`, lines(1));
      appendFileSync(file, line(added));
      return undefined;
    });
    for (let expected = 3; expected < 9; expected += 2) expect(await count()).toBeGreaterThanOrEqual(expected);
    expect(added).toBe(3);
  });

  it('is opened again after files could not be read', async () => {
    const file = folder.write('lost/a.ndjson', lines(3));
    const { engines, count } = await openFollowed(['lost/a.ndjson']);
    rmSync(file);
    await expect(count()).rejects.toMatchObject({ code: 'events-not-found' });
    writeFileSync(file, '{"a":1}\n');
    await expect(count()).rejects.toMatchObject({ code: 'events-without-time' });
    writeFileSync(file, lines(4));
    expect(await count()).toBe(4);
    // The former engine closes while the next question is answered.
    await vi.waitFor(() => expect(engines.filter(({ closed }) => !closed.aborted)).toHaveLength(1));
  });
});

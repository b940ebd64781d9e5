import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { filled, filledOrZero } from '../../src/shape/result/marks.ts';
import { open, type Result } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { asking, type Asking, world } from './arbitrary-world.ts';
import { writeNdjson } from './exported-events.ts';
import { remoteNames, remoteOptions, serve } from './served.ts';
import { expectTable, tableOf } from './tables.ts';
import { withParts } from '../../src/ask/cloneable.ts';

const folder = openFolder();
afterAll(() => folder.remove());

/** Its weeks start on Monday, and it has only one project. */
const remoteWorld = world.map((one) => ({ ...one, weekStart: 'monday' as const, project: undefined }));

/** Rows that a platform fills look like counted zeros (averages too). Only the local answer tells which are filled. */
function withoutServerFill(remote: Result, local: Result): Result {
  const measures = remote.columns.filter(({ kind }) => kind === 'measure').map(({ key }) => key);
  const doubtful = (row: number) => measures.some((key) => (remote.marks.of(key, row) & filledOrZero) !== 0);
  expect(measures.every((key) => remote.rows().every((row, index) => !doubtful(index) || row[key] === 0))).toBe(true);
  const keys = remote.columns.filter(({ kind }) => kind !== 'measure').map(({ key }) => key);
  const inLocal = new Set(
    local
      .rows()
      .filter((_, row) => measures.every((key) => (local.marks.of(key, row) & filled) === 0))
      .map((row) => JSON.stringify(keys.map((key) => row[key]))),
  );
  const rows = remote
    .rows()
    .filter((row, index) => !doubtful(index) || inLocal.has(JSON.stringify(keys.map((key) => row[key]))));
  return withParts(remote, { rowCount: rows.length, rows: () => rows as never });
}

describe.each(remoteNames)('whatever is asked, the %s backend answers as the engine behind its server', (name) => {
  it('rows and, where the whole answer is there, what is filled', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(remoteWorld, fc.array(asking, { minLength: 10, maxLength: 10 }), async (setting, questions) => {
        const { zone, now, user, events } = setting;
        const shared = { workspace: folder.root, timezone: zone, now: () => now };
        await using served = await serve({
          ...shared,
          env: {},
          events: folder.write('events.ndjson', writeNdjson(events)),
          user,
        });
        await using remote = await open({ ...remoteOptions(name, served.url), ...shared });
        for (const { query, fill, fillWith } of questions) {
          const ask = async (options: Pick<Asking, 'fill' | 'fillWith'>) =>
            [await remote.query(query, options), await served.local.query(query, options)] as const;
          try {
            const [bare, wanted] = await ask({ fill: 'none', fillWith: undefined });
            // At half past the hour, the clock of Lord Howe repeats an hour, and labels do not tell which.
            if (bare.provenance.notes.some((note) => note.includes('twice'))) continue;
            expectTable(tableOf(withoutServerFill(bare, wanted)), tableOf(wanted));
            const factsOf = ({ provenance: { range, zone: at, total } }: Result) => ({ range, zone: at, total });
            expect(factsOf(bare)).toEqual(factsOf(wanted));
            // A server does not say whether a row follows as many as the limit. The engine does.
            const isUntold = wanted.rowCount === query.limit && wanted.provenance.total === undefined;
            expect(bare.provenance.truncated).toEqual(
              wanted.provenance.truncated ?? (isUntold ? { limit: query.limit } : null),
            );
            const [some, all] = await ask({ fill, fillWith });
            if (some.provenance.truncated || (query.offset ?? 0) > 0 || all.provenance.truncated) continue;
            const averages =
              fillWith === undefined &&
              some
                .rows()
                .some((_, row) => some.columns.some(({ key }) => (some.marks.of(key, row) & filledOrZero) !== 0));
            if (fill === 'none' || averages) continue;
            expectTable(tableOf(some), tableOf(all));
            compared += 1;
          } catch (cause) {
            throw new Error(JSON.stringify({ query, fill, fillWith, zone, now }), { cause });
          }
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(2);
  });
});

describe.each(remoteNames)('the %s backend and the server of this very project', (name) => {
  const token = 'glpat-abcdefghijklmnop1234';
  const count = { measures: ['TrackedEvents.count'] };
  const opened = async (env: Readonly<Record<string, string>>, project: number | string, continueWait = 0) => {
    const events = folder.write(
      'few.ndjson',
      writeNdjson([
        { utcTime: '2024-03-08T10:00:00.000', docPath: '/', projectId: '42' },
        { utcTime: '2024-03-09T10:00:00.000', docPath: '/a', projectId: 'acme/web' },
      ]),
    );
    const served = await serve({ workspace: folder.root, env: {}, events }, { token, continueWait });
    const options = remoteOptions(name, served.url);
    const remote = await open({
      ...options,
      ...(name === 'platform' && { project }),
      workspace: folder.root,
      env: { ...options.env, SLUICE_CUBE_TOKEN: token, ...env },
    }).catch(async (error: unknown) => {
      await served[Symbol.asyncDispose]();
      throw error;
    });
    return {
      remote,
      async [Symbol.asyncDispose]() {
        await remote[Symbol.asyncDispose]();
        await served[Symbol.asyncDispose]();
      },
    };
  };

  it('wait for one another', async () => {
    await using both = await opened({}, 42, 2);
    const waits: number[] = [];
    expect(tableOf(await both.remote.query(count, { onWait: ({ round }) => waits.push(round) }))).toEqual([[2]]);
    expect(waits).toEqual([1, 2]);
  });

  it('understand one another where something is wrong', async () => {
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        (error: { readonly code: string }) => error.code,
      );
    expect(await codeOf(opened({ SLUICE_TOKEN: 'glpat-wrong', SLUICE_CUBE_TOKEN: 'wrong' }, 42))).toBe('token-refused');
    if (name === 'platform') expect(await codeOf(opened({}, 43))).toBe('project-not-found');
    await using both = await opened({}, 'acme/web');
    expect(tableOf(await both.remote.query({ ...count, dimensions: ['TrackedEvents.docPath'] }))).toEqual([
      ['/', 1],
      ['/a', 1],
    ]);
    expect(
      await codeOf(both.remote.query({ measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.nope'] })),
    ).toBe('invalid-input');
    expect((await both.remote.explain(count))[0]?.enginePlan).toContain('normalizedQueries');
  });
});

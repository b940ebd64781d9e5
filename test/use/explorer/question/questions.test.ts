import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../src/ask/outcome.ts';
import { readNotation } from '../../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../../src/ask/notation/write-notation.ts';
import { toCanonicalQuery, writeCanonicalQuery } from '../../../../src/ask/query/canonical-query.ts';
import type { Filter, Query } from '../../../../src/ask/query/query.ts';
import { rowColumns } from '../../../../src/ask/query/member-catalog.ts';
import type { Plan } from '../../../../src/plan/plan.ts';
import { toCatalog } from '../../../../src/plan/model/catalog.ts';
import { compareWithPrevious } from '../../../../src/use/explorer/question/follow-up-queries.ts';
import { countedRows } from '../../../../src/use/explorer/question/drill-choices.ts';
import { drillDown, toDrillFacts } from '../../../../src/use/answer/drill-down.ts';
import {
  toCommandLine,
  toLibraryCall,
  toLoadBodies,
  toSql,
} from '../../../../src/use/explorer/question/convert-question.ts';
import { withoutMeasures } from '../../../../src/use/answer/without-measures.ts';
import type { Result } from '../../../../src/use/index.ts';
import { openWithSession, type SluiceWithSession } from '../../open-session.ts';
import { type Folder, now, openFolder } from '../../run-in-folder.ts';

const paths = ['/', '/docs', "/it's", null];
const events = Array.from({ length: 600 }, (_, index) =>
  JSON.stringify({
    utcTime: new Date(now - ((index * 7_919_333) % 2_600_000) * 1000).toISOString().slice(0, -1),
    userAnonymousId: `u${index % 17}`,
    eventType: index % 3 === 0 ? 'link_click' : 'pageview',
    ...(paths[index % 4] !== null && { docPath: paths[index % 4] }),
  }),
).join('\n');

function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues));
  return outcome.value;
}

describe('a question that is asked further', () => {
  let folder: Folder;
  let sluice: SluiceWithSession;
  beforeAll(async () => {
    folder = openFolder({ 'e.ndjson': events, 'sluice.yaml': 'events: e.ndjson\ntimezone: America/New_York\n' });
    sluice = await openWithSession({ workspace: folder.root, env: {}, now: () => now });
  });
  afterAll(async () => {
    await sluice[Symbol.asyncDispose]();
    folder.remove();
  });

  const read = (line: string): Query => {
    const found = readNotation(line, { members: toCatalog(sluice.model) });
    if (!found.ok) throw new Error(JSON.stringify(found.issues));
    return found.value;
  };
  const factsOf = (query: Query) => {
    const bound = sluice.session.bind(query);
    if (!bound.ok) throw new Error(JSON.stringify(bound.issues));
    return toDrillFacts(query, bound.value as unknown as readonly [Plan, ...Plan[]]);
  };
  const sum = (result: Result, key = 'TrackedEvents.count') =>
    Array.from(result.values(key), Number).reduce((total, value) => total + value, 0);

  it.each([
    'count by docPath',
    'count by docPath, eventType',
    'count by eventType week from 2024-02-14 to 2024-03-05',
    'count by week from 2024-02-14 to 2024-03-05',
    'count by month, docPath',
    'count by day last 9 days where eventType = pageview',
    'count by hour last 2 days',
    'count by utcTime.week, utcTime.day last 20 days',
    'count by docPath last 7 days where count > 3',
    'count by docPath, day in Asia/Tokyo',
    'count by docPath top 2',
    'count by quarter',
  ])('%s: adds up to the row', async (line) => {
    const query = read(line);
    const facts = factsOf(query);
    const answer = await sluice.query(query, { fill: 'none' });
    expect(answer.rowCount).toBeGreaterThan(0);
    for (const row of answer.rows().slice(0, 8)) {
      const drilled = drillDown(facts, (key) => row[key] ?? null);
      if (!drilled.ok) throw new Error(JSON.stringify(drilled.issues));
      expect(sum(await sluice.query(drilled.value)), JSON.stringify(drilled.value)).toBe(
        Number(row['TrackedEvents.count']),
      );
    }
  });

  it('is cut into the next finer buckets', () => {
    const drill = (line: string, row: Readonly<Record<string, string>>) => {
      const drilled = drillDown(factsOf(read(line)), (key) => row[key] ?? null);
      return drilled.ok ? drilled.value.timeDimensions : drilled.issues;
    };
    expect(
      drill('count by week from 2024-02-14 to 2024-03-05', { 'TrackedEvents.utcTime.week': '2024-02-12T00:00:00.000' }),
    ).toEqual([{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-02-14', '2024-02-18'] }]);
    expect(drill('count by day', { 'TrackedEvents.utcTime.day': '2024-03-10T00:00:00.000' })).toEqual([
      { dimension: 'TrackedEvents.utcTime', granularity: 'hour', dateRange: ['2024-03-10', '2024-03-10'] },
    ]);
    expect(drill('count by eventType last 30 days', { 'TrackedEvents.eventType': 'pageview' })).toMatchObject([
      { granularity: 'day', dateRange: 'last 30 days' },
    ]);
  });

  it.each([
    ['count by docPath', undefined],
    ['count by day last 30 days', undefined],
    ['pageViewsCount by docPath, week from 2024-02-14 to 2024-03-05', 'pageview'],
    ['linkClicksCount by docPath where eventType = pageview or docPath is set', 'link_click'],
    ['uniqueUsersCount by eventType', undefined],
    ['(count where eventType = link_click) as clicks by docPath, week from 2024-02-14 to 2024-03-05', 'link_click'],
    ['- (pageViewsCount where docPath is set) + 0 as views by docPath', 'pageview'],
    ['count', undefined],
  ])('%s: leads to other groups, and to the events that were counted', async (line, type) => {
    const query = read(line);
    const facts = factsOf(query);
    const catalog = toCatalog(sluice.model);
    const [measure = ''] = query.measures ?? [];
    const rows = {
      columns: (filters: readonly Filter[]) => rowColumns('TrackedEvents', catalog, filters),
      counted: countedRows(query, catalog) ?? [],
    };
    const answer = await sluice.query(query, { fill: 'none' });
    for (const row of answer.rows().slice(0, 5)) {
      const valueOf = (key: string) => row[key] ?? null;
      const listed = must(drillDown(facts, valueOf, { by: { kind: 'rows' }, rows }));
      const found = await sluice.query(listed);
      expect(found.columns.every(({ kind }) => kind !== 'measure')).toBe(true);
      if (type !== undefined)
        expect([...new Set(found.values('TrackedEvents.eventType'))].filter((each) => each !== type)).toEqual([]);
      // Counted by hand: users are identified by the IDs in the rows.
      const users = Array.from(
        found.values('TrackedEvents.userAnonymousId'),
        (user, index) => found.values('TrackedEvents.userId')[index] ?? user,
      ).filter((user) => user !== null);
      if (measure !== 'TrackedEvents.uniqueUsersCount') expect(found.rowCount).toBe(Math.abs(Number(row[measure])));
      else expect(new Set(users).size).toBeGreaterThanOrEqual(Number(row[measure]));
      // The line asks the same question, and people see it.
      const written = writeNotation(listed, { members: catalog });
      expect(written).toMatch(/^(?:raw events\b|events where )/);
      expect(writeCanonicalQuery(toCanonicalQuery(read(written ?? '')))).toBe(writeCanonicalQuery(listed));

      const grouped = must(drillDown(facts, valueOf, { by: { kind: 'member', member: 'TrackedEvents.agentName' } }));
      if (measure !== 'TrackedEvents.uniqueUsersCount')
        expect(sum(await sluice.query(grouped), measure)).toBe(Number(row[measure]));
    }
  });

  it('goes from each figure of a comparison into its own range', async () => {
    const line = 'count by docPath from 2024-02-20 to 2024-03-01 compare with from 2024-02-01 to 2024-02-11';
    const query = read(line);
    const facts = factsOf(query);
    const answer = await sluice.query(query, { ranges: 'beside', fill: 'none' });
    let tried = 0;
    for (const row of answer.rows())
      for (const key of ['TrackedEvents.count', 'TrackedEvents.count.previous', 'TrackedEvents.count.change']) {
        const drilled = must(drillDown(facts, (each) => row[each] ?? null, {}, key));
        const figure = row[key.replace('.change', '')] ?? 0;
        expect(sum(await sluice.query(drilled)), `${key} ${JSON.stringify(drilled)}`).toBe(Number(figure));
        tried += 1;
      }
    expect(tried).toBeGreaterThan(2);
    const days = read('count by day from 2024-02-20 to 2024-03-01 compare with from 2024-02-01 to 2024-02-11');
    const beside = await sluice.query(days, { ranges: 'beside' });
    for (const row of beside.rows()) {
      const drilled = must(drillDown(factsOf(days), (each) => row[each] ?? null, {}, 'TrackedEvents.count.previous'));
      expect(sum(await sluice.query(drilled))).toBe(Number(row['TrackedEvents.count.previous'] ?? 0));
    }
  });

  it('has nothing in finer buckets without a measure', () => {
    expect(drillDown(factsOf(read('by docPath')), () => 'x')).toMatchObject({
      ok: false,
      issues: [{ code: 'not-drillable' }],
    });
  });

  it.each([
    ['count last 7 days', ['2024-02-23', '2024-02-29']],
    ['count by day this month', ['2024-02-01', '2024-02-29']],
    ['count 2024-01', ['2023-12-01', '2023-12-31']],
    [
      'count from 2024-03-01T10:00:00Z to 2024-03-01T10:59:59.999Z',
      ['2024-03-01T09:00:00.000Z', '2024-03-01T09:59:59.999Z'],
    ],
  ])('%s: is compared with the time before', async (line, previous) => {
    const query = read(line);
    const compared = compareWithPrevious(factsOf(query));
    if (!compared.ok) throw new Error(JSON.stringify(compared.issues));
    const asked = query.timeDimensions?.[0]?.dateRange;
    expect(compared.value.timeDimensions?.[0]?.compareDateRange).toEqual([asked, 'previous']);
    const both = await sluice.query(compared.value);
    const own = sum(await sluice.query(query));
    const before = sum(
      await sluice.query({ ...query, timeDimensions: [{ ...query.timeDimensions![0]!, dateRange: previous }] }),
    );
    expect(sum(both)).toBe(own + before);
    expect(compareWithPrevious(factsOf(compared.value))).toMatchObject({
      ok: false,
      issues: [{ code: 'compared-already' }],
    });
  });

  it('needs a range to be compared', () => {
    expect(compareWithPrevious(factsOf(read('count by day')))).toMatchObject({
      ok: false,
      issues: [{ code: 'no-range' }],
    });
  });

  it('leaves out what was asked of groups', () => {
    const measures = new Set(['A.count']);
    const test = (member: string) => ({ member, operator: 'gt' as const, values: ['1'] });
    expect(
      withoutMeasures(
        [
          test('A.count'),
          test('A.size'),
          { and: [test('A.count'), test('A.size')] },
          { or: [test('A.count'), test('A.size')] },
          { and: [test('A.count')] },
        ],
        measures,
      ),
    ).toEqual([test('A.size'), { and: [test('A.size')] }]);
  });

  it('is the same as a command, a program, a load body and SQL', async () => {
    const line = "count by docPath where docPath != '/it\\'s' top 3";
    const query = read(line);
    const expected = (await sluice.query(query)).rows();
    const command = toCommandLine({ query }, line);
    // Undoes the shell's quoting.
    const word = /^sluice query '([^]*)'\n$/.exec(command)?.[1]?.replaceAll("'\\''", "'");
    expect(word).toBe(line);
    expect(await folder.sluice(['query', word!, '-f', 'json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('/docs') as string,
    });
    const piped = toCommandLine({ query: { ...query, total: true }, fill: 'none' }, undefined);
    const stdin = /^printf '%s' '([^]*)' \| sluice query - --fill none\n$/.exec(piped)?.[1]?.replaceAll("'\\''", "'");
    expect(JSON.parse((await folder.sluice(['query', '-', '-f', 'json'], { stdin })).stdout)).toEqual(expected);
    const call = /sluice\.query\(([^]*?)\);\n/.exec(toLibraryCall({ query }))?.[1];
    expect((await sluice.query(JSON.parse(call!) as Query)).rows()).toEqual(expected);
    const bound = sluice.session.bind(query);
    if (!bound.ok) throw new Error('not bound');
    expect((await sluice.load(JSON.parse(toLoadBodies(bound.value)))).status).toBe(200);
    expect(toSql(await sluice.explain(query))).toMatch(/^-- \$1 = .*\n[^]*SELECT[^]*;\n$/);
    expect(
      toSql([{ statement: 'SELECT $1', parameters: ['a\n; DROP TABLE x\u2028\u0085--'] }]).split(/[\n\u2028\u0085]/),
    ).toHaveLength(3);
  });
});

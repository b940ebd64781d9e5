import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNotation } from '../../../../src/ask/notation/read-notation.ts';
import type { Query } from '../../../../src/ask/query/query.ts';
import { toCatalog } from '../../../../src/plan/model/catalog.ts';
import type { Plan } from '../../../../src/plan/plan.ts';
import { cellAt } from '../../../../src/use/explorer/grid/grid-pages.ts';
import { toDrillFacts } from '../../../../src/use/answer/drill-down.ts';
import {
  askFrequencies,
  askAsArranged,
  askChosen,
  compareChosen,
  zoomInto,
} from '../../../../src/use/explorer/question/follow-up-queries.ts';
import type { Result } from '../../../../src/use/index.ts';
import { openWithSession, type SluiceWithSession } from '../../open-session.ts';
import { type Folder, now, openFolder } from '../../run-in-folder.ts';
import { type Desk, openDesk } from '../grid/open-desk.ts';

const paths = ['/', '/docs', "/it's and more", null, '/Docs/a', '/blog'];
const raw = Array.from({ length: 400 }, (_, index) => ({
  utcTime: new Date(now - ((index * 7_919_333) % 2_600_000) * 1000).toISOString().slice(0, -1),
  userAnonymousId: `u${index % 17}`,
  eventType: index % 3 === 0 ? 'link_click' : 'pageview',
  ...(paths[index % 6] !== null && { docPath: paths[index % 6] }),
}));

describe('a question and its rows', () => {
  let folder: Folder;
  let sluice: SluiceWithSession;
  beforeAll(async () => {
    folder = openFolder({
      'e.ndjson': raw.map((event) => JSON.stringify(event)).join('\n'),
      'sluice.yaml': 'events: e.ndjson\ntimezone: Europe/Berlin\n',
    });
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
  const arrange = async (result: Result, filter: string, keys: readonly string[] = []) => {
    const desk = await openDesk(result, { width: 200, height: 300 });
    desk.press('/', ...Array.from(filter, (letter) => (letter === ' ' ? 'space' : letter)), 'enter', ...keys);
    await desk.settle();
    if (desk.state.panel) throw new Error(JSON.stringify(desk.state.panel));
    return desk;
  };
  const rowsOfDesk = ({ state }: Desk) =>
    Array.from({ length: state.rowCount }, (_, row) =>
      state.columns.map((_column, index) => String(cellAt(state, row, index)?.value)),
    );
  const rowsOfResult = (result: Result) =>
    Array.from({ length: result.rowCount }, (_, row) =>
      result.columns.map(({ key }) => String(result.values(key)[row] ?? null)),
    );

  it.each([
    ['count by docPath', 'docPath = /docs', []],
    ['count by docPath', 'docPath != /docs', []],
    ['count by docPath', 'docPath ~ doc', []],
    ['count by docPath', 'docPath !~ DOC', []],
    ['count by docPath', 'docPath ^= /do and count > 3', []],
    ['count by docPath', 'docPath $= S', []],
    ['count by docPath', 'docPath is not set', []],
    ['count by docPath', 'docPath is set', ['s']],
    ['count by docPath', `docPath = "/it's and more"`, []],
    ['count by docPath, eventType', 'count >= 20 and eventType = pageview', ['s', 's']],
    [
      'count, uniqueUsersCount by docPath, day from 2024-02-20 to 2024-03-05',
      'day = 2024-02-25',
      ['right', 'right', 's'],
    ],
    ['count by week from 2024-02-20 to 2024-03-05', 'week = 2024-02-19', []],
    ['count by eventType', '', ['right', 's', 's']],
    ['events where eventType = link_click', 'docPath = /', []],
  ] as const)('%s, filtered by %s: the question gives the rows of the grid', async (line, filter, keys) => {
    const query = read(line);
    const facts = factsOf(query);
    await using desk = await arrange(await sluice.query(query, { fill: 'none' }), filter, keys);
    const asked = askAsArranged(facts, desk.state);
    if (!asked.ok) throw new Error(JSON.stringify(asked.issues));
    const answer = rowsOfResult(await sluice.query(asked.value, { fill: 'none' }));
    const seen = rowsOfDesk(desk);
    expect(seen.length, 'the filter finds something').toBeGreaterThan(0);
    if (keys.length === 0) {
      answer.sort();
      seen.sort();
    }
    expect(answer).toEqual(seen);
  });

  it('tells in one sentence what raw events lack', async () => {
    const { provenance } = await sluice.query(read('events where eventType = pageview limit 3'));
    expect(provenance.lacking).toHaveLength(1);
    expect(provenance.lacking?.[0]).toMatch(/^The events have no .*, .* or .*: figures about them are empty\./);
  });

  it.each([
    ['count by docPath', 'doc'],
    ['count by docPath', 'docPath > /a'],
    ['count by week last 30 days', 'week = 2024-02-21'],
    ['count by day last 30 days', 'day >= 2024-02-21'],
  ])('%s, filtered by %s: is said to be more than a question can say', async (line, filter) => {
    const query = read(line);
    await using desk = await arrange(await sluice.query(query, { fill: 'none' }), filter);
    expect(askAsArranged(factsOf(query), desk.state)).toMatchObject({ ok: false, issues: [{ code: 'not-askable' }] });
  });

  it.each([
    ['count by docPath, day last 30 days', 'TrackedEvents.docPath'],
    ['uniqueUsersCount by eventType, docPath', 'TrackedEvents.docPath'],
    ['uniqueUsersCount by eventType, docPath where count > 5 top 3', 'TrackedEvents.docPath'],
    ['events where eventType = pageview', 'TrackedEvents.docPath'],
    ['count by docPath compare last 7 days with previous', 'TrackedEvents.docPath'],
  ])('%s: its values are counted over the events, not added up', async (line, member) => {
    const query = read(line);
    const facts = factsOf(query);
    const column = facts.columns.find((each) => each.member === member);
    const asked = askFrequencies(facts, column!, toCatalog(sluice.model));
    if (!asked.ok) throw new Error(JSON.stringify(asked.issues));
    const counted = await sluice.query(asked.value);
    // Filtered by hand.
    const range = facts.ranges[0];
    const kept = raw.filter(({ utcTime, eventType }) => {
      const at = Date.parse(`${utcTime}Z`);
      return (
        (!range || (at >= range.start && at < range.end)) && (!line.startsWith('events') || eventType === 'pageview')
      );
    });
    const byPath = Map.groupBy(kept, ({ docPath }) => String(docPath ?? null));
    const wanted = [...byPath].map(([path, events]) => [
      path,
      String(
        line.startsWith('unique') ? new Set(events.map(({ userAnonymousId }) => userAnonymousId)).size : events.length,
      ),
    ]);
    expect(rowsOfResult(counted).sort()).toEqual(wanted.sort());
  });

  it.each([
    'count by hour from 2024-02-20 to 2024-02-22',
    'count, uniqueUsersCount by day last 30 days',
    'count by day, eventType last 20 days',
    'count by week from 2024-02-07 to 2024-03-05',
    'count by month from 2024-01-15 to 2024-03-05',
  ])('zooms into buckets: %s', async (line) => {
    const query = read(line);
    const facts = factsOf(query);
    const whole = await sluice.query(query);
    const { key } = whole.columns.find(({ kind }) => kind === 'time')!;
    const buckets = [...new Set(Array.from(whole.values(key)))].map(String).sort();
    for (const [from, count] of [
      [0, 3],
      [1, 4],
      [0, buckets.length],
      [buckets.length - 1, 1],
      [0, 1],
      [1, 2],
    ] as const) {
      const marked = buckets.slice(from, from + count);
      const zoomed = zoomInto(facts, key, { first: marked[0]!, last: marked.at(-1)!, count: marked.length });
      if (!zoomed.ok) throw new Error(JSON.stringify(zoomed.issues));
      const found = await sluice.query(zoomed.value);
      const along = whole.columns.findIndex((column) => column.key === key);
      const expected = rowsOfResult(whole).filter((row) => marked.includes(row[along]!));
      if (marked.length >= 3) expect(rowsOfResult(found)).toEqual(expected);
      else {
        // With a finer granularity the sums stay the same.
        const sum = (result: readonly (readonly string[])[], at: number) =>
          result.reduce((total, row) => total + Number(row[at]), 0);
        const at = whole.columns.findIndex((column) => column.member === 'TrackedEvents.count');
        expect(sum(rowsOfResult(found), at)).toBe(sum(expected, at));
        expect(found.columns.map((column) => column.key)).not.toContain(key);
      }
    }
  });

  it('does not zoom into a comparison', async () => {
    const compared = read('count by day last 7 days compare with previous');
    const facts = factsOf(compared);
    const key = facts.columns.find(({ kind }) => kind === 'time')!.key;
    const first = '2024-03-01T00:00:00.000';
    expect(zoomInto(facts, key, { first, last: first, count: 1 }).issues).toMatchObject([{ code: 'not-zoomable' }]);
  });

  it.each([
    'count by eventType',
    'count by docPath, eventType',
    'count, uniqueUsersCount by docPath last 20 days',
    'count by docPath where eventType = pageview and count > 5 top 4',
  ])('asks for chosen rows, and compares them over time: %s', async (line) => {
    const query = read(line);
    const facts = factsOf(query);
    const whole = await sluice.query(query);
    const rows = rowsOfResult(whole);
    const at = whole.columns.findIndex((column) => column.member === 'TrackedEvents.count');
    const dimensions = whole.columns.flatMap(({ kind }, index) => (kind === 'dimension' ? [index] : []));
    const nameOf = (row: readonly string[]) => JSON.stringify(dimensions.map((index) => row[index]));
    for (const chosen of [[0], [0, 1], rows.map((_, row) => row)]) {
      const values = chosen.map(
        (row) => new Map(whole.columns.map(({ key }) => [key, whole.values(key)[row] ?? null] as const)),
      );
      const kept = askChosen(facts, values);
      const compared = compareChosen(facts, values);
      if (!kept.ok || !compared.ok) throw new Error(JSON.stringify([kept, compared]));
      const expected = chosen.map((row) => rows[row]!);
      expect(rowsOfResult(await sluice.query(kept.value)).toSorted()).toEqual(expected.toSorted());
      // The values over time sum to the row.
      const found = await sluice.query(compared.value);
      const along = found.columns.flatMap(({ kind }, index) => (kind === 'dimension' ? [index] : []));
      const sums = new Map<string, number>();
      const count = found.columns.findIndex((column) => column.member === 'TrackedEvents.count');
      for (const row of rowsOfResult(found)) {
        const name = JSON.stringify(along.map((index) => row[index]));
        sums.set(name, (sums.get(name) ?? 0) + Number(row[count]));
      }
      expect(sums).toEqual(new Map(expected.map((row) => [nameOf(row), Number(row[at])])));
    }
  });

  it('chooses no rows that stand for time, for others, or for nothing', async () => {
    for (const line of ['count', 'count by day', 'count by docPath top 2 with other'])
      expect(askChosen(factsOf(read(line)), [new Map()]).issues).toMatchObject([{ code: 'not-askable' }]);
  });
});

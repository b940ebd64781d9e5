import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unknownIfEmpty } from '../../src/plan/model/event-fields.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openFolder } from './run-in-folder.ts';

const fields = [
  ...['docHost', 'pageTitle', 'referer', 'useragent', 'country', 'deviceClass'],
  ...['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'],
];
const values = { docHost: 'a.example', referer: 'https://b.example/', deviceClass: 'mobile' } as Record<string, string>;

/** A known value, an empty text and none of each field, and a property in the same forms. */
const events = ['known', 'empty', 'none'].map((kind, index) => ({
  utcTime: `2024-03-05T1${index}:00:00.000`,
  userAnonymousId: 'u',
  eventType: 'pageview',
  ...(kind === 'none'
    ? {}
    : Object.fromEntries([...fields, 'plan'].map((name) => [name, kind === 'empty' ? '' : (values[name] ?? 'x')]))),
}));
const names = ['utcTime', 'userAnonymousId', 'eventType', ...fields, 'plan'];
const renamed = (name: string) => (fields.includes(name) ? `my_${name}` : name);
const written = (nameOf: (name: string) => string) =>
  events
    .map((event) => JSON.stringify(Object.fromEntries(Object.entries(event).map(([k, v]) => [nameOf(k), v]))))
    .join('\n');
const cells = events.map((event) => names.map((name) => (event as Record<string, string>)[name] ?? '').join(','));

const mapping = `columns:\n${names
  .slice(0, -1)
  .map((name) => `  ${name}: ${renamed(name)}\n`)
  .join('')}`;
const folder = openFolder({
  'plain.ndjson': written((name) => name),
  'plain.csv': [names.join(','), ...cells].join('\n'),
  'mapped/e.ndjson': written(renamed),
  'mapped/sluice.yaml': mapping,
  'store/e.ndjson': written((name) => name),
  'mapped-store/e.ndjson': written(renamed),
  'mapped-store/sluice.yaml': mapping,
});
beforeAll(async () => {
  await using engine = await openEngine({});
  await engine.rows(
    `COPY (FROM read_json('${folder.root}/plain.ndjson', auto_detect = true)) TO '${folder.root}/plain.parquet'`,
  );
  for (const cwd of ['store', 'mapped-store']) await folder.sluice(['ingest', 'e.ndjson'], { cwd });
});
afterAll(folder.remove);

const places: readonly (readonly [name: string, cwd: string, ...args: string[]])[] = [
  ['NDJSON', '', '--events', 'plain.ndjson'],
  ['CSV', '', '--events', 'plain.csv'],
  ['Parquet', '', '--events', 'plain.parquet'],
  ['mapped NDJSON', 'mapped', '--events', 'e.ndjson'],
  ['a store', 'store'],
  ['a store of mapped events', 'mapped-store'],
];

async function asked(line: string, [, cwd, ...args]: (typeof places)[number]): Promise<unknown> {
  const { stdout, stderr } = await folder.sluice(['query', line, '-f', 'json', ...args], { cwd });
  return (JSON.parse(stdout || JSON.stringify(stderr)) as object[]).map((row) => Object.values(row));
}

describe('an empty text in a field where it means that the value is unknown', () => {
  it('is one of these fields', () => {
    const columns = fields.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(new Set(columns)).toEqual(unknownIfEmpty);
  });

  it.each(places.map((place) => [place[0], place] as const))(
    'is missing, as in a cell of a CSV file: %s',
    async (_, place) => {
      for (const name of fields) {
        expect([name, await asked(`count by ${name}`, place)]).toEqual([
          name,
          [
            [null, 2],
            [values[name] ?? 'x', 1],
          ],
        ]);
        expect([name, await asked(`count where ${name} is set`, place)]).toEqual([name, [[1]]]);
      }
      expect(await asked('distinct(country), distinct(pageTitle)', place)).toEqual([[1, 1]]);
      expect(await asked('count by last touch country', place)).toEqual([['x', 3]]);
    },
  );

  it.each(places.map((place) => [place[0], place] as const))('is missing in a property, too: %s', async (_, place) => {
    const isMapped = place[1].startsWith('mapped');
    for (const name of ['plan', isMapped ? 'my_country' : 'country'])
      expect(await asked(`count by props.${name}`, place)).toEqual([
        [null, 2],
        ['x', 1],
      ]);
  });

  it('does not hide the host of the address', async () => {
    folder.write('url.ndjson', JSON.stringify({ ...events[1], pageUrl: 'https://c.example/x' }));
    expect(await asked('count by docHost', ['url', '', '--events', 'url.ndjson'])).toEqual([['c.example', 1]]);
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/plan/mapping/mapping.ts';
import type { IngestReport } from '../../../src/run/store/ingest-report.ts';
import { type ScratchStore, scratchStore } from './scratch-store.ts';
import { runs } from '../../runs.ts';

type Row = Readonly<Record<string, unknown>>;

const row = fc.record(
  {
    utcTime: fc
      .integer({ min: 0, max: 5000 })
      .map((second) => new Date(Date.UTC(2024, 2, 1) + second * 1000).toISOString()),
    eventId: fc.nat({ max: 60 }).map((id) => `e${id}`),
    userAnonymousId: fc.constantFrom('u1', 'u2'),
    docPath: fc.constantFrom('/a', '/"b"', "/c'd", '/ü'),
    extra: fc.constantFrom<unknown>('x', 5, null, { deep: [1] }),
    Extra: fc.constantFrom('y', ''),
    日本: fc.boolean(),
    'TrackedEvents.count': fc.constantFrom(1, 2),
  },
  { requiredKeys: ['utcTime'] },
);
const ndjson = (rows: readonly Row[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('');
const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
const csv = (columns: readonly string[]) => (rows: readonly Row[]) =>
  [columns.join(','), ...rows.map((one) => columns.map((name) => cell(one[name])).join(','))].join('\n');
const writers: readonly (readonly [ending: string, write: (rows: readonly Row[]) => string | Uint8Array])[] = [
  ['ndjson', ndjson],
  ['ndjson', ndjson],
  ['ndjson', ndjson],
  ['ndjson.gz', (rows) => gzipSync(ndjson(rows))],
  ['json', (rows) => JSON.stringify(rows)],
  ['csv', csv(['utcTime', 'eventId', 'docPath', 'extra'])],
  ['csv', csv(['utcTime', 'userAnonymousId', 'Extra'])],
  ['ndjson', (rows) => `${ndjson(rows)}{"utcTime":"never"}\n{broken\n${ndjson(rows)}`],
  ['ndjson.gz', (rows) => gzipSync(ndjson(rows)).subarray(0, -5)],
  ['csv', (rows) => `${csv(['utcTime', 'docPath'])(rows)}\n2024-03-01,/x,too many\n`],
  // Names of the engine's own columns and of a copy's, two records in a line, and blank lines.
  ['csv', csv(['utcTime', 'File_Index', 'docPath'])],
  ['json', (rows) => JSON.stringify(rows.map((one) => ({ ...one, file_index: 7 })))],
  ['ndjson', (rows) => ndjson(rows.map((one) => ({ ...one, file_index: 7, 'sluice number': 1 })))],
  ['ndjson', (rows) => ndjson([...rows, ...rows]).replace('}\n{', '} {')],
  ['ndjson', (rows) => `\n \r\n ${ndjson(rows)}\t\n`],
  ['ndjson', () => ''],
  ['csv', () => 'docPath\n/a\n'],
  ['ndjson', (rows) => Buffer.from(`${ndjson(rows)}{"utcTime":"2024-03-01","docPath":"/\xe9"}\n`, 'latin1')],
];
const files = fc.array(
  fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 6 }),
    writer: fc.constantFrom(...writers),
    copies: fc.constantFrom(1, 1, 1, 2),
  }),
  { minLength: 1, maxLength: 14 },
);

/** Everything that a report says of each file, except generated names. */
function told(store: ScratchStore, reports: readonly IngestReport[]) {
  return reports.flatMap((report) =>
    report.files.map(({ file, rejectedFile, error, earlier, ...rest }) => ({
      ...rest,
      file: path.basename(file),
      error: error?.code,
      earlier: earlier && path.basename(earlier.file),
      lines:
        rejectedFile === undefined
          ? []
          : readFileSync(rejectedFile, 'utf8')
              .replaceAll(path.dirname(path.dirname(store.folder)), '')
              .split('\n'),
    })),
  );
}

const rowsOf = async (store: ScratchStore) =>
  (await store.ask('SELECT COLUMNS(*)::VARCHAR FROM events ORDER BY ALL')).map((one) => one.map(String));

const mapping: Mapping = {
  columns: {
    utcTime: 'made',
    userAnonymousId: ['who', 'device'],
    docPath: '$.page.path',
    eventType: { column: 'kind', values: { view: 'pageview' } },
    pageTitle: { sql: 'upper(extra)' },
  },
};
const mappingOf = (file: string) => (file.endsWith('0.ndjson') ? { columns: { utcTime: 'made' } } : mapping);

/** A time in one of several notations; a file mostly uses one of them. */
const clocks = [
  (time: Date) => time.toISOString(),
  (time: Date) => time.getTime(),
  (time: Date) => time.getTime() / 1000,
  (time: Date) => time.toUTCString(),
  (time: Date, row: number) => (row === 3 ? time.getTime() : time.toISOString()),
  (time: Date, row: number) => (row > 1 ? time.getTime() : time.getTime() / 1000),
  (time: Date, row: number) => (row === 2 ? 'never' : time.toISOString()),
] as const;

function theirs(second: number, page: string, clock: (typeof clocks)[number], row: number): Row {
  const made = clock(new Date(Date.UTC(2024, 2, 13) + second * 1000), row);
  return { made, who: second % 2 ? 'u' : '', device: 'd', page: { path: page }, kind: 'view', extra: `x${second}` };
}

const mappedFiles = fc.array(
  fc.tuple(
    fc.array(fc.tuple(fc.nat({ max: 5000 }), fc.constantFrom('/a', "/c'd", '/ü')), { minLength: 1, maxLength: 6 }),
    fc.constantFrom(...writers.slice(0, 5), ['csv', csv(['made', 'who', 'kind', 'extra'])] as const),
    fc.constantFrom(clocks[0], clocks[0], clocks[1], clocks[1], ...clocks),
  ),
  { minLength: 1, maxLength: 12 },
);

describe('many small files', () => {
  it('are taken in together as each of them alone would be', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(files, async (written) => {
        const [together, alone] = [scratchStore(), scratchStore()];
        const paths = (store: ScratchStore) =>
          written.flatMap(({ rows, writer: [ending, write], copies }, index) =>
            Array.from({ length: copies }, (_, copy) => store.write(`f${index}-${copy}.${ending}`, write(rows))),
          );
        const reports = [
          await together.ingest(paths(together), { project: { value: '42', origin: 'flag --project' } }),
        ];
        const apart: IngestReport[] = [];
        for (const file of paths(alone))
          apart.push(await alone.ingest([file], { project: { value: '42', origin: 'flag --project' } }));
        expect(told(together, reports)).toEqual(told(alone, apart));
        expect(await rowsOf(together)).toEqual(await rowsOf(alone));
        // A second run changes nothing.
        const again = await together.ingest(paths(together));
        expect([again.added, again.events]).toEqual([0, reports[0]!.events]);
        expect(await rowsOf(together)).toEqual(await rowsOf(alone));
      }),
      { numRuns: runs(8, 12) },
    );
  });

  it('under names of their own are taken in together as each of them alone would be', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(mappedFiles, async (written) => {
        const [together, alone] = [scratchStore(), scratchStore()];
        const paths = (store: ScratchStore) =>
          written.map(([rows, [ending, write], clock], index) =>
            store.write(
              `f${index}.${ending}`,
              write(rows.map(([second, page], row) => theirs(second, page, clock, row))),
            ),
          );
        const reports = [await together.ingest(paths(together), { mappingOf })];
        const apart: IngestReport[] = [];
        for (const file of paths(alone)) apart.push(await alone.ingest([file], { mappingOf }));
        expect(told(together, reports)).toEqual(told(alone, apart));
        expect(await rowsOf(together)).toEqual(await rowsOf(alone));
        // The same content with the same mapping is known.
        const again = await together.ingest(paths(together), { mappingOf });
        expect([again.added, again.events]).toEqual([0, reports[0]!.events]);
        expect(new Set(again.files.map(({ outcome }) => outcome))).toEqual(new Set(['known']));
      }),
      { numRuns: runs(4, 8) },
    );
  });

  it.each([
    ['mapped', (n: number) => `{"made":${1_709_251_200 + n},"who":"u${n % 7}","extra":${n}}`, mapping],
    [
      'of an access log',
      (n: number) =>
        `10.0.0.${n % 9} - - [08/Mar/2024:10:${String(n % 60).padStart(2, '0')}:00 +0100] "GET /p${n} HTTP/1.1" 200 1`,
      undefined,
    ],
  ])('are one segment if they are %s', async (_, line, given) => {
    const lines = Array.from({ length: 120 }, (__, index) => line(index));
    const [many, one] = [scratchStore(), scratchStore()];
    const options = { mappingOf: () => given };
    const report = await many.ingest(
      Array.from({ length: 40 }, (__, index) =>
        many.write(`f${index}.log`, `${lines.slice(3 * index, 3 * index + 3).join('\n')}\n`),
      ),
      options,
    );
    await one.ingest([one.write('all.log', `${lines.join('\n')}\n`)], options);
    expect(report.files.map(({ added }) => added)).toEqual(Array.from({ length: 40 }, () => 3));
    expect(await rowsOf(many)).toEqual(await rowsOf(one));
  });

  it('hold the same events as one file of all their lines', async () => {
    const lines = Array.from({ length: 700 }, (_, index) =>
      JSON.stringify({
        utcTime: new Date(Date.UTC(2024, 2, 1) + index * 60_000).toISOString(),
        eventId: `e${index}`,
        userAnonymousId: `u${index % 7}`,
        ...(index % 3 === 0 ? { plan: index % 2 === 0 ? 'a' : { b: index } } : {}),
      }),
    );
    const [many, one] = [scratchStore(), scratchStore()];
    const report = await many.ingest(
      Array.from({ length: 350 }, (_, index) =>
        many.write(`f${index}.ndjson`, `${lines.slice(2 * index, 2 * index + 2).join('\n')}\n`),
      ),
    );
    await one.ingest([one.write('all.ndjson', `${lines.join('\n')}\n`)]);
    expect(report.files.map(({ added }) => added)).toEqual(Array.from({ length: 350 }, () => 2));
    expect(await rowsOf(many)).toEqual(await rowsOf(one));
    expect(many.files().filter((file) => file.includes('/segments/'))).toHaveLength(1);
  });
});

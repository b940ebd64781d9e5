import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { readAnnotations } from '../../src/ask/chart/annotation.ts';
import { drawIssues } from '../../src/ask/document/draw-issue.ts';
import { funnelReader } from '../../src/ask/funnel/read-funnel.ts';
import { readNotation } from '../../src/ask/notation/read-notation.ts';
import type { Issue } from '../../src/ask/outcome.ts';
import { readSavedQuery } from '../../src/ask/query/read-saved-query.ts';
import { readDateRange } from '../../src/ask/time/read-date-range.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../src/plan/model/catalog.ts';
import { readModel } from '../../src/plan/model/read/read-model.ts';
import type { Random } from '../../src/run/sample/random.ts';
import { readNotebook } from '../../src/tell/notebook/read-notebook.ts';
import { openServer } from '../../src/use/server/open-server.ts';
import { openWithSession } from '../use/open-session.ts';
import { fewEvents, openFolder } from '../use/run-in-folder.ts';
import { mutateBytes, mutateText, repeatStretch } from './mutate.ts';

/** A target of fuzzing. `use` must end, and throws only if it finds a fault. */
export interface Target {
  readonly name: string;
  /** Texts are also tried in doubling lengths; bytes are not. */
  readonly kind: 'text' | 'bytes';
  readonly input: (random: Random) => string | Uint8Array;
  /** An input of about that length; undefined for bytes. */
  readonly long?: (random: Random, length: number) => string;
  readonly open: () => Promise<{
    readonly use: (input: string | Uint8Array) => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
}

const root = new URL('../..', import.meta.url).pathname;
const texts = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((file) => /\.(ya?ml|md)$/.test(file))
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8'));
const pick = <T>(from: readonly T[], random: Random): T => from[random.whole(from.length)] as T;

function reader(name: string, seeds: readonly string[], read: (text: string) => readonly Issue[]): Target {
  return {
    name,
    kind: 'text',
    input: (random) => mutateText(pick(seeds, random), random, 8),
    long: (random, length) => repeatStretch(pick(seeds, random), random, length),
    open: () =>
      Promise.resolve({
        async use(input) {
          const source = String(input);
          const drawn = drawIssues(read(source), { source });
          // Except for tabs and line breaks, it must contain no control characters.
          if (/[\0-\u0008\u000b-\u001f\u007f-\u009f]/.test(drawn))
            throw new Error('Issues are drawn with control characters.');
        },
        close: () => Promise.resolve(),
      }),
  };
}

const lines = [
  'pageViewsCount, uniqueUsersCount by docPath day last 30 days where eventType = pageview and (docPath ^= /docs or agentName != bot) top 10',
  'compare this month with last month',
  'Sessions.count by startAt.week from 6 weeks ago to now in Europe/Berlin order by count desc limit 5 offset 2',
  'top 5 pages by unique users',
];
const body = JSON.stringify({
  query: {
    measures: ['TrackedEvents.count'],
    dimensions: ['TrackedEvents.docPath'],
    segments: [],
    limit: 10,
    order: { 'TrackedEvents.count': 'desc' },
    timezone: 'Europe/Berlin',
    timeDimensions: [
      { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-03-06', '2024-03-07'] },
    ],
    filters: [
      {
        or: [
          { member: 'TrackedEvents.docPath', operator: 'contains', values: ['/docs', 'x'] },
          { member: 'TrackedEvents.eventType', operator: 'set' },
        ],
      },
    ],
  },
});
const modelText = `cubes:
  - name: Orders
    sql_table: orders
    joins: [{name: Users, sql: "{CUBE}.user_id = {Users}.id", relationship: many_to_one}]
    measures: [{name: count, type: count}, {name: total, type: sum, sql: amount, filters: [{sql: "{CUBE}.paid"}]}, {name: mean, type: number, sql: "{total} / {count}"}]
    dimensions: [{name: id, type: number, sql: id, primary_key: true}, {name: at, type: time, sql: at}, {name: size, type: string, case: {when: [{sql: "{CUBE}.n > 1", label: big}], else: {label: small}}}]
  - {name: Users, sql_table: users, dimensions: [{name: id, type: number, sql: id, primary_key: true}]}
`;

/** Allowed exit codes of a command for any input. */
const knownCodes = new Set([0, 1, 2, 3, 4, 5]);

/** Event files in every format and compression, queried through the command line in this process. */
function eventFiles(
  name: string,
  extension: string,
  seed: () => Promise<Uint8Array>,
  pack: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): Target {
  let whole: Uint8Array = new Uint8Array();
  return {
    name,
    kind: 'bytes',
    // Half of the damage goes into the compressed data, half into the file itself.
    input: (random) => (random.chance(0.5) ? pack(mutateBytes(whole, random, 4)) : mutateBytes(pack(whole), random, 4)),
    async open() {
      whole = await seed();
      const folder = openFolder();
      return {
        async use(input) {
          const file = folder.write(`events.${extension}`, input);
          for (const argv of [
            ['query', 'count', '-f', 'json'],
            ['query', 'count by docPath', '-f', 'json'],
          ]) {
            const { code, stderr } = await folder.sluice([...argv, '--events', file]);
            if (!knownCodes.has(code) || stderr.includes('a bug in sluice'))
              throw new Error(`exit ${code}: ${stderr.slice(0, 500)}`);
          }
        },
        close: () => Promise.resolve(folder.remove()),
      };
    },
  };
}

const asText = (text: string) => () => Promise.resolve(Buffer.from(text));
const csv = `utcTime,userAnonymousId,eventType,docPath,docTitle\n${Array.from({ length: 40 }, (_, index) => `2024-03-06T10:00:${String(index).padStart(2, '0')},u${index % 7},pageview,/p${index % 5},"a, ""b""\nc"\n`).join('')}`;

/** The same events in a file that sluice wrote. */
const asWritten = (extension: string) => async () => {
  const folder = openFolder({ 'events.csv': csv });
  try {
    const { code, stderr } = await folder.sluice([
      'query',
      '--ungrouped',
      ...['utcTime', 'userAnonymousId', 'eventType', 'docPath'].flatMap((each) => ['-d', each]),
      '--events',
      'events.csv',
      '-o',
      `out.${extension}`,
    ]);
    if (code !== 0) throw new Error(stderr);
    return readFileSync(path.join(folder.root, `out.${extension}`));
  } finally {
    folder.remove();
  }
};

const server: Target = {
  name: 'serve',
  kind: 'text',
  input: (random) => mutateText(body, random, 6),
  long: (random, length) => repeatStretch(body, random, length),
  async open() {
    const folder = openFolder({ 'events.ndjson': fewEvents });
    const opened = await openWithSession({ events: path.join(folder.root, 'events.ndjson') });
    const server = await openServer({ session: opened.session });
    return {
      async use(input) {
        const response = await fetch(`${server.url}/cubejs-api/v1/load`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: String(input),
          signal: AbortSignal.timeout(60_000),
        });
        const said = await response.text();
        if (response.status === 500 && /bug|call stack|undefined/i.test(said)) throw new Error(said.slice(0, 500));
      },
      async close() {
        await server[Symbol.asyncDispose]();
        await opened[Symbol.asyncDispose]();
        folder.remove();
      },
    };
  },
};

const words = [
  'query',
  'load',
  'funnel',
  'check',
  'run',
  'report',
  'usage',
  'model',
  'schema',
  'doctor',
  'store',
  'stats',
  'completion',
  '--where',
  '--range',
  '-m',
  '-d',
  '-t',
  '-f',
  '--limit',
  '--order',
  '--as-of',
  '--timezone',
  '--events',
  'events.ndjson',
  ...lines,
];
const commandLine: Target = {
  name: 'command line',
  kind: 'text',
  input: (random) =>
    Array.from({ length: 1 + random.whole(8) }, () =>
      random.chance(0.8) ? pick(words, random) : mutateText(pick(words, random), random, 3),
    ).join('\u0001'),
  long: (random, length) => ['query', repeatStretch(pick(lines, random), random, length)].join('\u0001'),
  async open() {
    const folder = openFolder({ 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n' });
    return {
      async use(input) {
        const argv = String(input).split('\u0001');
        // These wait for user input.
        if (argv.some((word) => ['serve', 'explore', 'init', '-'].includes(word))) return;
        const { code, stderr } = await folder.sluice(argv);
        if (!knownCodes.has(code) || stderr.includes('a bug in sluice'))
          throw new Error(`exit ${code}: ${stderr.slice(0, 500)}`);
      },
      close: () => Promise.resolve(folder.remove()),
    };
  },
};

const catalog = toCatalog(builtInModel);
const time = { now: Date.parse('2024-03-08T12:00:00Z'), zone: 'Europe/Berlin' } as Parameters<typeof readDateRange>[1];

export const targets: readonly Target[] = [
  reader('notation', lines, (text) => readNotation(text, { catalog } as never).issues),
  reader(
    'date range',
    [
      'last 7 days',
      'from 6 weeks ago to now',
      '2024-03-01..2024-03-14',
      '2024-W09',
      'since 2024-03-01',
      'month to date',
    ],
    (text) => readDateRange(text, time).issues,
  ),
  reader('saved query', texts('queries'), (text) => readSavedQuery(text).issues),
  reader('funnel', texts('funnels'), (text) =>
    funnelReader.read([{ file: 'a.yaml', text } as never]).flatMap(({ issues }) => issues),
  ),
  reader('report', texts('reports'), (text) => readNotebook(text).issues),
  reader('model', [modelText], (text) => readModel([{ file: 'model.yaml', text }]).issues),
  reader(
    'annotations',
    ['- {date: 2024-03-08, title: Release 2.0, kind: release}\n'],
    (text) => readAnnotations(Buffer.from(text), 'annotations.yaml').issues,
  ),
  eventFiles('ndjson', 'ndjson', asText(fewEvents.repeat(8))),
  eventFiles(
    'json',
    'json',
    asText(
      JSON.stringify(
        fewEvents
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ),
    ),
  ),
  eventFiles('csv', 'csv', asText(csv)),
  eventFiles('tsv', 'tsv', asText(csv.replaceAll(/"[^"]*(?:""[^"]*)*"/g, 'x').replaceAll(',', '\t'))),
  eventFiles('csv.gz', 'csv.gz', asText(csv), (bytes) => gzipSync(bytes)),
  eventFiles('ndjson.zst', 'ndjson.zst', asText(fewEvents.repeat(8)), (bytes) => zstdCompressSync(bytes)),
  eventFiles('parquet', 'parquet', asWritten('parquet')),
  eventFiles('arrow', 'arrow', asWritten('arrow')),
  server,
  commandLine,
];

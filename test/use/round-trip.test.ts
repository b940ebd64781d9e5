import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareOf } from '../runs.ts';
import { toSafeCell } from '../../src/ask/safe-cell.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { type Folder, openFolder } from './run-in-folder.ts';

const events = 2500;
const queries = path.resolve(import.meta.dirname, '../../queries');

/**
 * In addition to the shipped saved queries: some distinguish null from the empty text and count every user and session.
 */
const further = {
  texts: {
    measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
    dimensions: ['TrackedEvents.pageTitle', 'TrackedEvents.customEventProps', 'TrackedEvents.projectId'],
    limit: 100_000,
  },
  offsets: {
    measures: ['TrackedEvents.count'],
    dimensions: ['TrackedEvents.localTzOffset', 'TrackedEvents.agentName'],
  },
  sessions: {
    measures: ['Sessions.count', 'Sessions.averageDurationMinutes', 'Sessions.uniqueUsersCount'],
    timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'hour' }],
  },
  users: { measures: ['ReturningUsers.allSessionsCount', 'ReturningUsers.returningUserPercentage'] },
};

let folder: Folder;
let truth: ReadonlyMap<string, string>;
beforeAll(async () => {
  folder = openFolder(
    Object.fromEntries([
      ...readdirSync(queries).map((name) => [`queries/${name}`, readFileSync(path.join(queries, name))]),
      ...Object.entries(further).map(([name, query]) => [`queries/${name}.yaml`, JSON.stringify({ query })]),
    ]),
  );
  await sample('sample.ndjson');
  truth = await answers('truth', '--events', 'sample.ndjson');
}, 30_000);
afterAll(() => folder.remove());

function sample(name: string): Promise<void> {
  return run('sample', '--count', String(events), '--days', '70', '--to', '2024-03-07', '-o', name);
}

async function run(...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await folder.sluice([...argv, '--quiet']);
  expect([code, stderr], argv[0]).toEqual([0, '']);
}

/** Results of all saved queries, by name. */
async function answers(name: string, ...of: readonly string[]): Promise<ReadonlyMap<string, string>> {
  await run('query', '--all-saved', '-f', 'json', '-o', name, ...of);
  const files = readdirSync(path.join(folder.root, name));
  return new Map(files.sort().map((file) => [file, readFileSync(path.join(folder.root, name, file), 'utf8')]));
}

/** Loads a file into its own store and queries it. */
async function answersOf(file: string): Promise<ReadonlyMap<string, string>> {
  await run('ingest', file, '--store', `store-of-${file}`);
  return answers(`answers-of-${file}`, '--store', `store-of-${file}`);
}

const members = builtInModel.cubes
  .find((cube) => cube.name === 'TrackedEvents')!
  .dimensions.flatMap((member) => ['-d', `TrackedEvents.${member.name}`]);

function safeRows(found: ReadonlyMap<string, string>): readonly string[] {
  const rows = JSON.parse(found.get('texts.json')!) as readonly object[];
  return rows
    .map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'string' ? toSafeCell(value) : value)))
    .sort();
}

describe('a round trip', () => {
  it('compares results that are not empty', () => {
    expect(truth.size).toBeGreaterThanOrEqual(17);
    for (const [name, text] of truth) expect(text.length, name).toBeGreaterThan(60);
  });

  it.each(['a.ndjson.gz', 'a.json.zst', 'a.csv', 'a.parquet', 'a.arrow'])(
    'through the sample as %s and a store gives the answers of the sample',
    { timeout: 30_000 },
    async (name) => {
      await sample(name);
      expect(await answersOf(name)).toEqual(truth);
    },
  );

  it.each(shareOf(['b.ndjson', 'b.csv.gz', 'b.parquet', 'b.arrows'], 1, 2))(
    'through all events with all members as %s gives the same answers, too',
    { timeout: 30_000 },
    async (name) => {
      await run('query', '--ungrouped', ...members, '--limit', '100000', '--events', 'sample.ndjson', '-o', name);
      const found = await answersOf(name);
      if (!name.includes('.csv')) return expect(found).toEqual(truth);
      // Cells of a result are made safe for terminals and spreadsheets.
      expect(safeRows(found)).toEqual(safeRows(truth));
      for (const [question, text] of found)
        if (question !== 'texts.json') expect([question, text]).toEqual([question, truth.get(question)]);
    },
  );

  it('through an export of the store is recognised by its IDs when loaded again', {
    timeout: 30_000,
  }, async () => {
    await run('ingest', 'sample.ndjson', '--store', 'known');
    await run(
      'query',
      '--ungrouped',
      '-d',
      'utcTime',
      '-d',
      'eventId',
      '-d',
      'projectId',
      '--limit',
      '100000',
      '--store',
      'known',
      '-o',
      'again.parquet',
    );
    const { code, stderr } = await folder.sluice(['ingest', 'again.parquet', '--store', 'known']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('0 events added, 2,500 events with IDs already in the store skipped'),
    ]);
  });
});

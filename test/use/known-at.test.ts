import path from 'node:path';
import { expect, it } from 'vitest';
import { ingestFiles } from '../../src/run/duckdb/store/ingest.ts';
import { open } from '../../src/use/index.ts';
import { type Folder, folderOf } from './run-in-folder.ts';

const event = (time: string, eventId: string) =>
  `${JSON.stringify({ utcTime: time, eventType: 'pageview', userAnonymousId: 'a', eventId })}\n`;

let randomTexts = 0;

/** Loads a file into the folder's store at a time. */
async function ingestAt(folder: Folder, time: string, name: string, text: string): Promise<void> {
  await ingestFiles({
    folder: path.join(folder.root, '.sluice/store'),
    files: [folder.write(name, text)],
    threads: 2,
    holder: 'a test',
    now: () => Date.parse(time),
    randomText: () => `random${(randomTexts += 1)}`,
  });
}

const days = Array.from({ length: 5 }, (_, index) => event(`2024-03-0${index + 1}T10:00:00Z`, `e${index}`)).join('');
const report =
  '---\ntitle: Days\n---\n\n{{ d.count }} events.\n\n```query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: from 2024-03-01 to 2024-03-04\n```\n';

async function stored(): Promise<Folder> {
  const folder = folderOf({ 'reports/days.md': report });
  await ingestAt(folder, '2024-03-05T12:00:00Z', 'first.ndjson', days);
  await ingestAt(folder, '2024-03-07T12:00:00Z', 'late.ndjson', event('2024-03-02T09:00:00Z', 'late'));
  return folder;
}

it('counts the events that the store had at a time, and all of them by default', async () => {
  const folder = await stored();
  const count = async (...flags: string[]) => {
    const { code, stdout, stderr } = await folder.sluice(['query', 'count', '-f', 'json', ...flags]);
    expect(code, stderr).toBe(0);
    return (JSON.parse(stdout) as [Record<string, number>])[0]['TrackedEvents.count'];
  };
  expect(await count()).toBe(6);
  expect(await count('--known-at', '2024-03-06')).toBe(5);
  expect(await count('--known-at', '2024-03-07T12:00Z')).toBe(6);
  expect(await count('--known-at', '2024-03-05T11:59Z')).toBe(0);
  const { stdout } = await folder.sluice([
    'query',
    'count',
    '-f',
    'json',
    '--with-provenance',
    '--known-at',
    '2024-03-06',
  ]);
  expect(JSON.parse(stdout)).toMatchObject({
    provenance: { source: expect.stringContaining('as known at 2024-03-06') as string },
  });
});

it('takes the time from programs as text, Date and number', async () => {
  const folder = await stored();
  const time = '2024-03-06T00:00:00Z';
  for (const knownAt of [time, new Date(time), Date.parse(time)]) {
    await using s = await open({ workspace: folder.root, env: {}, knownAt, onNote: () => undefined });
    expect((await s.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
  }
});

it('notes only the lines that had been rejected then', async () => {
  const folder = folderOf({});
  await ingestAt(folder, '2024-03-05T12:00:00Z', 'log.ndjson', `${event('2024-03-01T10:00:00Z', 'a')}bad\n`);
  await ingestAt(
    folder,
    '2024-03-06T12:00:00Z',
    'log.ndjson',
    `${event('2024-03-01T10:00:00Z', 'a')}bad\n${event('2024-03-02T10:00:00Z', 'b')}worse\nworst\n`,
  );
  await ingestAt(folder, '2024-03-07T12:00:00Z', 'late.ndjson', 'bad\n');
  const noteOf = async (...flags: string[]) => {
    const { stdout } = await folder.sluice(['query', 'count', '-f', 'json', '--with-provenance', ...flags]);
    return /(\d+) lines? could not be read when/.exec(stdout)?.[1];
  };
  expect(await noteOf()).toBe('4');
  expect(await noteOf('--known-at', '2024-03-08')).toBe('4');
  expect(await noteOf('--known-at', '2024-03-07')).toBe('3');
  expect(await noteOf('--known-at', '2024-03-06')).toBe('1');
  expect(await noteOf('--known-at', '2024-03-05')).toBeUndefined();
});

it('says if nothing had been loaded yet', async () => {
  const folder = await stored();
  for (const question of ['pageViewsCount by day in 2024-03', 'retention of pageview by week in 2024-03']) {
    const { stdout } = await folder.sluice(['query', question, '--known-at', '2024-03-05']);
    expect(stdout).toContain('The store had no events at 2024-03-05: nothing was loaded until later.');
    expect(stdout).not.toMatch(/have no|Map a column/);
  }
});

it('says that events were pruned, not that none has a type, if all that it had are gone', async () => {
  const folder = await stored();
  await ingestAt(folder, '2024-04-05T12:00:00Z', 'april.ndjson', event('2024-04-02T09:00:00Z', 'april'));
  await folder.sluice(['store', 'prune', '--before', '2024-04-01']);
  for (const question of ['retention of signup by week in 2024-03', 'funnel signup then order in 2024-03']) {
    const { code, stdout } = await folder.sluice(['query', question, '--known-at', '2024-03-06']);
    expect(code).toBe(0);
    expect(stdout).toContain('The events before 2024-04-01 were removed from the store');
    expect(stdout).not.toContain('No event has');
  }
});

it('tells if users were forgotten since', async () => {
  const folder = await stored();
  await folder.sluice(['store', 'forget', 'nobody']);
  const notesOf = async (time: string) => (await folder.sluice(['query', 'count', '--known-at', time])).stdout;
  expect(await notesOf('2024-03-06')).not.toContain('forget');
  await folder.sluice(['ingest', folder.write('b.ndjson', event('2024-03-03T10:00:00Z', 'b').replace('"a"', '"b"'))]);
  await folder.sluice(['store', 'forget', 'a']);
  const told = 'Users were removed from the store with `sluice store forget` after 2024-03-06: figures lack';
  expect(await notesOf('2024-03-06')).toContain(told);
  await folder.sluice(['ingest', folder.write('c.ndjson', event('2024-03-03T10:00:00Z', 'c').replace('"a"', '"c"'))]);
  expect(await notesOf('2124-03-06')).not.toContain('forget');
});

it('is refused if no arrival times are recorded, or if they were removed', async () => {
  const folder = folderOf({ 'events.ndjson': days });
  const refused = await folder.sluice(['query', 'count', '--events', 'events.ndjson', '--known-at', '2024-03-06']);
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Only an event store records when events arrived') as string,
  });
  expect((await folder.sluice(['query', 'count', '--known-at', 'soon'])).code).toBe(2);
});

it('gives a past report the bytes that it had, and reports the difference once without it', async () => {
  const folder = await stored();
  const run = (...flags: string[]) =>
    folder.sluice(['report', 'run', 'days', '-f', 'md', '--as-of', '2024-03-06', ...flags]);
  const known = await run('--known-at', '2024-03-06');
  expect(known.stdout).toContain('4 events.');
  const all = await run();
  expect(all.stdout).toContain('5 events.');
  expect(all.stderr.match(/counts all events known now, including those that arrived after 2024-03-06/g)).toHaveLength(
    1,
  );
  expect(known.stderr).not.toContain('known now');
  // Events of other days change neither its figures nor its notes.
  const json = async () => (await run('-f', 'json')).stdout;
  const before = await json();
  await ingestAt(folder, '2024-03-08T12:00:00Z', 'later.ndjson', event('2024-03-05T23:00:00Z', 'later'));
  expect(await json()).toBe(before);
});

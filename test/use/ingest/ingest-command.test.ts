import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fewEvents, openFolder, type Folder } from '../run-in-folder.ts';

let folder: Folder;
afterEach(() => folder.remove());

describe('sluice ingest', () => {
  it('fills the store of the workspace, and reports it on stderr with the next command', async () => {
    folder = openFolder({ 'events/a.ndjson': fewEvents });
    const { code, stdout, stderr } = await folder.sluice(['ingest', 'events']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(
      [
        'Loaded 1 file: 5 events added.',
        'The store in .sluice/store has 5 events of no project.',
        "Try: sluice query 'count by eventType'",
        '',
      ].join('\n'),
    );
    const asked = await folder.sluice(['query', 'count by eventType', '-f', 'csv']);
    expect(asked.stdout).toBe('TrackedEvents.eventType,TrackedEvents.count\npageview,4\nlink_click,1\n');
  });

  it('skips known files, and says when and as what they were loaded', async () => {
    folder = openFolder({ 'a.ndjson': fewEvents, 'b.ndjson': fewEvents });
    await folder.sluice(['ingest', 'a.ndjson', '--project', '7']);
    const { code, stderr } = await folder.sluice(['ingest', 'b.ndjson', '--project', '8']);
    expect(code).toBe(0);
    expect(stderr).toContain('b.ndjson was loaded on 2024-03-08 12:00 UTC as a.ndjson. Skipped.');
    expect(stderr).toContain('b.ndjson was loaded as of project 7, not 8: nothing was added or changed.');
    expect(stderr).toContain('Nothing was added.');
  });

  it('sums up the known files of a folder, and names each only with --verbose', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `events/${String(index).padStart(2, '0')}.ndjson`);
    const fileOf = (index: number) => `{"utcTime":"2024-03-06T10:00:00","docPath":"/${index}"}\n`;
    folder = openFolder(Object.fromEntries(names.map((name, index) => [name, fileOf(index)])));
    await folder.sluice(['ingest', 'events', '--project', '7']);
    folder.write('events/new.ndjson', fileOf(99));
    const { stderr } = await folder.sluice(['ingest', 'events', '--project', '7']);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      '30 files were loaded before and are skipped.',
      'Loaded 1 file: 1 event added.',
    ]);
    const named = await folder.sluice(['ingest', 'events', '--project', '7', '--verbose']);
    expect(named.stderr.split('\n').filter((line) => line.includes('was loaded on'))).toHaveLength(31);
    expect(named.stderr).toContain('31 files were loaded before and are skipped.\n');
    const other = await folder.sluice(['ingest', 'events', '--project', '8', '--quiet']);
    expect(other.stderr).toBe('31 files were loaded as of project 7, not 8: nothing was added or changed.\n');
  });

  it('names the origin of the project of events without one', async () => {
    folder = openFolder({ 'a.ndjson': fewEvents, 'sluice.yaml': 'project: 7\n' });
    expect((await folder.sluice(['ingest', 'a.ndjson'])).stderr).toContain(
      'Events without a project are assigned to project 7 (sluice.yaml:1).',
    );
  });

  it('puts unreadable lines next to the store, and exits with 5', async () => {
    folder = openFolder({ 'a.ndjson': `${fewEvents}{broken\n` });
    const { code, stderr } = await folder.sluice(['ingest', 'a.ndjson', '--quiet']);
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /^a\.ndjson:6: .*\n1 line of a\.ndjson was rejected and written to \.sluice\/rejected\/store\/a\.ndjson\.\w+\.ndjson \(exit code 5\)\n$/,
    );
    expect(readdirSync(path.join(folder.root, '.sluice/rejected/store'))).toHaveLength(1);
  });

  it('names the time column if events have none, and the projects of the others', async () => {
    folder.write(
      'mixed.ndjson',
      '{"time":"2024-03-06T10:00:00"}\n{"utcTime":"2024-03-06T10:00:00","projectId":"7"}\n{"utcTime":"2024-03-06T10:00:00"}\n',
    );
    const { code, stderr } = await folder.sluice(['ingest', 'mixed.ndjson', '--store', 'mixed']);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'mixed.ndjson:1: no time\n  hint: name the time column utcTime, derivedTstamp, utc_time or TrackedEvents.utcTime\n',
    );
    expect(stderr).toContain('has 2 events of project 7 or none.');
  });

  it('loads the valid files if one is invalid, and reports that one', async () => {
    folder = openFolder({ 'a.ndjson': fewEvents, 'b.csv': 'name,age\nann,7\n' });
    const { code, stderr } = await folder.sluice(['ingest', 'a.ndjson', 'b.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('b.csv was not loaded: ');
    expect(stderr).toContain('Loaded 1 file: 5 events added.');
  });

  it('uses another store by flag, and names it in the next command', async () => {
    folder = openFolder({ 'a.ndjson': fewEvents });
    expect((await folder.sluice(['ingest', 'a.ndjson', '--store', 'other'])).stderr).toContain(
      "Try: sluice query 'count by eventType' --store other",
    );
    expect((await folder.sluice(['query', 'count', '--store', 'other', '-f', 'csv'])).stdout).toContain('\n5\n');
  });

  it('suggests a question that events without types answer', async () => {
    folder = openFolder({ 'orders.csv': 'ordered_at,user_id,total\n2024-03-06 10:00:00,ann,9\n' });
    const { stderr } = await folder.sluice(['ingest', 'orders.csv', '--map', 'utcTime=ordered_at']);
    expect(stderr).toContain("Try: sluice query 'count by day'\n");
  });

  it('refuses missing files with exit code 2', async () => {
    folder = openFolder();
    expect(await folder.sluice(['ingest', 'nothing.ndjson'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No events found at nothing.ndjson.') as string,
    });
    expect(readdirSync(folder.root)).toEqual([]);
  });

  it('exits with 130 when interrupted, and leaves no store behind', async () => {
    folder = openFolder({ 'a.ndjson': fewEvents });
    expect(await folder.sluice(['ingest', 'a.ndjson'], { signal: AbortSignal.abort() })).toMatchObject({ code: 130 });
    expect(readdirSync(folder.root)).toEqual(['a.ndjson']);
  });

  it('removes control characters from file names', async () => {
    folder = openFolder({ 'a\u001b[31m.ndjson': `${fewEvents}{broken\n` });
    expect((await folder.sluice(['ingest', '*.ndjson'])).stderr).not.toContain('\u001b');
  });
});

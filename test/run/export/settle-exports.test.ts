import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gapsIn } from '../../../src/run/export/files/window-gaps.ts';
import { runs } from '../../runs.ts';
import { folderOf, type Folder } from '../../use/run-in-folder.ts';

const days = ['01', '02', '03', '04', '05', '06'];
const lines = days.map((day) => `{"utcTime":"2024-03-${day}T10:00:00Z","docPath":"/${day}"}\n`).join('');

async function exported(): Promise<Folder> {
  const folder = folderOf({ 'e.ndjson': lines });
  const argv = ['export', '--events', 'e.ndjson', '--range', '2024-03-01,2024-03-06', '-o', 'out'];
  expect((await folder.sluice(argv)).code).toBe(0);
  return folder;
}

const asked = async (folder: Folder, ...more: readonly string[]) => {
  const { stdout } = await folder.sluice(['query', 'count', '--events', 'out', ...more]);
  return stdout.replaceAll(/\s+/g, ' ');
};

describe('an export that is queried', () => {
  it('says which days it lacks if it was interrupted, and nothing once it is complete', async () => {
    const folder = await exported();
    expect(await asked(folder)).toBe('Events 6 ');
    rmSync(path.join(folder.root, 'out', '2024-03-03'), { recursive: true });
    rmSync(path.join(folder.root, 'out', '2024-03-06'), { recursive: true });
    const told = 'is not complete: it lacks 2024-03-03, 2024-03-06. To complete it';
    expect(await asked(folder)).toContain(told);
    expect((await folder.sluice(['ingest', 'out'])).stderr).toContain(told);
    await folder.sluice(['export', '--events', 'e.ndjson', '--range', '2024-03-01,2024-03-06', '-o', 'out']);
    expect(await asked(folder)).toBe('Events 6 ');
  });

  it('says in answers from a store which days no loaded window covers, if they are asked', async () => {
    const folder = await exported();
    rmSync(path.join(folder.root, 'out', '2024-03-03'), { recursive: true });
    expect((await folder.sluice(['ingest', 'out'])).code).toBe(0);
    const told = async (line: string) => (await folder.sluice(['query', line])).stdout.replaceAll(/\s+/g, ' ');
    const note = 'The exports in the store lack 2024-03-03: events of these days are missing.';
    for (const line of ['count', 'count by day in 2024-03-01..2024-03-04', 'Sessions.count in 2024-03-03'])
      expect([line, await told(line)]).toEqual([line, expect.stringContaining(note)]);
    expect(await told('count by day in 2024-03-01..2024-03-04')).not.toContain('filled');
    expect(await told('count by day in 2024-03-04..2024-03-06')).not.toContain('lack');
  });

  it('counts a window once if its replaced revision still lies beside it', async () => {
    const folder = await exported();
    const day = path.join(folder.root, 'out', '2024-03-02');
    const [data = '', manifest = ''] = readdirSync(day).sort();
    // What a kill leaves between the new revision and the removal of the old one.
    const later = data.replace('.ndjson', '-r2.ndjson');
    cpSync(path.join(day, data), path.join(day, later));
    const text = readFileSync(path.join(day, manifest), 'utf8');
    writeFileSync(path.join(day, `${later}.manifest.json`), text.replace('"revision": 1', '"revision": 2'));
    expect(await asked(folder)).toBe('Events 6 ');
    expect(await asked(folder, '--events', 'out/*/*.ndjson')).toBe('Events 6 ');
  });

  it('lacks what no window covers', () => {
    const range = fc.tuple(fc.nat(30), fc.nat(8)).map(([start, size]) => ({ start, end: start + size }));
    fc.assert(
      fc.property(range, fc.array(range, { maxLength: 6 }), (whole, windows) => {
        const sorted = windows.toSorted((one, other) => one.start - other.start);
        const gaps = gapsIn(whole, sorted);
        for (let instant = 0; instant < 50; instant += 1) {
          const inside = ({ start, end }: { start: number; end: number }) => start <= instant && instant < end;
          expect(gaps.filter(inside)).toHaveLength(inside(whole) && !windows.some(inside) ? 1 : 0);
        }
      }),
      { numRuns: runs(400) },
    );
  });
});

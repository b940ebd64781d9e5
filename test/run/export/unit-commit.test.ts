import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commitUnit, makeUnitFolder, unfinishedPath } from '../../../src/run/export/files/commit-unit.ts';
import { isUnitPath, listUnits, readUnitPath, unitPath } from '../../../src/run/export/files/list-units.ts';
import { gapsIn } from '../../../src/run/export/files/window-gaps.ts';
import { findOverlap } from '../../../src/run/export/plan-windows.ts';
import { scratchFolder } from '../ask-sql.ts';

const hour = 3_600_000;
const start = Date.UTC(2024, 2, 30, 23);
const window = { start, end: start + hour };
const manifest = {
  query: 'q',
  window: { start: new Date(start).toISOString(), end: new Date(start + hour).toISOString() },
  revision: 1,
  rows: 1,
  events: 1,
  sha256: 'a'.repeat(64),
  bytes: 3,
  source: 's',
  time: '2024-04-01T00:00:00.000Z',
};

it('a window is named by its instants, in a folder for the day where it starts in the zone', () => {
  expect(unitPath(window, 1, 'UTC', '.csv.gz')).toBe('2024-03-30/part-20240330T230000000Z-20240331T000000000Z.csv.gz');
  expect(unitPath({ start, end: start + 1 }, 2, 'Europe/Berlin', '.ndjson')).toBe(
    '2024-03-31/part-20240330T230000000Z-20240330T230000001Z-r2.ndjson',
  );
  const zones = ['UTC', 'Asia/Kolkata', 'America/St_Johns'];
  for (const zone of zones)
    for (const ending of ['.ndjson', '.json.zst', '.parquet'])
      for (const revision of [1, 3]) {
        const name = unitPath(window, revision, zone, ending);
        expect([isUnitPath(name), readUnitPath(name)]).toEqual([true, { window, revision }]);
      }
  for (const name of [
    '2024-03-30/mine.csv',
    'part-20240330T230000000Z-20240331T000000000Z.csv',
    'export.manifest.json',
  ])
    expect(isUnitPath(name)).toBe(false);
  // The night in which the clock goes back has both of its hours.
  const names = [0, 1, 2].map((count) =>
    unitPath(
      { start: Date.UTC(2024, 9, 27, count), end: Date.UTC(2024, 9, 27, count + 1) },
      1,
      'Europe/Berlin',
      '.csv',
    ),
  );
  expect([new Set(names).size, names.toSorted()]).toEqual([3, names]);
});

it('a data file is never there without its manifest', async () => {
  const { path: folder } = scratchFolder();
  const file = path.join(folder, unitPath(window, 1, 'UTC', '.csv'));
  const unfinished = unfinishedPath(file);
  await makeUnitFolder(file);
  writeFileSync(unfinished, 'a\nb');
  mkdirSync(`${file}.manifest.json`);
  await expect(commitUnit(file, unfinished, manifest)).rejects.toThrow();
  expect([existsSync(file), existsSync(unfinished)]).toEqual([false, true]);
});

it('what lies in a folder is committed, left over, damaged, or of somebody else', async () => {
  const { path: folder, write } = scratchFolder();
  const place = (revision: number, from = start) =>
    unitPath({ start: from, end: from + hour }, revision, 'UTC', '.csv');
  const commit = async (revision: number, content: string, from = start) => {
    const file = path.join(folder, place(revision, from));
    await makeUnitFolder(file);
    writeFileSync(unfinishedPath(file), content);
    await commitUnit(file, unfinishedPath(file), {
      ...manifest,
      revision,
      window: { start: new Date(from).toISOString(), end: new Date(from + hour).toISOString() },
    });
    return file;
  };
  const later = await commit(1, 'a\nb', start + 5 * hour);
  const older = await commit(1, 'a\nb');
  const newer = await commit(2, 'a\nb');
  const cut = await commit(1, 'a\n', start + 3 * hour);
  const left = [
    write(`${place(1, start + hour)}.manifest.json`, JSON.stringify(manifest)),
    write(path.join(path.dirname(place(1)), `.${path.basename(place(1))}.part.rows`), '{'),
  ];
  const strange = [write('notes.txt', ''), write(place(1, start + 9 * hour), 'a')];
  write('.hidden', '');
  write('export.manifest.json', '');
  const listing = await listUnits(folder);
  expect(listing.units.map(({ file }) => file)).toEqual([newer, later]);
  expect([...listing.leftovers].sort()).toEqual([...left, older, `${older}.manifest.json`].sort());
  expect([...listing.foreign].sort()).toEqual([...strange].sort());
  expect(listing.damaged).toEqual([{ file: cut, what: 'has 2 bytes, but its manifest says 3' }]);
  expect(readFileSync(newer, 'utf8')).toBe('a\nb');
  expect(readdirSync(path.dirname(newer)).filter((name) => name.endsWith('.1.part'))).toEqual([]);
});

it('windows tile a range where there is no gap and no overlap', () => {
  const units = (
    [
      [0, 2],
      [2, 3],
      [3, 9],
      [4, 5],
      [8, 10],
      [12, 13],
    ] as const
  ).map(([from, to]) => ({ window: { start: from, end: to } }));
  expect(findOverlap(units).map(([one, other]) => [one.window, other.window])).toEqual([
    [
      { start: 3, end: 9 },
      { start: 4, end: 5 },
    ],
    [
      { start: 3, end: 9 },
      { start: 8, end: 10 },
    ],
  ]);
  expect(
    gapsIn(
      { start: 1, end: 20 },
      units.map((unit) => unit.window),
    ),
  ).toEqual([
    { start: 10, end: 12 },
    { start: 13, end: 20 },
  ]);
  expect(gapsIn({ start: 0, end: 3 }, [])).toEqual([{ start: 0, end: 3 }]);
  expect(gapsIn({ start: 5, end: 5 }, [])).toEqual([]);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../../src/run/duckdb/reading/find-files.ts';
import {
  type ExportManifest,
  findExportManifest,
  manifestPathOf,
  readExportManifest,
  writeExportManifest,
} from '../../../src/run/export/files/export-manifest.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const manifest: ExportManifest = {
  query: '9f2b',
  window: { start: '2024-03-01T00:00:00.000Z', end: '2024-03-02T00:00:00.000Z' },
  revision: 2,
  rows: 10,
  events: 12,
  sha256: 'a'.repeat(64),
  project: '42',
  source: 'https://code.example.org',
  time: '2024-03-03T00:00:00.000Z',
};
const purpose = { code: 'events-not-found', what: 'events', hint: '' } as const;

describe('the manifest of an export', () => {
  it('reads as it was written, with and without a project', async () => {
    for (const each of [manifest, { ...manifest, project: undefined }]) {
      const text = writeExportManifest(each);
      expect(await readExportManifest(text)).toEqual({ ok: true, value: JSON.parse(JSON.stringify(each)), issues: [] });
      expect(JSON.parse(text)).toMatchObject({ sluice: 'export-window', version: 1 });
    }
  });

  it('stands beside its data file, or not', async () => {
    const data = folder.write('beside/day.ndjson.gz', '');
    expect(await findExportManifest(data)).toBeUndefined();
    writeFileSync(manifestPathOf(data), writeExportManifest(manifest));
    expect(await findExportManifest(data)).toMatchObject({ ok: true, value: manifest });
  });

  it.each([
    ['no JSON', '{', 'manifest-not-json', []],
    ['null', 'null', 'manifest-invalid', []],
    ['a later version', JSON.stringify({ sluice: 'export-window', version: 2 }), 'manifest-version', []],
    [
      'a window that ends before it starts',
      writeExportManifest({ ...manifest, window: { start: manifest.window.end, end: manifest.window.start } }),
      'manifest-invalid',
      ['window'],
    ],
    ['a time that is none', writeExportManifest({ ...manifest, time: 'yesterday' }), 'manifest-invalid', ['time']],
    ['a number of rows below zero', writeExportManifest({ ...manifest, rows: -1 }), 'manifest-invalid', ['rows']],
  ])('is refused with %s', async (_, text, code, path) => {
    expect(await readExportManifest(text)).toMatchObject({ ok: false, issues: [{ code, path, severity: 'error' }] });
  });

  it('is never taken for events in a folder or by a pattern, but where a path names it', async () => {
    mkdirSync(join(folder.path, 'window'));
    const data = folder.write('window/day.json', '[]');
    const beside = folder.write('window/day.json.manifest.json', writeExportManifest(manifest));
    expect(await findFiles(['window'], folder.path, purpose)).toEqual([data]);
    expect(await findFiles(['window/*.json'], folder.path, purpose)).toEqual([data]);
    expect(await findFiles(['window/day.json.manifest.json'], folder.path, purpose)).toEqual([beside]);
  });
});

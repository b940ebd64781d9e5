import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNotebook } from '../../../src/tell/notebook/read-notebook.ts';
import { type Folder, openFolder } from '../run-in-folder.ts';

const root = new URL('../../..', import.meta.url).pathname;
const reports = readdirSync(path.join(root, 'reports')).filter((file) => file.endsWith('.md') && file !== 'README.md');

let folder: Folder;
beforeAll(async () => {
  folder = openFolder();
  for (const name of ['reports', 'queries', 'funnels'])
    cpSync(path.join(root, name), path.join(folder.root, name), { recursive: true });
  await folder.sluice(['sample', '--count', '20000', '--days', '70', '--to', '2024-03-07']);
});
afterAll(() => folder.remove());

it('there are reports', () => {
  expect(reports.length).toBeGreaterThanOrEqual(3);
});

it('all of them can be asked', async () => {
  const { code, stdout } = await folder.sluice(['report', 'check', '--strict']);
  expect([code, stdout]).toEqual([0, '']);
});

describe.each(reports)('%s', (file) => {
  const text = readFileSync(path.join(root, 'reports', file), 'utf8');

  it('is read, and written back to the byte', () => {
    const read = readNotebook(text, { file });
    expect(read.issues).toEqual([]);
    expect(read.ok && [read.value.frontMatter, ...read.value.blocks].map(({ source }) => source).join('')).toBe(text);
  });

  it('says of the sample events at a fixed clock what it has always said', async () => {
    const { code, stdout } = await folder.sluice(['report', 'run', file.replace(/\.md$/, ''), '--quiet']);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`golden/${file}`);
  });
});

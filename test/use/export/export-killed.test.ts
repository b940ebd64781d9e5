import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { open, type ExportOptions } from '../../../src/use/index.ts';
import { dataOf, treeOf } from './export-tree.ts';
import { folderOf, type Folder } from '../run-in-folder.ts';

const kills = Number(process.env['TEST_KILLS'] ?? 4);
const child = new URL('export-child.ts', import.meta.url).pathname;
const days = 12;
const asked: ExportOptions = { range: ['2024-03-01', '2024-03-12'], concurrency: 3 };

const forms: readonly { readonly to: string; readonly options: ExportOptions }[] = [
  { to: 'out', options: asked },
  { to: 'all.csv.gz', options: asked },
  { to: 'out', options: { ...asked, format: 'parquet' } },
  { to: 'out', options: { ...asked, format: 'json', packing: 'zstd', expand: true } },
];

interface ChildRun {
  readonly killed: boolean;
  readonly said: string;
  readonly ms: number;
}

/** Kills it a number of milliseconds after it started, or after it has committed a number of windows. */
interface Kill {
  readonly windows: number;
  readonly ms: number;
}

async function exportInChild(folder: Folder, { to, options }: (typeof forms)[number], kill?: Kill): Promise<ChildRun> {
  const start = performance.now();
  const running = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', child, folder.root, 'events.parquet', to, JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    if (kill && said.split('"windows":').length > kill.windows)
      timer ??= setTimeout(() => running.kill('SIGKILL'), kill.ms);
  };
  look();
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (text: Buffer) => {
      said += text.toString();
      look();
    });
  }
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
    running.on('close', (_, ended) => resolve(ended));
  });
  clearTimeout(timer);
  return { killed: signal === 'SIGKILL', said, ms: performance.now() - start };
}

/** The same in this process, which need not start. */
async function exportHere(folder: Folder, { to, options }: (typeof forms)[number]): Promise<void> {
  await using sluice = await open({ workspace: folder.root, events: 'events.parquet', env: {} });
  expect(await sluice.export(to, options)).toMatchObject({ outcome: 'done', events: 3000 });
}

/** Visible files are complete: each has a manifest and matches it. */
function checkWhole(folder: Folder, to: string, expected: ReadonlyMap<string, string>): number {
  const files = [...dataOf(folder.root)].filter(([file]) => file === to || file.startsWith(`${to}/`));
  for (const [file, hash] of files) {
    const manifest = JSON.parse(readFileSync(path.join(folder.root, `${file}.manifest.json`), 'utf8')) as {
      readonly sha256: string;
    };
    expect([file, manifest.sha256]).toEqual([file, hash]);
    expect([file, expected.get(file)]).toEqual([file, hash]);
  }
  return files.length;
}

describe('a killed export', () => {
  it(`resumes after any of ${kills} kills and gives the same bytes as without`, {
    timeout: 60_000 + kills * 30_000,
  }, async () => {
    const folder = folderOf();
    await folder.sluice([
      'sample',
      '--count',
      '3000',
      '--days',
      String(days),
      '--to',
      '2024-03-12',
      '-o',
      'events.parquet',
    ]);
    const clear = () => {
      for (const name of ['out', 'all.csv.gz', 'all.csv.gz.manifest.json', '.all.csv.gz.export'])
        rmSync(path.join(folder.root, name), { recursive: true, force: true });
    };
    let seed = 7;
    let killed = 0;
    let partly = 0;
    let { ms: span } = await exportInChild(folder, forms[0]!);
    clear();
    for (const [index, form] of forms.entries()) {
      await exportHere(folder, form);
      const expected = dataOf(folder.root);
      const all = treeOf(folder.root);
      clear();
      const share = Math.ceil((kills * (index + 1)) / forms.length);
      for (let attempt = 0; killed < share && attempt < 3 * kills; attempt += 1) {
        seed = (seed * 48_271) % 2_147_483_647;
        const part = seed / 2_147_483_647;
        // Start-up takes most of the time, so one in three kills comes there.
        const run = await exportInChild(
          folder,
          form,
          seed % 3 === 0
            ? { windows: 0, ms: Math.round(span * 1.05 * part) }
            : { windows: 1 + (seed % days), ms: Math.round(60 * part) },
        );
        killed += run.killed ? 1 : 0;
        if (!run.killed) {
          span = Math.min(span, run.ms);
          expect(run.said).toContain('"events":3000');
        }
        const there = checkWhole(folder, form.to, expected);
        const waits =
          form.to === 'out'
            ? there > 0 && there < days
            : existsSync(path.join(folder.root, '.all.csv.gz.export', '2024-03-01'));
        partly += waits ? 1 : 0;
        // Sometimes start from nothing, so that every phase is covered.
        if (!run.killed || seed % 5 === 0) clear();
      }
      await exportHere(folder, form);
      expect(dataOf(folder.root)).toEqual(expected);
      // Nothing is left over, and nothing is missing. Facts about the events are kept once their file is old enough.
      const names = (tree: ReadonlyMap<string, unknown>) =>
        [...tree.keys()].filter((name) => !/^\.sluice\/cache\/[0-9a-f]+\.answer$/.test(name));
      expect(names(treeOf(folder.root))).toEqual(names(all));
      clear();
    }
    expect(killed).toBeGreaterThan(kills / 3);
    if (process.env['TEST_KILLS'] !== undefined)
      console.log(`${killed} killed, ${partly} times with some windows there`);
  });
});

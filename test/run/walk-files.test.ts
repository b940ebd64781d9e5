import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/run/duckdb/reading/find-files.ts';
import { walkFiles } from '../../src/run/file/walk-files.ts';
import { runs } from '../runs.ts';
import { folderOf } from '../use/run-in-folder.ts';

const names = ['a', 'b', 'ab', '.a', 'a.csv', 'b.csv', 'a b.csv', '.c.csv', 'A.json'];
const purpose = { code: 'events-not-found', what: 'events', hint: '' } as const;
const trees = fc.array(
  fc.record({
    at: fc.array(fc.constantFrom(...names.slice(0, 4)), { maxLength: 3 }),
    name: fc.constantFrom(...names.slice(4)),
  }),
  { minLength: 1, maxLength: 12 },
);
/** Links from one of the folders to another, or to one above it. */
const links = fc.array(
  fc.record({ from: fc.nat(), to: fc.nat(), name: fc.constantFrom('link', 'a', 'b', 'c.csv', 'deep') }),
  { maxLength: 4 },
);
const step = fc.constantFrom('*', '**', 'a', '?', 'a*', '[ab]', '{a,link}', 'link', '.a');
const last = fc.constantFrom('*.csv', '*', '**', 'a.csv', '[ab].csv', '{a,b}*', '*.{csv,json}', 'A.json');
const patterns = fc.oneof(
  fc.tuple(fc.array(step, { maxLength: 3 }), last).map(([steps, end]) => [...steps, end].join('/')),
  fc.constantFrom('{a,b/a}/*.csv', '{a/*,*}/*', '{**/a,link/*}/*.csv'),
);

/**
 * All files below a folder, through links. If the pattern matches at any depth, not through links to folders that they
 * pass through.
 */
function everyFile(folder: string, isEndless: boolean, below = '', above: readonly string[] = []): readonly string[] {
  const real = realpathSync(folder);
  if (isEndless ? above.includes(real) : above.length > 4) return [];
  return readdirSync(folder).flatMap((name) => {
    const full = path.join(folder, name);
    const relative = below === '' ? name : `${below}/${name}`;
    return statSync(full).isDirectory() ? everyFile(full, isEndless, relative, [...above, real]) : [relative];
  });
}

/** Whether a path matches, name by name: `**` stands for any number of names, `*` for a part of one. */
function fits(steps: readonly string[], names: readonly string[]): boolean {
  const [step, ...others] = steps;
  const [name, ...rest] = names;
  if (step === undefined) return name === undefined;
  if (step === '**' && others.length === 0) return names.length > 0 && names.every((one) => !one.startsWith('.'));
  if (step === '**') return fits(others, names) || (name !== undefined && !name.startsWith('.') && fits(steps, rest));
  if (name === undefined || (name.startsWith('.') && !step.startsWith('.'))) return false;
  const text = step.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]*').replaceAll('?', '[^/]');
  return new RegExp(`^${text}$`).test(name) && fits(others, rest);
}

/** The alternatives of one pair of braces, which contain no others. */
function alternatives(pattern: string): readonly string[] {
  const [, before, inside, after] = /^(.*?)\{(.*?)\}(.*)$/.exec(pattern) ?? [];
  if (inside === undefined) return [pattern];
  return inside.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}

describe('the files that a pattern names', () => {
  it('are those of an independent walk through all folders and links, and end where links form a circle', async () => {
    let [found, linked] = [0, 0];
    await fc.assert(
      fc.asyncProperty(trees, links, patterns, async (files, given, pattern) => {
        const { root, remove } = folderOf();
        for (const { at, name } of files) {
          mkdirSync(path.join(root, ...at), { recursive: true });
          writeFileSync(path.join(root, ...at, name), '');
        }
        const folders = [root, ...new Set(files.map(({ at }) => path.join(root, ...at)))];
        for (const { from, to, name } of given)
          try {
            symlinkSync(folders[to % folders.length]!, path.join(folders[from % folders.length]!, name));
          } catch {
            // The name is taken.
          }
        const expected = new Set(
          alternatives(pattern).flatMap((one) => {
            const steps = one.split('/');
            const below = /^([\w.]+\/)*/.exec(one)![0].slice(0, -1);
            const start = path.join(root, below);
            if (!existsSync(start) || !statSync(start).isDirectory()) return [];
            return everyFile(start, steps.includes('**'), below).filter(
              (file) => fits(steps, file.split('/')) && !path.basename(file).startsWith('.'),
            );
          }),
        );
        const walked = await walkFiles(pattern, root);
        expect(walked.map((file) => path.relative(root, file)).sort()).toEqual([...expected].sort());
        found += expected.size;
        linked += [...expected].filter((file) => file.split('/').length > 4).length;
        remove();
      }),
      { numRuns: runs(800), seed: 7 },
    );
    expect(Math.min(found, linked)).toBeGreaterThan(0);
  });

  it('include those of linked folders, whether a pattern or the folder is named', async () => {
    const { root, write } = folderOf({ 'far/deep/c.csv': 'x', 'events/a.csv': 'x', 'events/sub/b.csv': 'x' });
    symlinkSync('../far', path.join(root, 'events', 'link'));
    symlinkSync('../../events', path.join(write('events/sub/d.csv', 'x'), '..', 'circle'));
    for (const pattern of ['events', 'events/**', 'events/**/*.csv', '{events,nothing}/**/*.csv'])
      expect(await findFiles([pattern], root, purpose)).toHaveLength(4);
    expect(await findFiles(['events/*/*/*.csv'], root, purpose)).toEqual([
      path.join(root, 'events/link/deep/c.csv'),
      path.join(root, 'events/sub/circle/a.csv'),
    ]);
  });

  it('are refused if one is a link to nothing, which may hide events', async () => {
    const { root } = folderOf({ 'events/a.csv': 'x', 'events/notes.txt': 'x' });
    const link = (name: string) => symlinkSync('/mnt/gone', path.join(root, 'events', name));
    link('notes.md');
    expect(await findFiles(['events'], root, purpose)).toHaveLength(1);
    link('b.csv');
    for (const pattern of ['events', 'events/*.csv', 'events/b.csv', 'e*/b.csv'])
      await expect(findFiles([pattern], root, purpose)).rejects.toMatchObject({
        code: 'file-vanished',
        message: `${root}/events/b.csv is a link to /mnt/gone, which does not exist.`,
      });
    expect(await findFiles(['events/a*.csv'], root, purpose)).toHaveLength(1);
    link('archive');
    await expect(findFiles(['events/**/a.csv'], root, purpose)).rejects.toMatchObject({ code: 'file-vanished' });
  });

  it('are refused if a folder that may hold some cannot be read', async () => {
    const { root } = folderOf({ 'events/a.csv': 'x', 'events/locked/b.csv': 'x' });
    chmodSync(root, 0o755);
    chmodSync(path.join(root, 'events', 'locked'), 0o000);
    const module = new URL('../../src/run/duckdb/reading/find-files.ts', import.meta.url).href;
    const told = (pattern: string) => {
      const script = `const { findFiles } = await import(${JSON.stringify(module)});
        console.log(await findFiles([${JSON.stringify(pattern)}], ${JSON.stringify(root)}, { code: 'events-not-found' })
          .then((files) => String(files.length), (error) => error.code));`;
      const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', ...user });
      return child.stdout.trim() || child.stderr;
    };
    try {
      expect(['events', 'events/**/*.csv', 'events/*/*.csv', 'events/locked/b.csv', 'events/*.csv'].map(told)).toEqual([
        'EACCES',
        'EACCES',
        'EACCES',
        'EACCES',
        '1',
      ]);
    } finally {
      chmodSync(path.join(root, 'events', 'locked'), 0o755);
    }
  });

  it('in a folder are data files by name; answers and ingest tell which others may hold events', async () => {
    const line = '{"utcTime":"2024-03-06T10:00:00Z"}\n';
    const folder = folderOf({
      'ev/a.ndjson': line,
      'ev/sub/part-00000': line,
      'ev/access.log.1': '',
      'ev/more.tgz': '',
      'ev/more.txt': '',
      'ev/README.md': '',
      'ev/_SUCCESS': '',
      'ev/query.sql': '',
      'logs/access.log': '',
    });
    const told =
      'The folder "ev" has 4 files that are not read, because of their names: "access.log.1", "more.tgz", "more.txt" and others. To read them, name them, such as "ev/*".';
    const { stdout } = await folder.sluice(['query', 'count', '--events', 'ev']);
    expect(stdout).toMatch(/Events +1\n/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(told);
    expect((await folder.sluice(['ingest', 'ev'])).stderr).toContain(told);
    expect((await folder.sluice(['query', 'count', '--events', 'logs'])).stderr).toContain('such as "logs/*"');
    expect((await folder.sluice(['query', 'count', '--events', 'ev/*.ndjson'])).stdout).not.toContain('not read');
    folder.write('ev/b.csv.bz2', Buffer.from('425a6839314159265359', 'hex'));
    expect((await folder.sluice(['query', 'count', '--events', 'ev'])).stderr).toContain('compressed with bzip2');
  });
});

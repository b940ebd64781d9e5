import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { findPlace, optionsOf, splitLine, toBashWord } from '../../../src/use/cli/actions/completion-line.ts';
import { findCandidates } from '../../../src/use/cli/actions/completion-values.ts';
import { finders } from '../../../src/use/cli/actions/completion-words.ts';
import { toProgram } from '../../../src/use/cli/program.ts';
import type { Effects } from '../../../src/use/process/effects.ts';
import { type Folder, openFolder } from '../run-in-folder.ts';

const root = new URL('../../..', import.meta.url).pathname;
/** Names that a shell would run, cut or expand if they were not quoted. */
const hostile = [
  '$(touch ran)',
  '`touch ran`',
  'a b;touch ran',
  "it's",
  'a"b',
  'star*',
  'back\\slash',
  'über',
  '~',
  '$HOME',
  'a&b',
  '-f',
];
const saved = [...hostile, 'top-pages'];
const breaks = ' \t\n"\'><=;|&(:';

let folder: Folder;
beforeAll(() => {
  folder = openFolder({
    ...Object.fromEntries(saved.map((name) => [`queries/${name}.yaml`, ''])),
    'top-file.csv': '',
    'queries/two\nlines.yaml': '',
  });
  const main = folder.write(
    '.bin/main.mjs',
    `import { start } from ${JSON.stringify(path.join(root, 'src/use/cli/main.ts'))};\nawait start();\n`,
  );
  const bin = path.join(folder.root, '.bin', 'sluice');
  writeFileSync(bin, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
  chmodSync(bin, 0o755);
});
afterAll(() => folder.remove());

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await folder.sluice(['completion', 'zsh', '--', ...words]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '');
}

const takesFiles = async (...words: readonly string[]) =>
  (await folder.sluice(['completion', 'zsh', '--', ...words])).stdout.startsWith('files\n');

describe('sluice completion', () => {
  it('offers commands, and the flags of the command and of all', async () => {
    expect(await complete('')).toEqual(expect.arrayContaining(['query', 'init', 'doctor', 'completion', 'help']));
    expect(await complete('mod')).toEqual(['model']);
    expect(await complete('help', 'mod')).toEqual(['model']);
    expect(await complete('query', '--ti')).toEqual(['--time', '--timezone']);
    expect(await complete('query', '--conf')).toEqual(['--config']);
    expect(await complete('query', '--', '--ti')).toEqual([]);
    expect(await complete('--quiet', 'sam')).toEqual(['sample']);
    expect(await complete('--config', 'sample', 'mod')).toEqual(['model']);
  });

  it('offers the values of flags, after a space and after an equals sign', async () => {
    expect(await complete('query', '--fill', '')).toEqual(['auto', 'all', 'none']);
    expect(await complete('query', '--fill=a')).toEqual(['--fill=auto', '--fill=all']);
    expect(await complete('query', '-f', 'js')).toEqual(['json']);
    expect(await complete('query', '-fjs')).toEqual(['-fjson']);
    expect(await complete('query', '-f', 'em')).toEqual([]);
    expect(await complete('usage', '-f', 'csv,em')).toEqual(['csv,eml']);
    expect(await complete('report', 'run', '-f', '')).toEqual(['markdown', 'html', 'pdf', 'json', 'eml']);
    expect(await complete('query', '-f', 'json,cs')).toEqual(['json,csv']);
    expect(await complete('--backend', 'plat')).toEqual(['platform']);
    expect(await complete('query', '--timezone', 'Europe/Berl')).toEqual(['Europe/Berlin']);
    expect(await complete('schema', 'con')).toEqual(['config']);
  });

  it('offers members of the model where they fit', async () => {
    expect(await complete('query', '-m', 'unique')).toEqual(['uniqueUsersCount']);
    expect(await complete('query', '-m', 'docPath')).toEqual([]);
    expect(await complete('query', '-d', 'docPath')).toEqual(['docPath']);
    expect(await complete('query', '-d', 'Sessions.docP')).toEqual(['Sessions.docPath']);
    expect(await complete('query', '-t', 'utc')).toEqual(['utcTime']);
    expect(await complete('query', '-t', 'utcTime:d')).toEqual(['utcTime:day']);
    expect(await complete('query', '--order', 'count:')).toEqual(['count:asc', 'count:desc']);
    expect(await complete('query', '--segment', 'kn')).toEqual(['knownUsers']);
    expect(await complete('model', 'Sess')).toEqual(['Sessions']);
  });

  it('goes by the model and the folder of queries that the configuration names', async () => {
    const other = openFolder({
      'sluice.yaml': 'model: shop.yaml\nqueries: saved\n',
      'saved/best-days.yaml': '',
      'bad.yaml': 'queries: [',
      'shop.yaml': 'cubes:\n  - name: Orders\n    sql_table: orders\n    measures: [{name: paid, type: count}]\n',
    });
    const reply = async (...words: readonly string[]) =>
      (await other.sluice(['completion', 'fish', '--', ...words])).stdout;
    expect(await reply('query', '-m', 'pa')).toBe('names\npaid\n');
    expect(await reply('query', 'be')).toBe('files\nbest-days\tsaved query\n');
    // An invalid configuration hides names, but does not print an error into the line.
    expect(await reply('--config', 'bad.yaml', 'query', 'be')).toBe('files\n');
    other.remove();
  });

  it('leaves files to the shell where they are taken, and nowhere else', async () => {
    for (const words of [['--events', ''], ['query', '-o', ''], ['load', ''], ['query', ''], ['--config=']])
      expect(await takesFiles(...words), words.join(' ')).toBe(true);
    for (const words of [[''], ['query', '-m', ''], ['model', ''], ['sample', '--count', '']])
      expect(await takesFiles(...words), words.join(' ')).toBe(false);
  });

  it('completes a question, in one word or in several, with what is made of measures and the cubes of files', async () => {
    for (const [words, wanted] of [
      [['uniqueUsersCount rol'], 'uniqueUsersCount rolling 28 days'],
      [['uniqueUsersCount rolling 28 days by da'], 'uniqueUsersCount rolling 28 days by day'],
      [['uniqueUsersCount', 'rolling', '28', 'd'], 'days'],
      [['uniqueUsersCount', 'cum'], 'cumulative'],
      [['count', 'by', 'day', 'last 7 days', 'vs', 'prev'], 'previous by weekday'],
      [['count where docP'], 'count where docPath'],
    ] as const)
      expect(await complete('query', ...words), words.join(' ')).toContain(wanted);
    expect(await takesFiles('query', 'count by ')).toBe(false);
  });

  it('leaves out names that no line can hold', async () => {
    const offered = await complete('query', '');
    expect(offered).toEqual(expect.arrayContaining(saved.filter((name) => !name.startsWith('-'))));
    expect(offered.join('\n')).not.toContain('lines');
  });

  it('has something to offer for every flag that has names or files for its values', async () => {
    const effects = { stdout: { isTerminal: false }, env: {} } as Effects;
    const program = toProgram(effects, { help: () => undefined, mistake: () => undefined }, () => undefined);
    const lookup = { model: () => Promise.resolve(builtInModel), saved: () => Promise.resolve([]) };
    const empty: string[] = [];
    const met = new Set<string>();
    const visit = async (command: Command, words: readonly string[]): Promise<void> => {
      for (const option of optionsOf(command)) {
        met.add(option.name());
        const named =
          option.argChoices !== undefined ||
          option.name() in finders ||
          /<.*(file|folder|pattern).*>/.test(option.flags);
        const { candidates, files } = await findCandidates(
          findPlace(program, [...words, option.long ?? '', '']),
          lookup,
        );
        if (named && candidates.length === 0 && !files) empty.push(`${words.join(' ')} ${option.flags}`);
      }
      for (const each of command.commands) await visit(each, [...words, each.name()]);
    };
    await visit(program, []);
    expect(empty).toEqual([]);
    // Finders of renamed flags would never be used.
    expect(Object.keys(finders).filter((name) => !met.has(name))).toEqual([]);
  });

  it('prints the script of the shell that it is asked for, or that one sits in', async () => {
    expect((await folder.sluice(['completion'], { env: { SHELL: '/usr/bin/fish' } })).stdout).toBe(
      (await folder.sluice(['completion', 'fish'])).stdout,
    );
    const { code, stderr } = await folder.sluice(['completion'], { env: { SHELL: '/bin/csh' } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/"csh".*\n.*sluice completion bash/)]);
  });
});

/** Runs a script in a shell, in the folder; returns its output. */
function inShell(shell: string, args: readonly string[], script: string): string {
  const env = {
    ...process.env,
    PATH: `${path.join(folder.root, '.bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder.root,
    COLUMNS: '80',
  };
  const file = folder.write(`.bin/script.${shell}`, script);
  const run = spawnSync(shell, [...args, file], { cwd: folder.root, env, encoding: 'utf8' });
  expect([run.status, run.stderr], run.stdout).toEqual([0, '']);
  return run.stdout;
}

const isThere = (shell: string) => !spawnSync(shell, ['-c', 'true']).error;
const nothingRan = () =>
  expect(
    existsSync(path.join(folder.root, 'ran')) || readdirSync(path.join(folder.root, 'queries')).includes('ran'),
  ).toBe(false);

describe.skipIf(!isThere('bash'))('the script for bash (skipped without one)', () => {
  /** The words with which bash would replace the last one. */
  const completeAll = (lines: readonly string[]) =>
    inShell(
      'bash',
      ['--norc'],
      `
eval "$(sluice completion bash)"
try() { COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'; _sluice; for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done; echo --; }
${lines.map((line) => `try ${shellQuoted(line)}\n`).join('')}`,
    )
      .split('--\n')
      .slice(0, -1)
      .map((text) => text.split('\n').slice(0, -1));

  it('completes the last word, or the part of it after a colon or an equals sign', () => {
    expect(
      completeAll(['sluice doc', 'sluice query -t utcTime:d', 'sluice query --fill=a', 'sluice query "top-p']),
    ).toEqual([['doctor'], ['day'], ['auto', 'all'], ['top-pages']]);
  });

  it('inserts every name so that the shell takes it for one word, to the letter, and runs nothing of it', () => {
    const [offered = []] = completeAll(['sluice query ']);
    const printed = inShell('bash', ['--norc'], offered.map((word) => `printf '%s\\n' ${word}\n`).join(''));
    const words = printed.trimEnd().split('\n');
    expect(words.length).toBe(offered.length);
    expect(words).toEqual(expect.arrayContaining([...saved, 'pageViewsCount']));
    nothingRan();
  });
});

describe.skipIf(!isThere('zsh'))('the script for zsh (skipped without one)', () => {
  it('hands over the words, unquoted, and takes what fits as it is', () => {
    const printed = inShell(
      'zsh',
      ['-f'],
      `
compadd() { print -rl -- "\${(@)values}" }
compset() { : }
_files() { print -r -- '<files>' }
eval "$(sluice completion zsh)"
try() { words=("$@"); CURRENT=$#words; PREFIX=\${words[-1]}; _sluice; print -r -- -- }
try sluice doc
try sluice query -t utcTime:d
try sluice query '\\$(t'
`,
    );
    expect(printed.split('--\n')).toEqual(['doctor\n', 'utcTime:day\n', '$(touch ran)\n<files>\n', '']);
    nothingRan();
  });
});

describe.skipIf(!isThere('fish'))('the script for fish (skipped without one)', () => {
  it('completes as fish itself asks it', () => {
    const printed = inShell(
      'fish',
      ['--no-config'],
      `
sluice completion fish | source
for line in 'sluice doc' 'sluice query -t utcTime:d' 'sluice query \\'$(t' 'sluice query --fill=au' 'sluice load top'
  complete -C $line | string split -f1 \\t
  echo ==
end
`,
    );
    expect(printed.split('==\n')).toEqual([
      'doctor\n',
      'utcTime:day\n',
      '$(touch ran)\n',
      '--fill=auto\n',
      'top-file.csv\n',
      '',
    ]);
    nothingRan();
  });
});

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

describe('a line up to the cursor', () => {
  it('is cut into words as a shell cuts it', () => {
    expect(splitLine('a  "b c" d\\ e \'f\'g')).toMatchObject({ words: ['a', 'b c', 'd e', 'fg'], open: '' });
    expect(splitLine('a ')).toMatchObject({ words: ['a', ''] });
    expect(splitLine('a "b $(c')).toMatchObject({ words: ['a', 'b $(c'], open: '"' });
    expect(splitLine('a --x=b:c', breaks)).toMatchObject({ words: ['a', '--x=b:c'], settled: 6 });
  });

  it('takes back every word that was quoted for it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text)),
        (text) => {
          const quoted = toBashWord(text, { words: [], open: '', settled: 0 });
          expect(splitLine(`x ${quoted}`).words).toEqual(['x', text]);
        },
      ),
    );
  });
});

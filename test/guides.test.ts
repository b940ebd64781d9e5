import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSources } from '../.config/reference-read.ts';
import { type Folder, folderOf } from './use/run-in-folder.ts';

const docs = new URL('../docs/', import.meta.url).pathname;
const built = new URL('../dist/', import.meta.url).pathname;

/** The words of a command, split as a shell does. */
function splitWords(command: string): readonly string[] {
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}

/** The block with the current output of each command. Commands of other programs stay unchanged. */
async function runCommands(folder: Folder, block: string): Promise<string> {
  const parts = block.split(/^(?=\$ )/m);
  const written = [];
  for (const part of parts) {
    const [, command = ''] = /^\$ (.*(?:\\\n.*)*)\n?/.exec(part) ?? [];
    const [program, ...argv] = splitWords(command.replaceAll('\\\n', ' '));
    if (program !== 'sluice' || argv[0] === 'explore') {
      written.push(part);
      continue;
    }
    const { stdout, stderr, code } = await folder.sluice(argv);
    const status = code === 0 ? '' : `(exit code ${code})\n`;
    written.push(
      `$ ${command}\n${`${stdout}${stderr}`.replaceAll(folder.root, '.').replace(/ +$/gm, '').trimEnd()}\n${status}`.replace(
        /\n+$/,
        '\n',
      ),
    );
  }
  return written.join('');
}

/** The output of a program that imports the built package. */
function runProgram(folder: Folder, program: string): string {
  const file = folder.write('program.mts', program.replace(/from 'sluice'/g, `from '${built}index.js'`));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', file], {
    cwd: folder.root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.replaceAll(folder.root, '.');
}

// To update the guides: `npx vitest run … test/guides.test.ts --update`.
it.each(readdirSync(docs).filter((name) => name.startsWith('guide-')))('%s shows the current output', async (name) => {
  const folder = folderOf();
  const guide = readFileSync(path.join(docs, name), 'utf8');
  const parts: string[] = [];
  using sources = openSources();
  let printed = '';
  let end = 0;
  for (const block of guide.matchAll(/^(`{3,})(\w*)(?: title="([^"]+)")?\n([^]*?)^\1$/gm)) {
    const [whole, fence, language, file, text = ''] = block;
    const show = (inside: string) => `${fence}${language}\n${inside.trimEnd()}\n${fence}`;
    if (file) folder.write(file, text);
    if (language === 'ts') {
      expect(sources.mistakes(text)).toEqual([]);
      printed = runProgram(folder, text);
    }
    parts.push(guide.slice(end, block.index));
    parts.push(
      language === 'console' ? show(await runCommands(folder, text)) : language === 'text' ? show(printed) : whole,
    );
    end = block.index + whole.length;
  }
  parts.push(guide.slice(end));
  await expect(parts.join('')).toMatchFileSnapshot(path.join(docs, name));
});

it('programs run on the oldest supported Node: they have no `await using`', () => {
  const pages = [
    ['README.md', readFileSync(new URL('../README.md', import.meta.url), 'utf8')] as const,
    ...readdirSync(docs, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name, readFileSync(docs + name, 'utf8')] as const),
  ];
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter(([, text]) => /^\s*await using /m.test(text)).map(([name]) => name)).toEqual([]);
});

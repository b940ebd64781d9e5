import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, openFolder } from './use/run-in-folder.ts';

const root = new URL('../', import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, 'utf8');
const analyses = readFileSync(`${root}docs/analyses.md`, 'utf8');

interface Shown {
  readonly command: string;
  readonly output: string;
}

/** The commands of the console blocks that show their output. */
function shownIn(text: string): readonly Shown[] {
  return [...text.matchAll(/^```console\n([^]*?)^```/gm)]
    .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
    .map((part) => {
      const [command = '', ...lines] = part.split('\n');
      return { command, output: lines.join('\n').trim() };
    })
    .filter(({ output }) => output !== '');
}

/** The words of a command; quoted text is one word. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
}

let sample: Folder;
let own: Folder;
beforeAll(() => {
  sample = openFolder();
  for (const name of ['queries', 'funnels'])
    cpSync(`${root}${name}`, path.join(sample.root, name), { recursive: true });
  own = openFolder({ 'shop.csv': /^```csv\n([^]*?)^```/m.exec(readme)?.[1] ?? '' });
});
afterAll(() => {
  sample.remove();
  own.remove();
});

/** Runs the commands in order. Messages use another stream, and may come before or after the result. */
async function expectShown(folder: Folder, shown: readonly Shown[]): Promise<void> {
  for (const { command, output } of shown) {
    const ran = await folder.sluice(wordsOf(command));
    // Each command repeats which events it uses.
    const stderr = ran.stderr.replace(/^No events are configured\. .*\n/, '').trim();
    const stdout = ran.stdout.trim();
    const texts = [`${stdout}\n\n${stderr}`, `${stderr}\n${stdout}`].map((text) => text.trim());
    const printed = texts.find((text) => text.startsWith(output)) ?? texts[0] ?? '';
    // The table below the bars of a funnel is left out.
    expect(command.startsWith('sluice funnel') ? printed.slice(0, output.length) : printed, command).toBe(output);
  }
}

const [fiveMinutes = ''] = /^## Five minutes\n[^]*?^## /m.exec(readme) ?? [];
const isOwn = ({ command }: Shown) =>
  command.includes('shop.csv') || /'(?:count|pageViewsCount, uniqueUsersCount by docPath)'$/.test(command);

describe('the README', () => {
  it('shows the current output of commands on the sample', async () => {
    const shown = shownIn(fiveMinutes).filter((one) => !isOwn(one) && !one.command.includes('events/*'));
    expect(shown.length).toBeGreaterThan(4);
    await expectShown(sample, shown);
  });

  it('shows the current output of commands on a file with unknown columns', async () => {
    const shown = shownIn(fiveMinutes).filter(isOwn);
    expect(shown).toHaveLength(3);
    await expectShown(own, shown);
  });

  it('shows queries that the sample can answer', async () => {
    await sample.sluice(['sample', '--if-missing']);
    const [, questions = ''] = /^## Questions\n[^]*?^```text\n([^]*?)^```/m.exec(readme) ?? [];
    const lines = questions.trim().split('\n');
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) {
      const { code, stdout } = await sample.sluice(['query', line, '-f', 'csv']);
      expect([code, stdout.split('\n').length > 2], line).toEqual([0, true]);
    }
  });
});

describe('the page of analyses', () => {
  it('shows the current output of commands on the sample', async () => {
    const shown = shownIn(analyses);
    expect(shown.length).toBeGreaterThan(1);
    await sample.sluice(['sample', '--if-missing']);
    await expectShown(sample, shown);
  });
});

describe('the documentation', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)].filter(
    (name) => name.endsWith('.md'),
  );

  /** Anchors of headings as code hosts write them. */
  const anchorsOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\d _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it.each(pages)('%s links to files and headings that exist', (page) => {
    for (const [, target = '', anchor] of readFileSync(root + page, 'utf8').matchAll(
      /\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g,
    )) {
      const file = target === '' ? root + page : path.join(root, path.dirname(page), target);
      expect(existsSync(file), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(file), `${target}#${anchor}`).toContain(anchor);
    }
  });
});

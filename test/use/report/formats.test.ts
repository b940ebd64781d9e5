import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareOf } from '../../runs.ts';
import { writeReportHtml } from '../../../src/tell/report/report-to-html.ts';
import { noBrowser, openBrowser, type TestBrowser } from '../../chromium.ts';
import { exampleResult, numberColumn, textColumn } from '../../show/example-result.ts';
import { attack, cellOf, everything, proseOf, reportOf } from '../../tell/report/specimen-reports.ts';
import { fewEvents, type Folder, folderOf, openFolder } from '../run-in-folder.ts';
import { digestReports } from './write-child.ts';

const root = new URL('../../..', import.meta.url).pathname;
const reports = readdirSync(path.join(root, 'reports'))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => path.parse(file).name);

let folder: Folder;
const out = (file: string) => path.join(folder.root, 'out', file);
beforeAll(async () => {
  folder = openFolder();
  for (const name of ['reports', 'queries', 'funnels'])
    cpSync(path.join(root, name), path.join(folder.root, name), { recursive: true });
  await folder.sluice(['sample', '--count', '20000', '--days', '70', '--to', '2024-03-07']);
  for (const name of reports)
    await folder.sluice(['report', 'run', name, '-f', 'html,json,md,eml', '-o', 'out/', '--quiet']);
});
afterAll(() => folder.remove());

describe.each(reports)('the report %s of the sample events at a fixed clock', (name) => {
  it('is the page that it has always been', async () => {
    // Other tests cover how charts are drawn.
    const page = readFileSync(out(`${name}.html`), 'utf8').replace(
      /(<svg[^>]*>)(<title>.*?<\/desc>)?.*?<\/svg>/gs,
      '<svg>$2</svg>',
    );
    await expect(page.slice(page.indexOf('<body>')).replaceAll('><', '>\n<')).toMatchFileSnapshot(
      `golden/${name}.html`,
    );
  });

  it('is the JSON that it has always been', async () => {
    await expect(
      `${JSON.stringify(JSON.parse(readFileSync(out(`${name}.json`), 'utf8')), null, 1)}\n`,
    ).toMatchFileSnapshot(`golden/${name}.json`);
  });

  it('is the email that it has always been', async () => {
    const { text = '', html = '' } = await PostalMime.parse(readFileSync(out(`${name}.eml`)));
    await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
    await expect(html).toMatchFileSnapshot(`golden/${name}.email.html`);
  });

  it('has beside it the pictures that its Markdown shows, and no others', () => {
    const shown = [...readFileSync(out(`${name}.md`), 'utf8').matchAll(/^!\[.*\]\((.*)\)$/gm)].map(
      ([, place]) => place ?? '',
    );
    expect(shown.length).toBeGreaterThan(0);
    expect(
      readdirSync(out(`${name}.assets`))
        .map((file) => `${name}.assets/${file}`)
        .sort(),
    ).toEqual([...new Set(shown)].sort());
  });
});

it('the same report gives the same bytes in every zone and language', async () => {
  const here = await digestReports();
  expect(here).toHaveLength(4);
  const file = new URL('write-child.ts', import.meta.url).pathname;
  for (const env of [
    { LANG: 'C', TZ: 'America/Los_Angeles' },
    { LANG: 'ar_EG.UTF-8', LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Kathmandu', FONTCONFIG_FILE: '/nowhere', HOME: '/nowhere' },
  ]) {
    const { stdout, stderr } = spawnSync(process.execPath, [file, 'digest'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(here);
  }
});

describe('pictures beside a report', () => {
  const report = (preference: string) =>
    `---\ntitle: Days\n---\n\n# Days\n\n\`\`\`query\nname: d\ntitle: A day\nquery:\n  measures: [TrackedEvents.count]\n  timeDimensions:\n    - {dimension: TrackedEvents.utcTime, granularity: day, dateRange: [2024-03-05, 2024-03-07]}\nchart: ${preference}\n\`\`\`\n`;
  const files = {
    'events.ndjson': fewEvents,
    'sluice.yaml': 'events: events.ndjson\n',
    'reports/days.md': report('line'),
  };

  it('go when another report takes its place; what others put there stays', async () => {
    const own = folderOf(files);
    const run = () => own.sluice(['report', 'run', 'days', '-o', 'days.md']);
    expect((await run()).code).toBe(0);
    const [before = ''] = readdirSync(path.join(own.root, 'days.assets'));
    own.write('days.assets/mine.txt', 'x');
    own.write('reports/days.md', report('column'));
    expect((await run()).code).toBe(0);
    const after = readdirSync(path.join(own.root, 'days.assets'));
    expect(after).toContain('mine.txt');
    expect(after).not.toContain(before);
    expect(after).toHaveLength(2);
  });

  it('of a report with failures lie beside that one, and go with it', async () => {
    const own = folderOf(files);
    const run = () => own.sluice(['report', 'run', 'days', '-o', 'days.md']);
    await run();
    const before = readdirSync(path.join(own.root, 'days.assets'));
    own.write(
      'reports/days.md',
      `${report('column')}\n\`\`\`check\nexpect:\n  - {figure: d.count.total, atLeast: 10}\n\`\`\`\n`,
    );
    expect((await run()).code).toBe(1);
    expect(readdirSync(path.join(own.root, 'days.assets'))).toEqual(before);
    expect(readdirSync(path.join(own.root, 'days.failed.assets'))).toHaveLength(1);
    own.write('reports/days.md', report('line'));
    expect((await run()).code).toBe(0);
    expect(
      readdirSync(own.root)
        .filter((name) => name.startsWith('days'))
        .sort(),
    ).toEqual(['days.assets', 'days.md']);
  });
});

it('an email is addressed by flags, and refuses what is no address', async () => {
  const own = folderOf({
    'reports/a.md': '---\ntitle: A\n---\n\nHello.\n',
    'events.ndjson': fewEvents,
    'sluice.yaml': 'events: events.ndjson\n',
  });
  const { code, stdout } = await own.sluice([
    'report',
    'run',
    'a',
    '-f',
    'eml',
    '--from',
    'a@example.org',
    '--to',
    'b@example.org',
    '--to',
    'c@example.org',
    '--subject',
    'S',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Auto-Submitted: auto-generated\r\nFrom: a@example\.org\r\nTo: b@example\.org, c@example\.org\r\nSubject: S\r\n/,
  );
  const refused = await own.sluice(['report', 'run', 'a', '-f', 'eml', '--to', 'b@example.org\nBcc: x@example.org']);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('is not an email address');
});

it('usage is a page, too: chart, tables, and what is to be known of them', async () => {
  const { code, stdout } = await folder.sluice(['usage', '-f', 'html', '--quiet']);
  expect(code).toBe(0);
  for (const words of [
    '<h1>Usage in February 2024</h1>',
    '<svg ',
    '<caption>March 2024, in progress</caption>',
    'Events are counted by the time at which they happened',
    '<li id="source-1">2023-09-01 to',
  ])
    expect(stdout).toContain(words);
});

describe.skipIf(noBrowser)(`reports in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: TestBrowser;
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const pageOf = async (name: string) =>
    name === 'everything'
      ? writeReportHtml(everything)
      : name === 'attack'
        ? writeReportHtml(attack)
        : readFileSync(out(`${name}.html`), 'utf8');
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it.each([...shareOf(reports, 0, 2), 'everything', 'attack'])(
    '%s opens without an error or a request, is accessible, light and dark, and not wider than a telephone',
    async (name) => {
      const html = await pageOf(name);
      for (const options of [
        { colorScheme: 'light' },
        { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
      ] as const) {
        await using opened = await browser.open(html, options);
        expect(
          await opened.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        ).toBe(0);
        await opened.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
        await opened.page.evaluate(axe);
        const violations = await opened.page.evaluate<string[]>(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))",
        );
        expect(violations).toEqual([]);
        expect(opened.said).toEqual([]);
        expect(opened.requests).toEqual([]);
      }
    },
  );

  it.each(reports)('the email of %s fits a telephone, and what is wider is moved sideways', async (name) => {
    const { html = '' } = await PostalMime.parse(readFileSync(out(`${name}.eml`)));
    const picture = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
    await using opened = await browser.open(html.replaceAll(/cid:[^"]+/g, picture), {
      viewport: { width: 390, height: 800 },
    });
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect([opened.requests, opened.said]).toEqual([[], []]);
    await opened.page.evaluate(axe);
    const violations = await opened.page.evaluate<string[]>(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))",
    );
    expect(violations).toEqual([]);
  });

  it('is light on paper, without contents, and folds nothing away that the report shows', async () => {
    await using opened = await browser.open(await pageOf('engagement'), { colorScheme: 'dark' });
    await opened.page.emulateMedia({ media: 'print' });
    expect(
      await opened.page.evaluate(`({
      ground: getComputedStyle(document.body).backgroundColor,
      contents: document.querySelector('nav').getBoundingClientRect().height,
      asked: document.querySelector('details.asked tbody tr:last-child').checkVisibility({ contentVisibilityAuto: true }),
      short: getComputedStyle(document.querySelector('.short')).breakInside,
      offered: document.querySelector('details.offered').getBoundingClientRect().height,
    })`),
    ).toEqual({ ground: 'rgb(255, 255, 255)', contents: 0, asked: true, short: 'avoid', offered: 0 });
  });

  it('keeps a tall chart on one page with its heading, on any paper', async () => {
    const groups = Array.from({ length: 20 }, (_, index) => `Group ${index}`);
    const tall = exampleResult([
      [textColumn('group', 'Group'), groups],
      [numberColumn('count', 'Events'), groups.map((_, index) => 100 + index)],
      [numberColumn('sum', 'Amount'), groups.map((_, index) => index - 10.5)],
    ]);
    const part = { kind: 'chart', result: tall, preference: 'bar', annotations: [] } as const;
    const report = reportOf([
      proseOf('# Tall\n\n## The first\n'),
      cellOf([part], { title: 'One' }),
      proseOf('## The second\n'),
      cellOf([part], { title: 'Two' }),
    ]);
    await using opened = await browser.open(await writeReportHtml(report));
    for (const format of ['A4', 'Letter'])
      for (const landscape of [false, true]) {
        const pdf = (await opened.page.pdf({ format, landscape })).toString('latin1');
        // The heading of the report, a page for each chart, and the sources.
        expect([format, landscape, pdf.match(/\/Type \/Page\b/g)?.length]).toEqual([format, landscape, 4]);
      }
  });
});

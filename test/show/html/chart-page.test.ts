import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toChart } from '../../../src/show/to-chart.ts';
import { toChartPage } from '../../../src/show/html/chart-page.ts';
import { writeHtmlPage } from '../../../src/show/html/write-html-page.ts';
import { toSvg } from '../../../src/show/picture/to-svg.ts';
import { findFonts } from '../../../src/use/output/fonts.ts';
import { noBrowser, openBrowser, type TestBrowser } from '../../chromium.ts';
import { specimens } from '../chart/specimens.ts';
import { toSpecimenSpec } from '../picture/pictures.ts';

function toPage(name: string): Promise<string> {
  const { result, ...asked } = specimens[name]!;
  return toChartPage(toChart(result, asked), result);
}

const shown = [
  'line-annotated',
  'funnel',
  'heatmap-cohorts',
  'labels-of-the-world',
  'no-rows',
  'hostile',
  'long-title',
];

describe('chart pages', () => {
  it('load nothing and run nothing', async () => {
    const page = await toPage('hostile');
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'">/,
    );
    const tags = page.match(/<[a-z][^>]*>/gi) ?? [];
    expect(
      tags.filter((tag) =>
        /^<(?:script|link|iframe|object|embed|img|base|form|a)\b|\s(?:on\w+|style|href|src)=/i.test(tag),
      ),
    ).toEqual([]);
  });

  it('allow only their own style sheet, byte for byte', () => {
    const page = writeHtmlPage({ title: '</title>"&', css: 'p { color: red; }', body: '<p>Hello</p>' });
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
    expect(page).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(page).toContain('<title>&lt;/title&gt;&quot;&amp;</title>');
  });

  it('are the same every time', async () => {
    expect(await toPage('line-of-series')).toBe(await toPage('line-of-series'));
  });
});

describe.skipIf(noBrowser)(`a page with a chart in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: TestBrowser;
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it.each(shown)('open without an error or a request, and are accessible, light and dark: %s', async (name) => {
    const html = await toPage(name);
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await browser.open(html, { colorScheme });
      await opened.page.evaluate(axe);
      const violations = await opened.page.evaluate<string[]>(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))",
      );
      expect(violations).toEqual([]);
      expect(opened.said).toEqual([]);
      expect(opened.requests).toEqual([]);
    }
  });

  it("follow the reader's light or dark preference, and are light on paper", async () => {
    const html = await toPage('line');
    const look = async (colorScheme: 'light' | 'dark', media?: 'print') => {
      await using opened = await browser.open(html, { colorScheme });
      if (media) await opened.page.emulateMedia({ media });
      return await opened.page.evaluate<
        string[]
      >(`[['body', 'background-color'], ['.wide path[stroke-width]', 'stroke']]
        .map(([selector, property]) => getComputedStyle(document.querySelector(selector)).getPropertyValue(property))`);
    };
    const light = await look('light');
    expect(light).toEqual(['rgb(255, 255, 255)', 'rgb(0, 114, 178)']);
    expect(await look('dark')).toEqual(['rgb(20, 23, 28)', 'rgb(86, 180, 233)']);
    expect(await look('dark', 'print')).toEqual(light);
  });

  it('fit a phone, and draw the chart for that width', async () => {
    for (const name of ['line-annotated', 'funnel', 'labels-of-the-world', 'long-title']) {
      await using opened = await browser.open(await toPage(name), { viewport: { width: 390, height: 800 } });
      const { wide, narrow, over } = await opened.page.evaluate<{ wide: number; narrow: number; over: number }>(`({
        wide: document.querySelector('.wide').getBoundingClientRect().width,
        narrow: document.querySelector('.narrow svg').getBoundingClientRect().width,
        over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      })`);
      expect([name, wide, over]).toEqual([name, 0, 0]);
      expect(narrow).toBeGreaterThan(300);
    }
  });

  it('have room for every label in the measured font: all specimens', async () => {
    const fonts = findFonts();
    const face = (weight: number, file: string) =>
      `@font-face { font-family: "Noto Sans"; font-weight: ${weight}; src: url(data:font/ttf;base64,${readFileSync(file).toString('base64')}); }`;
    const names = Object.keys(specimens);
    const drawings = await Promise.all(
      names.map(async (name) => `<div id="${name}">${await toSvg(toSpecimenSpec(name))}</div>`),
    );
    const style = `<style>${face(400, fonts['noto-sans'])}${face(600, fonts['noto-sans-semibold'])}</style>`;
    await using opened = await browser.open(`<!doctype html><meta charset="utf-8">${style}${drawings.join('\n')}`);
    const clashes = await opened.page.evaluate<string[]>(`(${findClashes})()`);
    expect(clashes).toEqual([]);
    expect(opened.said).toEqual([]);
  });
});

/**
 * Runs in the page. Finds labels that overlap, or that cross the edge of their picture. Ascents and descents may
 * overlap.
 */
const findClashes = `async () => {
  await document.fonts.ready;
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const lines = [...svg.querySelectorAll('text')].flatMap((text) => (text.querySelector('tspan') ? [...text.querySelectorAll('tspan')] : [text]));
    const upright = lines.filter((line) => !line.closest('[transform*=rotate]'));
    const boxes = upright.map((line) => ({ text: line.textContent, box: line.getBoundingClientRect() })).map(({ text, box }) => ({ text, box, rise: box.height * 0.2 }));
    for (const [index, { text, box, rise }] of boxes.entries()) {
      if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(svg.parentElement.id + ': ' + text + ' is cut');
      for (const other of boxes.slice(index + 1)) {
        const apart = box.right <= other.box.left + 1 || other.box.right <= box.left + 1 || box.bottom - rise <= other.box.top + other.rise || other.box.bottom - other.rise <= box.top + rise;
        if (!apart) found.push(svg.parentElement.id + ': ' + text + ' stands in ' + other.text);
      }
    }
  }
  return found;
}`;

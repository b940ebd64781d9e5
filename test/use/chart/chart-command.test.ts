import { stripVTControlCharacters } from 'node:util';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, toChart, toPng, toSvg, toText, toVegaLite, writeResult } from '../../../src/use/index.ts';
import { findSchemaErrors } from '../../show/chart/valid-spec.ts';
import { fewEvents, now, folderOf, openFolder, type Folder } from '../run-in-folder.ts';

const annotations = '- {date: 2024-03-07, title: Release 2.0, kind: release}\n';
let folder: Folder;
beforeAll(() => {
  folder = openFolder({
    'events.ndjson': fewEvents,
    'queries/daily.yaml':
      'title: Views a day\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: last 7 days}]}\nchart: line\n',
    'queries/wide.yaml':
      'query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath]}\nchart: {height: {step: 40}}\n',
    'queries/wrong.yaml':
      'query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath]}\nchart: line\n',
    'funnels/buy.yaml':
      'seconds_to_convert: 86400\nsteps:\n  - {name: home, target: /, action: pageview}\n  - {name: docs, target: /docs, action: pageview}\n',
    'reports/annotations.yaml': annotations,
  });
});
afterAll(() => folder.remove());

const sluice = (...argv: readonly string[]) => folder.sluice([...argv, '--events', 'events.ndjson', '--quiet']);
const bytes = (name: string) => readFileSync(path.join(folder.root, name));
const text = (name: string) => bytes(name).toString('utf8');

describe('the title of a chart', () => {
  it.each([
    ['users by count per user', 'Unique users by events per user'],
    ['users by first touch agentName', 'Unique users by first-touch browser'],
    ['count, distinct(docPath) by eventType', 'Events, different values of page by event type'],
    ['count, 100 * pageViewsCount / users by eventType', 'Events, 100 * page views / unique users by event type'],
    ['count / users, count - pageViewsCount by day', 'Events / unique users, events - page views by day'],
  ])('has a capital only at its beginning: %s', async (line, title) => {
    const { stdout } = await sluice('query', line, '-f', 'vega-lite');
    expect(JSON.parse(stdout).title.text).toEqual([title]);
  });
});

describe('sluice query -f chart', () => {
  it('draws in 80 cells on a pipe, with annotations and notes below', async () => {
    const { code, stdout, stderr } = await sluice('query', 'daily', '-f', 'chart');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['Views a day', 'Events by day · 2024-03-01 to 2024-03-07 · UTC']);
    expect(lines.slice(-3)).toEqual([
      '1  2024-03-07  Release 2.0 (release)',
      '○ filled: there were no rows.',
      'No events before 2024-03-06: earlier days of the range may lack data.',
    ]);
    expect(stdout).toMatch(/[⠀-⣿]/);
    expect(stdout).not.toMatch(/\u001b/);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  });

  it('has the width and the colours of the terminal', async () => {
    const { stdout } = await folder.sluice(['query', 'daily', '-f', 'chart', '--events', 'events.ndjson', '--quiet'], {
      terminal: { columns: 60, rows: 30 },
      env: { TERM: 'xterm-256color' },
    });
    expect(stdout).toMatch(/\u001b\[/);
    for (const line of stdout.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    expect(stdout.split('\n').some((line) => stringWidth(line) > 55)).toBe(true);
  });

  it('uses a large screen, but leaves room for the prompt', async () => {
    const drawn = async (columns: number, rows: number) => {
      const { stdout } = await folder.sluice(
        ['query', 'daily', '-f', 'chart', '--events', 'events.ndjson', '--quiet'],
        {
          terminal: { columns, rows },
        },
      );
      const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
      return { width: Math.max(...lines.map((line) => stringWidth(line))), lines: lines.length };
    };
    const large = await drawn(200, 50);
    expect(large.width).toBeGreaterThan(180);
    expect(large.lines).toBeGreaterThan(30);
    expect(large.lines).toBeLessThan(45);
    expect((await drawn(80, 24)).lines).toBeLessThan(24);
  });

  it('prefers --chart to the chart of the query, and supports --ascii', async () => {
    const { stdout } = await sluice('query', 'daily', '-f', 'chart', '--chart', 'column', '--ascii');
    expect(stdout).not.toMatch(/[⠀-⣿█]/);
    expect(stdout).toContain('#');
  });

  it('draws a chart if only its kind is given', async () => {
    const drawn = await sluice('query', 'daily', '-f', 'chart', '--chart', 'column');
    expect(drawn.stdout).toMatch(/[█▇▆▅]/);
    expect(await sluice('query', 'daily', '--chart', 'column')).toEqual(drawn);
    expect((await sluice('query', 'daily', '--chart', 'column', '-f', 'csv')).stdout).toContain(',');
  });

  it('sends a picture on request, and explains it if the terminal cannot show one', async () => {
    const there = { terminal: { columns: 80, rows: 30 }, env: { TERM: 'xterm-kitty' } };
    const argv = ['query', 'daily', '-f', 'chart', '--picture', 'auto', '--events', 'events.ndjson', '--quiet'];
    expect((await folder.sluice(argv, there)).stdout).toMatch(/^\u001b_Gf=100/);
    const { code, stderr } = await folder.sluice(argv, { ...there, env: { TERM: 'xterm' } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--picture kitty')]);
    expect((await folder.sluice(argv)).stdout).toMatch(/[⠀-⣿]/);
  });

  it('reports what a preference lacks', async () => {
    expect(await sluice('query', 'wrong', '-f', 'chart')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('cannot be drawn as line') as string,
    });
    expect(await sluice('query', '--ungrouped', '-d', 'docPath', '-f', 'chart')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to draw') as string,
    });
  });

  it('reports mistakes in the annotations', async () => {
    folder.write('reports/annotations.yaml', '- {date: soon, title: x}\n');
    const { code, stderr } = await sluice('query', 'daily', '-f', 'chart');
    folder.write('reports/annotations.yaml', annotations);
    expect([code, stderr]).toEqual([2, expect.stringContaining('annotations.yaml:1')]);
  });
});

describe('a picture of an answer', () => {
  it('is written in the format of the extension', async () => {
    for (const name of ['a.svg', 'a.png', 'a.html', 'a.vl.json', 'a.chart.txt', 'a.svg.gz'])
      expect(await sluice('query', 'daily', '-o', name), name).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(text('a.svg')).toMatch(/^<svg [^>]*role="img"[\s\S]*<\/svg>\n$/);
    expect(text('a.svg')).toContain('Release 2.0 (release)');
    expect(bytes('a.png').subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(text('a.html')).toContain('<h1>Views a day</h1>');
    expect(findSchemaErrors(JSON.parse(text('a.vl.json')) as object)).toEqual([]);
    expect(text('a.chart.txt')).toContain('Views a day');
    expect([...bytes('a.svg.gz').subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  });

  it('is one of several files in a folder, each with its name', async () => {
    await sluice('query', 'daily', '-f', 'table,chart,svg,vl,json', '-o', 'all');
    expect(readdirSync(path.join(folder.root, 'all')).sort()).toEqual([
      'daily.chart.txt',
      'daily.json',
      'daily.svg',
      'daily.txt',
      'daily.vl.json',
    ]);
  });

  it('includes the fragment of its query', async () => {
    const { stdout } = await sluice('query', 'wide', '-f', 'vega-lite');
    expect(JSON.parse(stdout)).toMatchObject({ height: { step: 40 } });
  });

  it('has a dark background with --theme', async () => {
    expect((await sluice('query', 'daily', '-f', 'svg', '--theme', 'dark')).stdout).toContain('#14171c');
  });

  it('is not sent to a terminal as bytes', async () => {
    const { code, stderr } = await folder.sluice(['query', 'daily', '-f', 'png', '--events', 'events.ndjson'], {
      terminal: { columns: 80, rows: 30 },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('-o answer.png')]);
  });

  it('reports characters without a glyph once if it is a bitmap', async () => {
    const korean = folderOf({
      'k.ndjson':
        '{"utcTime":"2024-03-06T10:00:00.000","userAnonymousId":"a","eventType":"pageview","docPath":"/한국"}\n',
      'reports/k.md':
        '---\ntitle: k\n---\n\n```query\nquery: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath]}\nchart: bar\n```\n',
    });
    const boxes =
      'The image shows empty boxes for 2 characters that its fonts do not have: 국 한. Write .svg or .html to use the fonts of the viewer.\n';
    const draw = async (name: string) =>
      (await korean.sluice(['query', 'count by docPath', '--events', 'k.ndjson', '-o', name, '--quiet'])).stderr;
    expect([await draw('k.png'), await draw('k.svg'), await draw('k.html')]).toEqual([boxes, '', '']);
    expect((await korean.sluice(['report', 'run', 'k', '--events', 'k.ndjson', '-o', 'k.eml', '--quiet'])).stderr).toBe(
      boxes,
    );
    expect((await korean.sluice(['report', 'run', 'k', '--events', 'k.ndjson', '-o', 'k.md', '--quiet'])).stderr).toBe(
      '',
    );
  });

  it('shows the ranges of a comparison next to each other', async () => {
    const stdin =
      '{"measures": ["TrackedEvents.count"], "timeDimensions": [{"dimension": "TrackedEvents.utcTime", "compareDateRange": ["2024-03-07", "2024-03-06"]}]}';
    const { stdout } = await folder.sluice(['query', '-', '-f', 'chart', '--events', 'events.ndjson', '--quiet'], {
      stdin,
    });
    expect(stdout).toContain('−33.3% from 3 (2024-03-06)');
  });
});

describe('the queries of the workspace', () => {
  it('are all drawn with their preferences', async () => {
    const own = path.resolve(import.meta.dirname, '../../../queries');
    const names = readdirSync(own).filter((name) => name.endsWith('.yaml'));
    for (const name of names) folder.write(`whole/queries/${name}`, readFileSync(path.join(own, name)));
    const { code, stderr } = await folder.sluice(
      ['query', '--all-saved', '-f', 'vega-lite', '-o', 'drawn', '--events', '../events.ndjson', '--quiet'],
      { cwd: 'whole' },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // Files that define cubes are in the same folder as the queries.
    const questions = names.filter((name) => /^query:/m.test(readFileSync(path.join(own, name), 'utf8')));
    for (const name of questions)
      expect(
        findSchemaErrors(JSON.parse(text(`whole/drawn/${path.parse(name).name}.vl.json`)) as object),
        name,
      ).toEqual([]);
  });
});

describe('sluice funnel run', () => {
  it.each(['chart', 'svg', 'vega-lite', 'html'])('draws the funnel as %s, with conversions', async (format) => {
    const { code, stdout } = await sluice('funnel', 'run', 'buy', '-f', format);
    expect(code).toBe(0);
    for (const words of ['1 home', '2 docs', '50.0% continued, 1 dropped off']) expect(stdout).toContain(words);
  });

  it('draws its trend as lines', async () => {
    const { stdout } = await sluice(
      'funnel',
      'run',
      'buy',
      '--trend',
      'day',
      '--range',
      '2024-03-01..2024-03-07',
      '-f',
      'vega-lite',
    );
    const { description } = JSON.parse(stdout) as { readonly description: string };
    expect(description).toMatch(/^Line chart: buy: conversion from home by day of entry\./);
  });
});

describe('the library', () => {
  it('draws results, charts and specifications', async () => {
    await using opened = await open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now });
    const result = await opened.query('count by docPath');
    const chart = await toChart(result, { title: 'Paths' });
    const spec = await toVegaLite(chart);
    expect([chart.kind, chart.title]).toEqual(['bar', 'Paths']);
    expect(findSchemaErrors(spec)).toEqual([]);
    expect(await toVegaLite(spec)).toBe(spec);
    expect(await toSvg(chart)).toBe(await toSvg(spec));
    expect(await toSvg(result, { title: 'Paths' })).toBe(await toSvg(spec));
    expect((await toPng(result)).subarray(1, 4)).toEqual(new TextEncoder().encode('PNG'));
    expect(await toText(chart, { width: 50 })).toMatch(/^Paths\nEvents by page\n/);
    await writeResult(result, path.join(folder.root, 'b.svg'), { chart: { title: 'Paths' } });
    expect(text('b.svg')).toBe(await toSvg(spec));
    await opened.write('daily', path.join(folder.root, 'c.svg'));
    expect(text('c.svg')).toContain('>Views a day<');
  });
});

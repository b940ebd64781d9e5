import { formatCount } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result/result.ts';
import { toFooter } from '../../show/chart/vega-lite/to-vega-lite.ts';
import { type ChartFigure, toChartFigure } from '../../show/html/chart-figure.ts';
import { keepDates, writeHtmlTable } from '../../show/html/html-table.ts';
import { withoutBlank, writeSplitTables } from '../../show/html/split-columns.ts';
import { toPageStyle, writeHtmlPage } from '../../show/html/write-html-page.ts';
import { toShownXml } from '../../show/labels/escape-xml.ts';
import { toNotes } from '../../show/labels/notes.ts';
import { describeSource } from './describe-source.ts';
import { type ChartPart, drawPart, isShownAsTable } from './draw-part.ts';
import { type Heading, openOutline } from './outline.ts';
import { renderBlocks } from './render-blocks.ts';
import type {
  Report,
  ReportBlock,
  ReportCell,
  ReportCheck,
  ReportChecks,
  ReportFailure,
  ReportPart,
} from './report.ts';
import { seriesOfStats, drawGauge, drawSparkline, describeStat, trendOf } from './trend.ts';
import {
  describeReport,
  nameOf,
  startsWithHeading,
  describeProblems,
  toProblems,
  warningsOf,
  describeCheck,
} from './summary.ts';

/** A block as HTML, and the rules of the charts in it. */
interface HtmlBlock {
  readonly html: string;
  readonly rules: readonly ChartFigure['rules'][];
}

/** The paper to print on; undefined for the screen. */
type Paper = 'A4' | undefined;

interface HtmlPlace {
  readonly report: Report;
  readonly paper: Paper;
  /** The sources of answers, listed once each at the end of the page. */
  readonly sources: Sources;
  /** ID of the block, unique within the page. */
  readonly id: string;
  /** Level of a title's heading. */
  readonly level: number;
}

/** Pixels: the width of the page. */
const chartWidth = 800;
/** With more rows, the table below a chart is collapsed. */
const fewRows = 12;
/** The most rows; larger data belongs in other formats. */
const mostRows = 5000;

/** A cell with its title, its parts, and its sources. */
async function writeHtmlCell(cell: ReportCell, { id, level, report, paper, sources }: HtmlPlace): Promise<HtmlBlock> {
  const { title, description, parts, footnotes } = cell;
  const said = new Set(warningsOf(cell));
  const warnings = Array.from(said, (text) => `<p class="warning">⚠ ${toShownXml(text)}</p>\n`);
  if (parts.length === 0 && footnotes.length === 0 && warnings.length === 0) return { html: '', rules: [] };
  const heading = title === undefined ? '' : `<h${level}>${toShownXml(title)}</h${level}>\n`;
  const about = description === undefined ? '' : `<p>${toShownXml(description)}</p>\n`;
  const drawn: HtmlBlock[] = [];
  for (const [index, part] of parts.entries())
    drawn.push(await writePart(part, { report, paper, title, parts, id: `${id}-${index + 1}`, said }));
  const asides = [
    ...footnotes.map((text) => `<p class="aside">${toShownXml(text)}</p>\n`),
    ...writeNotes(parts, said),
    ...sources.mark(parts),
  ];
  return {
    html: `<div class="cell" id="${id}">\n${heading}${about}${warnings.join('')}${drawn.map(({ html }) => html).join('')}${asides.join('')}</div>\n`,
    rules: drawn.flatMap(({ rules }) => rules),
  };
}

interface PartPlace {
  readonly report: Report;
  readonly paper: Paper;
  readonly id: string;
  /** Title of the cell. */
  readonly title: string | undefined;
  readonly parts: readonly ReportPart[];
  /** Sentences that the cell already contains. New ones are added. */
  readonly said: Set<string>;
}

async function writePart(part: ReportPart, place: PartPlace): Promise<HtmlBlock> {
  const name =
    part.title === undefined || part.title === place.title ? '' : `<p class="part">${toShownXml(part.title)}</p>\n`;
  if (part.kind === 'stats') return { html: name + writeHtmlStats(part, place.report), rules: [] };
  if (part.kind === 'chart') return writeChart(part, name, place);
  const table = writeTable(part.result, part.title ?? place.title, place.paper);
  const isDrawn = place.parts.some((other) => other.kind === 'chart' && isShownAsTable(other, [part]));
  return {
    html:
      isDrawn && (part.result.rowCount > fewRows || isDaily(part.result))
        ? fold(table, part.result, 'asked')
        : name + table,
    rules: [],
  };
}

/** True for rows by day or shorter, which a chart shows better. */
function isDaily({ columns }: Result): boolean {
  return columns.some(({ granularity }) => granularity !== undefined && !longer.has(granularity));
}

const longer = new Set<string>(['week', 'month', 'quarter', 'year']);

async function writeChart(
  part: ChartPart,
  name: string,
  { id, title, parts, said, paper }: PartPlace,
): Promise<HtmlBlock> {
  const told = await drawPart(part, title, (chart) => toChartFigure(chart, { width: chartWidth, titled: false, id }));
  const tabled = isShownAsTable(part, parts);
  const table = () => writeTable(part.result, part.title ?? title, paper);
  if ('why' in told)
    return { html: `${name}<p class="aside">${toShownXml(told.why)}</p>\n${tabled ? '' : table()}`, rules: [] };
  const { chart, drawing } = told;
  for (const line of toFooter(chart)) said.add(line);
  const what = chart.subtitle === '' ? '' : `<p class="aside">${toShownXml(chart.subtitle)}</p>\n`;
  return {
    html: name + what + drawing.html + (tabled ? '' : fold(table(), part.result, 'offered')),
    rules: [drawing.rules],
  };
}

/** `asked`: the report shows it, so it is also printed. */
function fold(table: string, { rowCount }: Result, kind: 'asked' | 'offered'): string {
  return `<details class="${kind}">\n<summary>The figures: ${formatCount(rowCount, 'row')}</summary>\n${table}</details>\n`;
}

/** Pixels: the text area of A4, and the text and padding of tables with many columns, see `reportStyle`. */
const paperRoom = { width: 670, size: 11.4, padding: 13 };

function writeTable(whole: Result, title: string | undefined, paper: Paper): string {
  const { result, aside } = withoutBlank(whole);
  const caption = title ?? 'Figures';
  // The title is already above it; the caption is for people who navigate by table.
  const isLong = result.columns.length > 7;
  const form = `table told${isLong ? ' many' : ''}${result.rowCount > fewRows ? '' : ' short'}`;
  const options = { caption, most: mostRows };
  const tables = paper && isLong ? writeSplitTables(result, paperRoom, options) : [writeHtmlTable(result, options)];
  const figures = tables.map(
    (table) => `<div class="${form}" role="group" aria-label="${toShownXml(caption)}" tabindex="0">\n${table}</div>\n`,
  );
  return figures.join('') + aside;
}

function writeHtmlStats(part: ReportPart & { readonly kind: 'stats' }, report: Report): string {
  const series = seriesOfStats(part, report);
  const figures = part.stats.map((stat, index) => {
    const { label, text, previous, gauge } = stat;
    const points = series[index];
    const trend = previous && trendOf(previous.changePercent);
    const told = describeStat(stat);
    const beside =
      told === undefined
        ? ''
        : `<dd class="aside${trend === undefined ? '' : ` ${trend}`}">${keepDates(toShownXml(told))}</dd>`;
    const line =
      gauge !== undefined
        ? `<dd>${drawGauge(gauge)}</dd>`
        : points === undefined
          ? ''
          : `<dd>${drawSparkline(points)}</dd>`;
    return `<div><dt>${toShownXml(label)}</dt><dd class="value">${toShownXml(text)}</dd>${beside}${line}</div>\n`;
  });
  return `<dl class="stats">\n${figures.join('')}</dl>\n`;
}

/** The notes of each answer, once. */
function writeNotes(parts: readonly ReportPart[], said: Set<string>): readonly string[] {
  const notes = parts.flatMap(({ result }) => toNotes(result.provenance).map(({ text }) => text));
  return unique(notes.filter((text) => !said.has(text)).map((text) => `<p class="aside">${toShownXml(text)}</p>\n`));
}

/** The sources of answers, in the order of first use. */
interface Sources {
  /** The source numbers of a cell, as links to the end of the page. */
  readonly mark: (parts: readonly ReportPart[]) => readonly string[];
  readonly list: () => string;
}

function openSources(): Sources {
  const lines: string[] = [];
  const numberOf = (line: string) => (lines.includes(line) ? lines.indexOf(line) + 1 : lines.push(line));
  return {
    mark(parts) {
      const numbers = unique(parts.map(({ result }) => toShownXml(describeSource(result)))).map(numberOf);
      const links = numbers.map((number) => `<a href="#source-${number}">[${number}]</a>`);
      return links.length === 0 ? [] : [`<p class="source">Source ${links.join(' ')}</p>\n`];
    },
    list: () =>
      lines.length === 0
        ? ''
        : `<p class="sources">Sources</p>\n<ol class="sources">\n${lines.map((line, index) => `<li id="source-${index + 1}">${line}</li>\n`).join('')}</ol>\n`,
  };
}

/** Styles of report pages, added to those of all pages, see `toPageStyle`. */
const reportStyle = `body { padding-top: 3rem; max-width: 50rem; }
body > header { margin-bottom: 2rem; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
h2, h3, h4, h5, h6 { margin: 2rem 0 .5rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; text-wrap: balance; }
h2 { margin-top: 3rem; font-size: 1.375rem; }
h3 { font-size: 1.0625rem; }
h4, h5, h6 { font-size: 1rem; }
p, ul, ol, blockquote, pre { margin: .75rem 0; }
main p, main li, .lead { max-width: 44rem; text-wrap: pretty; overflow-wrap: anywhere; }
:is(h1, h2, h3, h4, h5, h6, .lead, main > p, main > :is(ul, ol, blockquote) :is(p, li), .cell > p:not([class]), th, td, dt) { unicode-bidi: plaintext; }
a { color: var(--link); text-underline-offset: .15em; }
.lead { margin: .5rem 0; font-size: 1.125rem; color: var(--quiet); }
code { font: .875em ui-monospace, Menlo, Consolas, monospace; }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--raised); border-radius: 6px; line-height: 1.45; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
hr { margin: 2.5rem 0; border: 0; border-top: 1px solid var(--line); }
nav { margin: 2rem 0; padding: .75rem 1.25rem; background: var(--raised); border-radius: 6px; font-size: .9375rem; }
nav ul { margin: 0; padding: 0; list-style: none; columns: 16rem; }
nav li { padding: .125rem 0; break-inside: avoid; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.cell { margin: 1.75rem 0 2.25rem; }
.cell > h2, .cell > h3, .cell > h4, .cell > h5, .cell > h6 { margin-top: 0; }
.cell figure { margin: .75rem 0; }
.part { margin: 1.25rem 0 .5rem; font-weight: 600; font-size: .9375rem; }
.table { margin: .75rem 0; }
main table { min-width: 60%; }
main th, main td { padding-right: .625rem; padding-left: .625rem; }
.many th, .many td { padding-right: .4rem; padding-left: .4rem; font-size: .8125rem; }
main thead th { vertical-align: bottom; } main thead .number { white-space: normal; }
.many th:first-child { padding-left: 0; position: sticky; left: 0; background: var(--ground); }
.told caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.stats { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: .75rem 0; }
.stats > div { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
.stats dt { color: var(--quiet); font-size: .875rem; }
.stats .value { font-size: 1.75rem; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.stats .aside { margin: 0; }
.up, td.up { color: var(--up); } .down, td.down { color: var(--down); }
.spark { display: block; margin-top: .5rem; max-width: 100%; fill: none; stroke: var(--quiet); stroke-width: 1.5; }
.gauge { display: block; width: 100%; height: .5rem; margin-top: .5rem; fill: var(--link); } .gauge .whole { fill: var(--line); } .gauge.over { fill: var(--alarm); }
.spark circle { fill: var(--text); stroke: none; }
.date { white-space: nowrap; }
.source { margin: .375rem 0 0; color: var(--quiet); font-size: .8125rem; }
.source a, .sources a { color: inherit; }
p.sources { font-weight: 600; } ol.sources { margin: .25rem 0 1rem; padding-left: 1.5rem; font-size: .8125rem; }
details { margin: .75rem 0; }
summary { font-size: .875rem; color: var(--quiet); }
.alert, .failure { margin: 1.5rem 0; padding: .75rem 1.25rem; border-left: 4px solid var(--alarm); background: var(--raised); border-radius: 0 6px 6px 0; }
.failure pre { padding: 0; background: none; white-space: pre-wrap; overflow-wrap: anywhere; }
.alert p, .failure h2, .failure h3, .failure h4, .failure h5, .failure h6 { margin: 0; font-size: 1rem; font-weight: 600; }
.alert ul { margin: .25rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.warning { color: var(--alarm-text); }
.checks { padding: 0; list-style: none; }
.checks li { padding: .25rem 0 .25rem 1.75rem; text-indent: -1.75rem; overflow-wrap: anywhere; }
.checks .state { display: inline-block; width: 1.75rem; text-indent: 0; font-weight: 600; }
.checks .state.bad { width: auto; padding-right: .5rem; color: var(--alarm-text); }
.unseen, .sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer p { margin: .25rem 0; }
footer table { font-size: .8125rem; }
@media (max-width: 35rem) {
  body { padding-top: 1.5rem; } h1 { font-size: 1.625rem; } th, td { padding: .25rem .5rem; }
  main table { min-width: 100%; } .stats { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
  .stats > div { padding: .625rem .75rem; } .stats .value { font-size: 1.375rem; }
}
:root { --link: #0059a0; --up: #00674b; --down: #a34700; --raised: #f5f7f9; --alarm: #d55e00; --alarm-text: #a34700; }
@media screen and (prefers-color-scheme: dark) { :root { --link: #7cc4f2; --up: #4fc3a1; --down: #f2b56b; --raised: #1d2127; --alarm: #e69f00; --alarm-text: #f2b56b; } }
@media print {
@page { margin: 18mm 16mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #666; } }
body { max-width: none; padding: 0; font-size: 10.5pt; } h1 { font-size: 20pt; } h2 { font-size: 14pt; }
nav { display: none; }
h1, h2, h3, h4, h5, h6, .part, p.sources { break-after: avoid; }
.stats > div, .alert, .failure, .checks li, .cell figure, tr, .warning, .aside { break-inside: avoid; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
thead { display: table-header-group; } .cell > h2, .cell > h3, .cell > h4, .cell > .warning, .aside:has(+ figure), .aside:has(+ table) { break-after: avoid; }
.source, tbody tr:first-child { break-before: avoid; } .cell figure svg { max-height: min(220mm, 75vh); }
.table { overflow: visible; } .short { break-inside: avoid; } thead { break-after: avoid; } table, .many th, .many td { font-size: 8.5pt; }
a { color: inherit; text-decoration: none; }
details.asked::details-content { content-visibility: visible; block-size: auto; }
details.asked > summary { list-style: none; }
details:not(.asked) { display: none; }
}`;

/** A page with fewer chapters needs no table of contents. */
const fewChapters = 4;

/**
 * A report as a self-contained page: no script, no request, light and dark, readable on phones and paper. Text from
 * events is escaped. Equal reports give equal bytes. A table of more than 5,000 rows is cut, with a note. Readers
 * choose the paper when they print, unless `paper` names it.
 */
export async function writeReportHtml(report: Report, { paper }: { readonly paper?: Paper } = {}): Promise<string> {
  const outline = openOutline();
  const sources = openSources();
  const pieces = renderBlocks(report);
  const [first] = pieces;
  const opening = startsWithHeading(report) && first?.kind === 'html' ? /^<h1>([^]*?)<\/h1>/.exec(first.html) : null;
  const written: string[] = [];
  const rules: HtmlBlock['rules'][number][] = [];
  for (const piece of pieces) {
    if (piece.kind === 'html') {
      written.push(
        outline.settle(piece === first && opening ? piece.html.slice(opening[0].length).trim() : piece.html),
        '\n',
      );
      continue;
    }
    const place = { report, paper, sources, id: `cell-${piece.index + 1}`, level: outline.below() };
    const block = await writeBlock(piece.block, place);
    written.push(block.html);
    rules.push(...block.rules);
  }
  const head =
    `<header>\n<h1>${keepDates(opening?.[1] ?? toShownXml(report.title))}</h1>\n` +
    (report.description === undefined ? '' : `<p class="lead">${toShownXml(report.description)}</p>\n`) +
    `<p class="aside">${toShownXml(describeReport(report))}</p>\n${writeProblems(report)}</header>\n`;
  const chapters = outline.headings.filter(({ level }) => level === 2);
  if (chapters.length >= fewChapters) written.splice(...beforeChapters(written), writeContents(chapters));
  const body = `${head}<main>\n${written.join('')}</main>\n${writeFoot(report, sources)}`;
  const merged = {
    light: unique(rules.flatMap(({ light }) => light)),
    dark: unique(rules.flatMap(({ dark }) => dark)),
  };
  return writeHtmlPage({
    title: report.title,
    css: `${toPageStyle(merged)}\n${reportStyle}${paper === undefined ? '' : `\n@page { size: ${paper}; }`}`,
    body,
  });
}

async function writeBlock(
  block: Exclude<ReportBlock, { readonly kind: 'prose' }>,
  place: HtmlPlace,
): Promise<HtmlBlock> {
  switch (block.kind) {
    case 'cell':
      return writeHtmlCell(block, place);
    case 'checks':
      return { html: writeChecks(block, place), rules: [] };
    case 'failure':
      return { html: writeFailure(block, place), rules: [] };
  }
}

function writeProblems(report: Report): string {
  const problems = toProblems(report);
  if (problems.length === 0) return '';
  const lines = problems.map(({ text, block }) => `<li><a href="#cell-${block + 1}">${toShownXml(text)}</a></li>\n`);
  return `<div class="alert">\n<p>${describeProblems(problems)}</p>\n<ul>\n${lines.join('')}</ul>\n</div>\n`;
}

/** Where to insert the contents: before the first chapter, because the headline comes first. */
function beforeChapters(written: readonly string[]): [start: number, deleted: number] {
  const first = written.findIndex((html) => html.startsWith('<h2'));
  return [Math.max(0, first), 0];
}

function writeContents(chapters: readonly Heading[]): string {
  return `<nav aria-label="Contents">\n<ul>\n${chapters.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>\n`).join('')}</ul>\n</nav>\n`;
}

function writeChecks({ title, checks }: ReportChecks, { id, level }: HtmlPlace): string {
  const heading = title === undefined ? '' : `<h${level}>${toShownXml(title)}</h${level}>\n`;
  return `<div class="cell" id="${id}">\n${heading}<ul class="checks">\n${checks.map(writeCheck).join('')}</ul>\n</div>\n`;
}

const states = {
  passed: '<span class="state"><span aria-hidden="true">✓</span><span class="unseen">Passed:</span></span>',
  failed: '<span class="state bad">✗ Failed</span>',
  unknown: '<span class="state bad">? Unknown</span>',
  'not-judged': '<span class="state">–</span>Not judged:',
} as const;

function writeCheck(check: ReportCheck): string {
  return `<li>${states[check.state]} ${toShownXml(describeCheck(check))}</li>\n`;
}

function writeFailure({ message, hint, ...about }: ReportFailure, { id, level }: HtmlPlace): string {
  const lines = message.split('\n').map(toShownXml).join('\n');
  const help = hint === undefined ? '' : `<p class="aside">${toShownXml(hint)}</p>\n`;
  return `<div class="failure" id="${id}">\n<h${level}>✗ Failed: ${toShownXml(nameOf(about))}</h${level}>\n<pre tabindex="0">${lines}</pre>\n${help}</div>\n`;
}

/** The sources of the figures in the prose. */
function writeFoot(report: Report, sources: Sources): string {
  const figures = report.blocks.flatMap((block) => (block.kind === 'prose' ? block.figures : []));
  const rows = unique(
    figures.flatMap(({ path, text, provenance }) =>
      provenance
        ? [
            `<tr><th scope="row">${toShownXml(path)}</th><td class="number">${toShownXml(text)}</td><td>${toShownXml(describeSource({ provenance, columns: [] }))}</td></tr>\n`,
          ]
        : [],
    ),
  );
  const table =
    rows.length === 0
      ? ''
      : '<details>\n<summary>Where the figures in the text come from</summary>\n' +
        '<div class="table told" role="group" aria-label="Where the figures in the text come from" tabindex="0">\n' +
        '<table>\n<caption>Figures in the text</caption>\n' +
        '<thead><tr><th scope="col">Figure</th><th scope="col" class="number">Value</th>' +
        '<th scope="col">Where it comes from</th></tr></thead>\n' +
        `<tbody>\n${rows.join('')}</tbody>\n</table>\n</div>\n</details>\n`;
  return `<footer>\n${sources.list()}<p>${toShownXml(describeReport(report))}</p>\n${table}</footer>`;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

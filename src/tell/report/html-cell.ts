import { formatNumber } from '../../shape/format/format-number.ts';
import { plural } from '../../ask/plural.ts';
import type { Result } from '../../shape/result.ts';
import { toFooter } from '../../show/chart/vega-lite/to-vega-lite.ts';
import { toChartFigure, type ChartFigure } from '../../show/html/chart-figure.ts';
import { writeHtmlTable } from '../../show/html/html-table.ts';
import { toNotes } from '../../show/notes.ts';
import { toShownXml } from '../../show/picture/escape-xml.ts';
import { describeSource } from './describe-source.ts';
import { drawPart, standsAsTable, type ChartPart } from './draw-part.ts';
import { keepDates } from './keep-dates.ts';
import type { ReportCell, ReportPart, ReportStat } from './report.ts';
import { warningsOf } from './summary.ts';

/** A block as HTML, and the rules of the charts in it. */
export interface HtmlBlock {
  readonly html: string;
  readonly rules: readonly ChartFigure['rules'][];
}

export interface HtmlPlace {
  /** Of the block: no other one in the page has it. */
  readonly id: string;
  /** Of the heading that a title becomes. */
  readonly level: number;
}

/** Pixels: as wide as the page. */
const chartWidth = 800;
/** More rows than these are folded away below a chart. */
const fewRows = 12;
/** More rows than these are data to work with, for which there are other formats. */
const mostRows = 5000;

/** A cell with its title, what it shows, and where that comes from. */
export async function writeHtmlCell(cell: ReportCell, { id, level }: HtmlPlace): Promise<HtmlBlock> {
  const { title, description, parts, footnotes } = cell;
  const warnings = warningsOf(cell).map((text) => `<p class="warning">⚠ ${toShownXml(text)}</p>\n`);
  if (parts.length === 0 && footnotes.length === 0 && warnings.length === 0) return { html: '', rules: [] };
  const heading = title === undefined ? '' : `<h${level}>${toShownXml(title)}</h${level}>\n`;
  const about = description === undefined ? '' : `<p>${toShownXml(description)}</p>\n`;
  const said = new Set<string>();
  const drawn: HtmlBlock[] = [];
  for (const [index, part] of parts.entries()) drawn.push(await writePart(part, { title, parts, id: `${id}-${index + 1}`, said }));
  const asides = [
    ...footnotes.map((text) => `<p class="aside">${toShownXml(text)}</p>\n`),
    ...writeSources(parts, said),
  ];
  return {
    html: `<div class="cell" id="${id}">\n${heading}${about}${warnings.join('')}${drawn.map(({ html }) => html).join('')}${asides.join('')}</div>\n`,
    rules: drawn.flatMap(({ rules }) => rules),
  };
}

interface PartPlace {
  readonly id: string;
  /** Of the cell. */
  readonly title: string | undefined;
  readonly parts: readonly ReportPart[];
  /** Sentences that stand in the cell already; what is said here is added. */
  readonly said: Set<string>;
}

async function writePart(part: ReportPart, place: PartPlace): Promise<HtmlBlock> {
  const name = part.title === undefined || part.title === place.title ? '' : `<p class="part">${toShownXml(part.title)}</p>\n`;
  if (part.kind === 'stats') return { html: name + writeHtmlStats(part.stats), rules: [] };
  if (part.kind === 'chart') return writeChart(part, name, place);
  const table = writeTable(part.result, part.title ?? place.title);
  const isDrawn = place.parts.some((other) => other.kind === 'chart' && other.result === part.result);
  return { html: isDrawn && part.result.rowCount > fewRows ? fold(table, part.result, 'asked') : name + table, rules: [] };
}

async function writeChart(part: ChartPart, name: string, { id, title, parts, said }: PartPlace): Promise<HtmlBlock> {
  const told = await drawPart(part, title, (chart) => toChartFigure(chart, { width: chartWidth, titled: false, id }));
  const tabled = standsAsTable(part, parts);
  const table = () => writeTable(part.result, part.title ?? title);
  if ('why' in told) return { html: `${name}<p class="aside">${toShownXml(told.why)}</p>\n${tabled ? '' : table()}`, rules: [] };
  const { chart, drawing } = told;
  for (const line of toFooter(chart)) said.add(line);
  const what = chart.subtitle === '' ? '' : `<p class="aside">${toShownXml(chart.subtitle)}</p>\n`;
  return { html: name + what + drawing.html + (tabled ? '' : fold(table(), part.result, 'offered')), rules: [drawing.rules] };
}

/** `asked`: the report shows it, so that it is printed, too. */
function fold(table: string, { rowCount }: Result, kind: 'asked' | 'offered'): string {
  return `<details class="${kind}">\n<summary>The figures: ${formatNumber(rowCount)} ${plural(rowCount, 'row')}</summary>\n${table}</details>\n`;
}

function writeTable(result: Result, title: string | undefined): string {
  const caption = title ?? 'Figures';
  // Its name stands above it already, but for those who go from table to table.
  const form = result.columns.length > 7 ? 'table told many' : 'table told';
  return `<div class="${form}" role="group" aria-label="${toShownXml(caption)}" tabindex="0">\n${writeHtmlTable(result, { caption, most: mostRows })}</div>\n`;
}

function writeHtmlStats(stats: readonly ReportStat[]): string {
  const figures = stats.map(({ label, text, previous }) => {
    const beside = previous === undefined ? '' : `<dd class="aside">${keepDates(toShownXml(`${previous.changePercent} from ${previous.text} (${previous.label})`))}</dd>`;
    return `<div><dt>${toShownXml(label)}</dt><dd class="value">${toShownXml(text)}</dd>${beside}</div>\n`;
  });
  return `<dl class="stats">\n${figures.join('')}</dl>\n`;
}

/** Of each answer once: what is to be said about it as a whole, and where it comes from. */
function writeSources(parts: readonly ReportPart[], said: Set<string>): readonly string[] {
  const sources = parts.flatMap(({ result }) => [
    ...toNotes(result.provenance).map(({ text }) => ({ kind: 'aside', text })),
    { kind: 'source', text: describeSource(result) },
  ]).map(({ kind, text }) => ({ kind, line: toShownXml(text), text }));
  const fresh = sources.filter(({ text, line }, index) => !said.has(text) && sources.findIndex((other) => other.line === line) === index);
  return [...fresh.filter(({ kind }) => kind === 'aside'), ...fresh.filter(({ kind }) => kind === 'source')].map(({ kind, line }) => `<p class="${kind}">${line}</p>\n`);
}

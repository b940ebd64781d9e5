import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result/result.ts';
import { toFooter } from '../../show/chart/vega-lite/to-vega-lite.ts';
import { withoutBlank, writeSplitTables } from '../../show/html/split-columns.ts';
import { toShownXml } from '../../show/labels/escape-xml.ts';
import { toNotes } from '../../show/labels/notes.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { describeSource } from './describe-source.ts';
import { type ChartPart, isShownAsTable } from './draw-part.ts';
import { inlineStyles, emailStyle } from './email-style.ts';
import { openOutline } from './outline.ts';
import { drawPictures, type ReportPicture, type ReportPictures } from './report-pictures.ts';
import { writeReportText } from './report-to-text.ts';
import type { Report, ReportBlock, ReportCell, ReportChecks, ReportFailure, ReportPart, ReportStat } from './report.ts';
import { describeStat, trendOf } from './trend.ts';
import {
  describeReport,
  nameOf,
  startsWithHeading,
  describeProblems,
  toProblems,
  warningsOf,
  describeCheck,
} from './summary.ts';
import { renderBlocks } from './render-blocks.ts';

/** A report as an email without sender. */
export interface ReportEmail {
  readonly subject: string;
  readonly text: string;
  /** For mail clients: styles in each element, pictures by `cid`. No script, no request. */
  readonly html: string;
  readonly pictures: readonly EmailPicture[];
}

export interface EmailPicture extends Pick<ReportPicture, 'svg' | 'words'> {
  /** The name in `cid:` references of the HTML. */
  readonly cid: string;
}

/** Pixels: charts are drawn for a phone, and enlarged if there is room. */
const pictureWidth = 480;
/** Longer tables are omitted if a chart shows their rows. */
const fewRows = 12;
/** The most rows of a table; longer ones are cut, with a note. Emails that are too large have fewer. */
const mostRows = [200, 100, 50, 25, fewRows];
/** Bytes: Gmail hides what is beyond 102 KB. */
const mostBytes = 100_000;

export async function toReportEmail(report: Report): Promise<ReportEmail> {
  const pictures = await drawPictures(report, { width: pictureWidth, worded: false });
  const drawn = [...pictures.values()].filter((picture) => 'name' in picture);
  const attached = drawn.filter(({ name }, index) => drawn.findIndex((other) => other.name === name) === index);
  return {
    subject: sanitize(report.subject ?? report.title),
    text: await writeReportText(report, pictures),
    html: writeEmailHtml(report, pictures),
    pictures: attached.map(({ name, svg, words }) => ({ cid: toCid(name), svg, words })),
  };
}

function toCid(name: string): string {
  return `${name.replace(/\.svg$/, '')}@report.sluice`;
}

function writeEmailHtml(report: Report, pictures: ReportPictures): string {
  let html = '';
  for (const most of mostRows) {
    html = writeWithRows(report, pictures, most);
    if (Buffer.byteLength(html) <= mostBytes) break;
  }
  return html;
}

function writeWithRows(report: Report, pictures: ReportPictures, most: number): string {
  const outline = openOutline();
  const pieces = renderBlocks(report);
  const [first] = pieces;
  const opening = startsWithHeading(report) && first?.kind === 'html' ? /^<h1>([^]*?)<\/h1>/.exec(first.html) : null;
  const problems = toProblems(report);
  const body = [
    `<h1>${opening?.[1] ?? toShownXml(report.title)}</h1>`,
    ...(report.description === undefined ? [] : [`<p class="lead">${toShownXml(report.description)}</p>`]),
    ...(problems.length === 0
      ? []
      : [
          `<div class="alert"><p>${describeProblems(problems)}</p><ul>${problems.map(({ text }) => `<li>${toShownXml(text)}</li>`).join('')}</ul></div>`,
        ]),
    ...pieces.map((piece) =>
      piece.kind === 'block'
        ? writeBlock(piece.block, { level: outline.below(), pictures, most })
        : outline.settle(piece === first && opening ? piece.html.slice(opening[0].length) : piece.html),
    ),
    `<hr><p class="source">${toShownXml(describeReport(report))}</p>`,
  ];
  const main = `<div role="main">\n${body.filter((part) => part.trim() !== '').join('\n')}\n</div>`;
  const tables = [
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" class="around">',
    '<table role="presentation" class="email" cellpadding="0" cellspacing="0"><tr><td class="page">',
  ];
  const page = `<body>${tables.join('')}${main}${'</td></tr></table>'.repeat(2)}</body>`;
  const metas =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    '<meta name="color-scheme" content="light">';
  const head = `<head>${metas}<title>${toShownXml(report.title)}</title></head>`;
  return `<!doctype html>\n<html lang="en">${head}\n${inlineStyles(page, emailStyle)}</html>\n`;
}

interface EmailPlace {
  /** Level of a title's heading. */
  readonly level: number;
  readonly pictures: ReportPictures;
  /** The most rows of a table. */
  readonly most: number;
}

function writeBlock(block: Exclude<ReportBlock, { readonly kind: 'prose' }>, place: EmailPlace): string {
  switch (block.kind) {
    case 'cell':
      return writeCell(block, place);
    case 'checks':
      return writeChecks(block, place.level);
    case 'failure':
      return writeFailure(block, place.level);
  }
}

function writeCell(cell: ReportCell, place: EmailPlace): string {
  const { level, pictures, most } = place;
  const { title, description, parts, footnotes } = cell;
  const warnings = warningsOf(cell);
  if (parts.length === 0 && footnotes.length === 0 && warnings.length === 0) return '';
  const shown = parts.map((part) => {
    const name =
      part.title === undefined || part.title === title ? '' : `<p class="part">${toShownXml(part.title)}</p>`;
    return (
      name +
      (part.kind === 'stats'
        ? writeStats(part.stats)
        : part.kind === 'table'
          ? isDrawn(part, parts, pictures)
            ? `<p class="aside">The table of ${formatNumber(part.result.rowCount)} rows is left out of this email.</p>`
            : writeTable(part.result, most)
          : writeChart(part, parts, place))
    );
  });
  const said = [...footnotes, ...parts.flatMap(({ result }) => toNotes(result.provenance).map(({ text }) => text))];
  const lines = [
    ...(title === undefined ? [] : [`<h${level}>${toShownXml(title)}</h${level}>`]),
    ...(description === undefined ? [] : [`<p>${toShownXml(description)}</p>`]),
    ...warnings.map((text) => `<p class="bad">⚠ ${toShownXml(text)}</p>`),
    ...shown,
    ...[...new Set(said)]
      .filter((text) => !warnings.includes(text))
      .map((text) => `<p class="aside">${toShownXml(text)}</p>`),
    ...[...new Set(parts.map(({ result }) => describeSource(result)))].map(
      (text) => `<p class="source">${toShownXml(text)}</p>`,
    ),
  ];
  return lines.join('\n');
}

function writeChart(part: ChartPart, parts: readonly ReportPart[], { pictures, most }: EmailPlace): string {
  const picture = pictures.get(part);
  const tabled = isShownAsTable(part, parts);
  const table = () => (tabled ? '' : writeTable(part.result, most));
  if (!picture || !('name' in picture))
    return `${picture ? `<p class="aside">${toShownXml(picture.why)}</p>` : ''}${table()}`;
  const { chart, name, words } = picture;
  const what = chart.subtitle === '' ? '' : `<p class="aside">${toShownXml(chart.subtitle)}</p>`;
  const notes = toFooter(chart).filter(
    (line) => !toNotes(part.result.provenance).some(({ text }) => sanitize(text) === line),
  );
  return `${what}<img class="picture" src="cid:${toCid(name)}" width="608" alt="${toShownXml(words)}">${notes.map((line) => `<p class="aside">${toShownXml(line)}</p>`).join('')}`;
}

/** True if a table is too long for an email, and its chart is included. */
function isDrawn(
  { result }: ReportPart & { readonly kind: 'table' },
  parts: readonly ReportPart[],
  pictures: ReportPictures,
): boolean {
  return (
    result.rowCount > fewRows &&
    parts.some((other) => other.kind === 'chart' && other.result === result && 'name' in (pictures.get(other) ?? {}))
  );
}

/**
 * Pixels: the width of emails, and the text and padding of their tables, see `emailStyle`. Many clients do not scroll.
 */
const emailRoom = { width: 608, size: 13, padding: 10 };

/** The title is already above it. A table wider than a phone scrolls sideways. */
function writeTable(whole: Result, most: number): string {
  const { result, aside } = withoutBlank(whole);
  const tables = writeSplitTables(result, emailRoom, { most, aligned: false }).map((table) =>
    table
      .replaceAll('<th scope="row" class="', '<th scope="row" class="row ')
      .replaceAll('<th scope="row">', '<th scope="row" class="row text">')
      .replaceAll('<td>', '<td class="text">'),
  );
  return `${tables.map((table) => `<div class="sideways" tabindex="0">${table}</div>`).join('')}${aside}`;
}

function writeStats(stats: readonly ReportStat[]): string {
  const figures = stats.map((stat) => {
    const { label, text, previous } = stat;
    const told = describeStat(stat);
    const beside =
      told === undefined
        ? ''
        : `<br><span class="name ${(previous && trendOf(previous.changePercent)) ?? ''}">${toShownXml(told)}</span>`;
    return `<div class="figure"><span class="name">${toShownXml(label)}</span><br><span class="value">${toShownXml(text)}</span>${beside}</div>`;
  });
  // Figures are side by side if there is room, and below each other on a phone.
  return `<div>${figures.join('')}</div>`;
}

function writeChecks({ title, checks }: ReportChecks, level: number): string {
  const lines = checks.map((check) => {
    const { state } = check;
    const sign = { passed: '✓', failed: bad('✗ Failed'), unknown: bad('? Unknown'), 'not-judged': '– Not judged:' }[
      state
    ];
    return `<p>${sign} ${toShownXml(describeCheck(check))}</p>`;
  });
  return [...(title === undefined ? [] : [`<h${level}>${toShownXml(title)}</h${level}>`]), ...lines].join('\n');
}

function bad(text: string): string {
  return `<span class="bad">${text}</span>`;
}

function writeFailure({ message, hint, ...about }: ReportFailure, level: number): string {
  const help = hint === undefined ? '' : `<p class="aside">${toShownXml(hint)}</p>`;
  return `<div class="alert"><h${level}>✗ Failed: ${toShownXml(nameOf(about))}</h${level}><pre>${message.split('\n').map(toShownXml).join('\n')}</pre>${help}</div>`;
}

import { toPageStyle } from '../../show/html/page-style.ts';
import { writeHtmlPage } from '../../show/html/write-html-page.ts';
import { toShownXml } from '../../show/picture/escape-xml.ts';
import { describeSource } from './describe-source.ts';
import { writeHtmlCell, type HtmlBlock, type HtmlPlace } from './html-cell.ts';
import { keepDates } from './keep-dates.ts';
import { openOutline, type Heading } from './outline.ts';
import type { Report, ReportBlock, ReportCheck, ReportChecks, ReportFailure } from './report.ts';
import { reportStyle } from './report-style.ts';
import { startsWithHeading } from './starts-with-heading.ts';
import { describeReport, nameOf, tellAlarms, toAlarms } from './summary.ts';
import { weave } from './weave.ts';

/** With fewer chapters than these a page is looked over at once. */
const fewChapters = 4;

/**
 * A report as one page that needs nothing else: no script, no request, light and dark, to be read on a telephone and on paper. Text from
 * events is text only. The same report gives the same bytes. A table of more than 5,000 rows is cut and says so.
 */
export async function writeReportHtml(report: Report): Promise<string> {
  const outline = openOutline();
  const strands = weave(report);
  const [first] = strands;
  const opening = startsWithHeading(report) && first?.kind === 'html' ? /^<h1>([^]*?)<\/h1>/.exec(first.html) : null;
  const written: string[] = [];
  const rules: HtmlBlock['rules'][number][] = [];
  for (const strand of strands) {
    if (strand.kind === 'html') {
      written.push(outline.settle(strand === first && opening ? strand.html.slice(opening[0].length).trim() : strand.html), '\n');
      continue;
    }
    const block = await writeBlock(strand.block, { id: `cell-${strand.index + 1}`, level: outline.below() });
    written.push(block.html);
    rules.push(...block.rules);
  }
  const head = `<header>\n<h1>${keepDates(opening?.[1] ?? toShownXml(report.title))}</h1>\n`
    + (report.description === undefined ? '' : `<p class="lead">${toShownXml(report.description)}</p>\n`)
    + `<p class="aside">${toShownXml(describeReport(report))}</p>\n${writeAlarms(report)}</header>\n`;
  const chapters = outline.headings.filter(({ level }) => level === 2);
  const body = `${head}${chapters.length < fewChapters ? '' : writeContents(chapters)}<main>\n${written.join('')}</main>\n${writeFoot(report)}`;
  const merged = { light: unique(rules.flatMap(({ light }) => light)), dark: unique(rules.flatMap(({ dark }) => dark)) };
  return writeHtmlPage({ title: report.title, css: `${toPageStyle(merged)}\n${reportStyle}`, body });
}

async function writeBlock(block: Exclude<ReportBlock, { readonly kind: 'prose' }>, place: HtmlPlace): Promise<HtmlBlock> {
  switch (block.kind) {
    case 'cell':
      return writeHtmlCell(block, place);
    case 'checks':
      return { html: writeChecks(block, place), rules: [] };
    case 'failure':
      return { html: writeFailure(block, place), rules: [] };
  }
}

function writeAlarms(report: Report): string {
  const alarms = toAlarms(report);
  if (alarms.length === 0) return '';
  const lines = alarms.map(({ text, block }) => `<li><a href="#cell-${block + 1}">${toShownXml(text)}</a></li>\n`);
  return `<div class="alert">\n<p>${tellAlarms(alarms)}</p>\n<ul>\n${lines.join('')}</ul>\n</div>\n`;
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
  unknown: '<span class="state bad">? Cannot be told</span>',
} as const;

function writeCheck({ state, expectation, finding, because }: ReportCheck): string {
  const why = because === undefined || state === 'passed' ? '' : ` ${because}`;
  return `<li>${states[state]} ${toShownXml(`${expectation}: ${finding}${why}`)}</li>\n`;
}

function writeFailure({ message, hint, ...about }: ReportFailure, { id, level }: HtmlPlace): string {
  const lines = message.split('\n').map(toShownXml).join('\n');
  const help = hint === undefined ? '' : `<p class="aside">${toShownXml(hint)}</p>\n`;
  return `<div class="failure" id="${id}">\n<h${level}>✗ Failed: ${toShownXml(nameOf(about))}</h${level}>\n<pre tabindex="0">${lines}</pre>\n${help}</div>\n`;
}

/** Where the figures of the prose come from, for whoever doubts one. */
function writeFoot(report: Report): string {
  const figures = report.blocks.flatMap((block) => (block.kind === 'prose' ? block.figures : []));
  const rows = unique(figures.flatMap(({ path, text, provenance }) => (provenance
    ? [`<tr><th scope="row">${toShownXml(path)}</th><td class="number">${toShownXml(text)}</td><td>${toShownXml(describeSource({ provenance, columns: [] }))}</td></tr>\n`]
    : [])));
  const table = rows.length === 0 ? '' : `<details>\n<summary>Where the figures in the text come from</summary>\n<div class="table told" role="group" aria-label="Where the figures in the text come from" tabindex="0">\n<table>\n<caption>Figures in the text</caption>\n`
    + `<thead><tr><th scope="col">Figure</th><th scope="col" class="number">Value</th><th scope="col">Where it comes from</th></tr></thead>\n<tbody>\n${rows.join('')}</tbody>\n</table>\n</div>\n</details>\n`;
  return `<footer>\n<p>${toShownXml(describeReport(report))}</p>\n${table}</footer>`;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

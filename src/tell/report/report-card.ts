import { z } from 'zod';
import { toPageStyle, writeHtmlPage } from '../../show/html/write-html-page.ts';
import { toShownXml } from '../../show/labels/escape-xml.ts';
import { drawPictures } from './report-pictures.ts';
import type { Report } from './report.ts';
import { describeReport, toProblems } from './summary.ts';

/** The summary of a report for an index. */
export const reportCardSchema = z.object({
  /** Name of the report's file. Cards of one report share it. */
  name: z.string(),
  title: z.string(),
  about: z.string(),
  asOf: z.string(),
  /** Number of things that need attention. A failed report has a status, too. */
  alarms: z.number(),
  status: z.enum(['good', 'failed-check', 'failed-cell']),
  figures: z.array(z.object({ label: z.string(), text: z.string(), change: z.string().optional() })),
  /** Its first chart, small. */
  svg: z.string().optional(),
});

export type ReportCard = Readonly<z.infer<typeof reportCardSchema>>;

/** Pixels. */
const pictureWidth = 320;
const mostFigures = 4;

export async function toReportCard(report: Report): Promise<ReportCard> {
  const first = report.blocks.flatMap((block) =>
    block.kind === 'cell' && block.parts.some(({ kind }) => kind === 'chart') ? [block] : [],
  )[0];
  const pictures = await drawPictures({ blocks: first ? [first] : [] }, { width: pictureWidth, worded: false });
  const drawn = [...pictures.values()].find((picture) => 'svg' in picture);
  const figures = report.blocks
    .flatMap((block) => (block.kind === 'cell' ? block.parts : []))
    .flatMap((part) => (part.kind === 'stats' ? part.stats : []))
    .slice(0, mostFigures)
    .map(({ label, text, previous }) => ({ label, text, ...(previous ? { change: previous.changePercent } : {}) }));
  return {
    name: report.name,
    title: report.title,
    about: describeReport(report),
    asOf: report.asOf,
    alarms: toProblems(report).length,
    status: report.status,
    figures,
    ...(drawn ? { svg: drawn.svg } : {}),
  };
}

/** The card of a report whose card is damaged. `page`: the name of its page. */
export function unknownCard(page: string): ReportCard {
  const about = 'The summary of this report cannot be read.';
  return { name: page, title: page, about, asOf: '', alarms: 0, status: 'failed-cell', figures: [] };
}

const indexStyle = `body { max-width: 60rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none; }
.cards li { padding: 1rem; border: 1px solid var(--line); border-radius: 6px; overflow-wrap: anywhere; break-inside: avoid; }
.cards img { display: block; width: 100%; height: auto; margin-top: .75rem; background: #fff; border-radius: 4px; }
.cards a { font-weight: 600; color: var(--link); }
.cards p { margin: .25rem 0 0; }
.cards dl { display: grid; grid-template-columns: 1fr auto; gap: .125rem .75rem; margin: .5rem 0 0; font-size: .875rem; }
.cards dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
.bad { color: var(--alarm-text); font-weight: 600; }
h2 { margin: 2rem 0 .75rem; font-size: 1.25rem; overflow-wrap: anywhere; }
:root { --link: #0059a0; --alarm-text: #a34700; }
@media screen and (prefers-color-scheme: dark) { :root { --link: #7cc4f2; --alarm-text: #f2b56b; } }`;

/**
 * A page that lists reports by their file names without `.html`: one section per report, the latest run first. The
 * browser's search finds all of its text. No script, no request.
 */
export function writeReportIndex(cards: ReadonlyMap<string, ReportCard>): string {
  const names = [...new Set([...cards.values()].map(({ name }) => name))].sort();
  const sections = names.map((name) => {
    const own = [...cards]
      .filter(([, card]) => card.name === name)
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([base, card]) => writeCard(base, card));
    return `<section>\n<h2>${toShownXml(name)}</h2>\n<ul class="cards">\n${own.join('')}</ul>\n</section>\n`;
  });
  const search = 'To search titles, dates and figures, use the search of the browser (Ctrl+F).';
  const header = `<header>\n<h1>Reports</h1>\n<p class="aside">${search}</p>\n</header>`;
  const body = `${header}\n<main>\n${sections.join('')}</main>`;
  return writeHtmlPage({ title: 'Reports', css: `${toPageStyle({ light: [], dark: [] })}\n${indexStyle}`, body });
}

function writeCard(base: string, { title, about, alarms, status, figures, svg }: ReportCard): string {
  const href = toShownXml(`${encodeURIComponent(base)}.html`);
  const told = status === 'good' ? 'needs attention' : status === 'failed-check' ? 'a check failed' : 'incomplete';
  const result = alarms === 0 && status === 'good' ? '<p>✓ Good</p>' : `<p class="bad">⚠ ${told}</p>`;
  const rows = figures.map(
    ({ label, text, change }) =>
      `<dt>${toShownXml(label)}</dt><dd>${toShownXml(change === undefined || change === '' ? text : `${text} (${change})`)}</dd>\n`,
  );
  const picture =
    svg === undefined ? '' : `<img alt="" loading="lazy" src="data:image/svg+xml,${encodeURIComponent(svg)}">\n`;
  const head = `<a href="${href}">${toShownXml(title)}</a>\n<p class="aside">${toShownXml(about)}</p>`;
  const list = rows.length === 0 ? '' : `<dl>\n${rows.join('')}</dl>\n`;
  return `<li>\n${head}\n${result}\n${list}${picture}</li>\n`;
}

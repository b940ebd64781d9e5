import { formatCount } from '../../shape/format/format-number.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Chart } from '../chart/chart.ts';
import { toShownText } from '../chart/names.ts';
import { toFooter } from '../chart/vega-lite/to-vega-lite.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { toNotes } from '../labels/notes.ts';
import { provenanceFacts } from '../chart/provenance-facts.ts';
import { toChartFigure } from './chart-figure.ts';
import { writeHtmlTable } from './html-table.ts';
import { toPageStyle, writeHtmlPage } from './write-html-page.ts';

/** With more rows, the data below the chart is collapsed. */
const fewRows = 40;
/** The most rows; larger data belongs in other formats. */
const mostRows = 5000;

/** A self-contained page: the chart, light and dark, its data as a table, and its provenance. No script, no request. */
export async function toChartPage(chart: Chart, result: Result<object>): Promise<string> {
  const { html, rules } = await toChartFigure(chart, { titled: false });
  const subtitle = chart.subtitle === '' ? '' : `<p class="aside">${toShownXml(chart.subtitle)}</p>\n`;
  const { rowCount } = result;
  const table = writeHtmlTable(result, { caption: chart.title, most: mostRows });
  const summary = `<summary>Data: ${formatCount(rowCount, 'row')}</summary>`;
  const region = `<div class="table" role="region" aria-label="Data" tabindex="0">\n${table}</div>`;
  const data = `<details${rowCount <= fewRows ? ' open' : ''}>\n${summary}\n${region}\n</details>\n`;
  const body = `<main>\n<h1>${toShownXml(chart.title)}</h1>\n${subtitle}${html}${data}</main>\n<footer>\n${writeProvenanceList(result.provenance, toFooter(chart))}</footer>`;
  return writeHtmlPage({ title: chart.title, css: toPageStyle(rules), body });
}

/** The provenance of an answer as an HTML list, followed by the notes that the chart has not shown. */
function writeProvenanceList(provenance: SteadyProvenance, said: readonly string[]): string {
  const list = provenanceFacts(provenance)
    .map(([name, fact]) => `<dt>${name}</dt><dd>${toShownXml(fact)}</dd>`)
    .join('\n');
  const notes = toNotes(provenance)
    .map(({ text }) => toShownText(text))
    .filter((text) => !said.includes(text));
  return `<dl>\n${list}\n</dl>\n${notes.map((text) => `<p class="aside">${toShownXml(text)}</p>\n`).join('')}`;
}

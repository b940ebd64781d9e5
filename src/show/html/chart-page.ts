import { plural } from '../../ask/plural.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { Result } from '../../shape/result.ts';
import type { Chart } from '../chart/chart.ts';
import { toFooter } from '../chart/vega-lite/to-vega-lite.ts';
import { toShownXml } from '../picture/escape-xml.ts';
import { toChartFigure } from './chart-figure.ts';
import { writeHtmlTable } from './html-table.ts';
import { toPageStyle } from './page-style.ts';
import { writeProvenanceList } from './provenance-list.ts';
import { writeHtmlPage } from './write-html-page.ts';

/** More rows than these are folded away below the chart. */
const fewRows = 40;
/** More rows than these are data to work with, for which there are other formats. */
const mostRows = 5000;

/** A page that needs nothing else: the chart, light and dark, its data as a table, and where they come from. No script, no request. */
export async function toChartPage(chart: Chart, result: Result<object>): Promise<string> {
  const { html, rules } = await toChartFigure(chart, { titled: false });
  const subtitle = chart.subtitle === '' ? '' : `<p class="aside">${toShownXml(chart.subtitle)}</p>\n`;
  const { rowCount } = result;
  const table = writeHtmlTable(result, { caption: chart.title, most: mostRows });
  const data = `<details${rowCount <= fewRows ? ' open' : ''}>\n<summary>Data: ${formatNumber(rowCount)} ${plural(rowCount, 'row')}</summary>\n<div class="table" role="region" aria-label="Data" tabindex="0">\n${table}</div>\n</details>\n`;
  const body = `<main>\n<h1>${toShownXml(chart.title)}</h1>\n${subtitle}${html}${data}</main>\n<footer>\n${writeProvenanceList(result.provenance, toFooter(chart))}</footer>`;
  return writeHtmlPage({ title: chart.title, css: toPageStyle(rules), body });
}

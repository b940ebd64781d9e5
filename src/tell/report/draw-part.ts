import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Chart } from '../../show/chart/chart.ts';
import { toChart } from '../../show/to-chart.ts';
import type { ReportPart } from './report.ts';

export type ChartPart = Extract<ReportPart, { readonly kind: 'chart' }>;

/** The drawing, or a sentence why there is none. Then the figures are shown as a table. */
export type Drawn<T> = { readonly chart: Chart; readonly drawing: T } | { readonly why: string };

/**
 * Draws a part, or tells why not: its figures may not fit the requested chart, or a fragment may be undrawable. `title`
 * is that of the cell.
 */
export async function drawPart<T>(
  part: ChartPart,
  title: string | undefined,
  draw: (chart: Chart) => Promise<T>,
): Promise<Drawn<T>> {
  const { result, preference, annotations } = part;
  try {
    const chart = toChart(result, { preference, annotations, title: part.title ?? title });
    return { chart, drawing: await draw(chart) };
  } catch (error) {
    if (error instanceof InvalidInputError) return { why: `Not drawn: ${error.message}` };
    throw error;
  }
}

/** True if the figures of a chart are also shown as a table. */
export function isShownAsTable({ result }: ReportPart, parts: readonly ReportPart[]): boolean {
  return parts.some((other) => other.kind === 'table' && (other.of ?? other.result) === result);
}

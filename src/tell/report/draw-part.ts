import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Chart } from '../../show/chart/chart.ts';
import { toChart } from '../../show/to-chart.ts';
import type { ReportPart } from './report.ts';

export type ChartPart = Extract<ReportPart, { readonly kind: 'chart' }>;

/** Or why there is none, in a sentence: then the figures stand as a table. */
export type Drawn<T> = { readonly chart: Chart; readonly drawing: T } | { readonly why: string };

/**
 * The drawing of a part. Its figures may not fit the chart that is asked for, or a fragment may draw nothing. `title`:
 * that of the cell.
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

/** Whether the figures of a chart stand below or above it as a table, too. */
export function standsAsTable({ result }: ReportPart, parts: readonly ReportPart[]): boolean {
  return parts.some((other) => other.kind === 'table' && (other.of ?? other.result) === result);
}

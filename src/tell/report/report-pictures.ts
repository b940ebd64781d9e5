import { createHash } from 'node:crypto';
import type { Chart } from '../../show/chart/chart.ts';
import { describeChart } from '../../show/chart/vega-lite/describe-chart.ts';
import { toVegaLite } from '../../show/chart/vega-lite/to-vega-lite.ts';
import { toSvg } from '../../show/picture/to-svg.ts';
import { type ChartPart, drawPart } from './draw-part.ts';
import type { Report } from './report.ts';
import { nameOf } from './summary.ts';

/** A chart of a report as a separate picture, with title, notes and background. */
export interface ReportPicture {
  /** `users-a-day-1f3a9c2e.svg`. The name contains a hash of the picture, so no cache can show a wrong one. */
  readonly name: string;
  readonly svg: string;
  /** The description in one sanitized line. */
  readonly words: string;
  readonly chart: Chart;
}

export interface DrawPicturesOptions {
  /** Pixels. */
  readonly width?: number | undefined;
  /** Include title and notes in the picture (default: true). Otherwise the text around it has them. */
  readonly worded?: boolean | undefined;
}

/** The pictures of a report by part, or the reason why one cannot be drawn. */
export type ReportPictures = ReadonlyMap<ChartPart, ReportPicture | { readonly why: string }>;

export async function drawPictures(
  { blocks }: Pick<Report, 'blocks'>,
  { width, worded = true }: DrawPicturesOptions = {},
): Promise<ReportPictures> {
  const pictures = new Map<ChartPart, ReportPicture | { readonly why: string }>();
  for (const block of blocks) {
    if (block.kind !== 'cell') continue;
    for (const part of block.parts) {
      if (part.kind !== 'chart') continue;
      const told = await drawPart(part, block.title, (chart) => {
        const { title, ...untitled } = toVegaLite(chart, { width, withNotes: worded });
        return toSvg(worded && title !== undefined ? { ...untitled, title } : untitled, { title: chart.title });
      });
      pictures.set(
        part,
        'why' in told
          ? told
          : {
              name: toName(part.title ?? nameOf(block), told.drawing),
              svg: told.drawing,
              words: describeChart(told.chart),
              chart: told.chart,
            },
      );
    }
  }
  return pictures;
}

/** Matches names made by `toName`, to find older pictures. */
export const pictureName = /^[a-z0-9-]+-[0-9a-f]{8}\.svg$/;

function toName(title: string, svg: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return `${plain || 'chart'}-${createHash('sha256').update(svg).digest('hex').slice(0, 8)}.svg`;
}

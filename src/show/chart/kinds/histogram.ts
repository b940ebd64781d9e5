import { invariant } from '../../../ask/invariant.ts';
import { plural } from '../../../ask/text.ts';
import { formatNumber, formatCount } from '../../../shape/format/format-number.ts';
import { isPartial, nameEnd } from '../../labels/mark-legend.ts';
import { type Bins, quantile, toBins } from '../bins.ts';
import type { ChartInput } from '../build-panels.ts';
import type { Chart, ChartBody, DrawOptions, VegaLiteSpec } from '../chart.ts';
import { toDrawable } from '../column-roles.ts';
import { toBandAxis, toValueLabels, toValueScale } from '../layers/vega-lite-axis.ts';
import { formatDrawn, toShownText } from '../names.ts';
import { barSigns, type ChartType, toTitle } from './chart-type.ts';

export const histogram: ChartType = {
  name: 'Histogram',
  signs: barSigns,
  fits: ({ measures, dimensions, shared }) => measures === 1 && dimensions > 0 && !shared,
  needs: 'one measure of many groups, over one range',
  build,
  title: ({ input: { roles, headings }, measured, by }) =>
    `Distribution of ${toTitle({ measured: headings.get(roles.measures[0]?.column.key ?? '') ?? measured, by })}`,
  draw: (chart, options) => [draw(chart, options)],
  describe: (chart) => [describe(chart)],
};

/** Counts groups (rows of the answer) by their value of the measure, one bar per bin. */
function build({ result, roles, headings }: ChartInput): ChartBody {
  const [measure] = roles.measures;
  invariant(measure, 'a histogram has a measure');
  const { key, format } = measure.column;
  const title = toShownText(headings.get(key) ?? key);
  const values = result.values(key);
  const flags = result.marks.flags(key);
  const numbers: number[] = [];
  let missing = 0;
  let undrawable = 0;
  let partial = 0;
  for (let row = 0; row < result.rowCount; row += 1) {
    const value = values[row] ?? null;
    const number = toDrawable(value);
    if (value === null) missing += 1;
    else if (number === null) undrawable += 1;
    else numbers.push(number);
    if (number !== null && isPartial(flags?.[row] ?? 0)) partial += 1;
  }
  const bins = numbers.length === 0 ? { step: 1, decimals: 0, bounds: [0], counts: [] } : toBins(numbers);
  // The format may have too few decimal places for the bounds, as in `0.00 to 0.00`.
  const shown =
    new Set(bins.bounds.map((bound) => formatNumber(bound, format))).size === bins.bounds.length ? format : undefined;
  const notes = [
    ...(numbers.length === 0 ? [] : [describeSpread(numbers, shown)]),
    ...(missing > 0
      ? [
          `${formatCount(missing, 'group has', 'groups have')} no ${title}` +
            ` and ${plural(missing, 'is', 'are')} not in any bar.`,
        ]
      : []),
    ...(undrawable > 0
      ? [
          `${formatCount(undrawable, 'group is', 'groups are')} not in any bar, ` +
            `because ${plural(undrawable, 'its value is', 'their values are')} not finite.`,
        ]
      : []),
    ...(partial > 0
      ? [
          `${formatCount(partial, 'group is a time that is', 'groups are times that are')}` +
            ` cut by the range or the ${nameEnd(result.provenance)}.`,
        ]
      : []),
  ];
  // Bins of one whole number are labelled with it. Wider bins have their bounds below their edges.
  const isSingle = bins.step === 1 && numbers.every(Number.isInteger);
  const counts = bins.counts;
  return {
    x: {
      title: isSingle || counts.length === 0 ? title : `${title}, in bins of ${formatNumber(bins.step, shown)}`,
      scale: 'number',
      ordered: true,
      format: shown,
      labels: toBinLabels(bins, { isSingle, isWhole: numbers.every(Number.isInteger), format: shown }),
      positions: bins.bounds.slice(0, -1),
      ends: isSingle ? [] : bins.bounds.slice(1),
      flags: counts.map(() => 0),
    },
    panels: [
      {
        title: 'Groups',
        format: undefined,
        additive: true,
        series: [{ label: 'Groups', role: 'plain', values: counts, flags: counts.map(() => 0) }],
      },
    ],
    annotations: [],
    notes,
  };
}

/** `10–19` for whole numbers; `0.5–1` for others, without the upper bound. */
function toBinLabels(
  { bounds, decimals, counts }: Bins,
  {
    isSingle,
    isWhole,
    format,
  }: { readonly isSingle: boolean; readonly isWhole: boolean; readonly format: string | undefined },
): readonly string[] {
  const write = (value: number) =>
    formatNumber(decimals > 0 && decimals <= 20 ? value.toFixed(decimals) : value, format);
  return counts.map((_, index) => {
    const [from = 0, to = 0] = [bounds[index], bounds[index + 1]];
    if (isSingle) return write(from);
    return `${write(from)}–${write(isWhole ? to - 1 : to)}`;
  });
}

function describeSpread(numbers: readonly number[], format: string | undefined): string {
  const sorted = Float64Array.from(numbers).sort();
  const write = (value: number) => formatDrawn(value, format);
  if (sorted.length === 1) return `There is one group, with ${write(sorted[0] ?? 0)}.`;
  return (
    `Each bar counts the groups in its bin (${formatNumber(sorted.length)} in total). Values range from ` +
    `${write(sorted[0] ?? 0)} to ${write(sorted.at(-1) ?? 0)}; half are at most ${write(quantile(sorted, 0.5))}.`
  );
}

const labelWidth = 64;

/** One bar per bin, from bound to bound, or above its number if the bin holds one number. */
function draw({ x, panels }: Chart, { width, height, theme }: DrawOptions): VegaLiteSpec {
  const [series] = panels[0]?.series ?? [];
  const counts = series?.values ?? [];
  const isBand = x.ends.length === 0;
  const bounds = [...x.positions, ...x.ends.slice(-1)];
  const every = Math.ceil(bounds.length / Math.max(2, Math.floor(width / labelWidth)));
  const across = [{ label: '', role: 'plain' as const, values: bounds, flags: [] }];
  const band = toBandAxis(x, { width, field: 'place' });
  const along: VegaLiteSpec = isBand
    ? { x: { ...band, axis: { ...(band['axis'] as VegaLiteSpec), title: x.title } } }
    : {
        x: {
          field: 'x',
          type: 'quantitative',
          bin: 'binned',
          scale: { domain: [bounds[0] ?? 0, bounds.at(-1) ?? 1], nice: false, zero: false },
          axis: {
            ...toValueLabels({ format: x.format, series: across }),
            values: bounds.filter((_, index) => index % every === 0),
            grid: false,
            title: x.title,
            labelFlush: false,
          },
        },
        x2: { field: 'x_end' },
      };
  return {
    width,
    height,
    data: {
      values: counts.map((count, bin) => ({
        place: x.labels[bin] ?? '',
        ...(!isBand && { x: x.positions[bin] ?? 0, x_end: x.ends[bin] ?? 0 }),
        y: count,
      })),
    },
    mark: { type: 'bar', orient: 'vertical', color: theme.series[0] ?? theme.text },
    encoding: {
      ...along,
      y: {
        field: 'y',
        type: 'quantitative',
        scale: series ? toValueScale([series], { fromZero: true }) : {},
        axis: { format: ',d', tickMinStep: 1, title: null },
        stack: null,
      },
    },
  };
}

/** Names the bin with the most groups. */
function describe({ panels, x }: Chart): string {
  const counts = panels[0]?.series[0]?.values ?? [];
  const most = counts.reduce<number>((best, count, bin) => ((count ?? 0) > (counts[best] ?? 0) ? bin : best), 0);
  return (
    `${x.title}: ${formatCount(counts.length, 'bin')} from ${x.labels[0] ?? ''} to ${x.labels.at(-1) ?? ''}, ` +
    `most groups in ${x.labels[most] ?? ''} (${formatNumber(counts[most] ?? 0)}).`
  );
}

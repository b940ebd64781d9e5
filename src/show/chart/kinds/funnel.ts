import { invariant } from '../../../ask/invariant.ts';
import { labelOf } from '../../../plan/column.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { noValue } from '../../../shape/format/format.ts';
import { toPercent } from '../../../shape/funnel-result.ts';
import { textWidth } from '../../fonts/text-width.ts';
import { describePassage, describeTimedPassage, formatShare } from '../../labels/step-conversion.ts';
import { toNamedAxis } from '../axis-places.ts';
import type { ChartInput } from '../build-panels.ts';
import type { Chart, ChartBody, DrawOptions, Json, VegaLiteSpec } from '../chart.ts';
import { toDrawable } from '../column-roles.ts';
import { toFunnelName } from '../funnel-groups.ts';
import { toValueScale } from '../layers/vega-lite-axis.ts';
import { toDistinct, toName, toShownText } from '../names.ts';
import { type ChartType, figureSigns } from './chart-type.ts';

const letterWidth = 6.6;

/** Consecutive steps of all users together. */
export const funnel: ChartType = {
  name: 'Funnel',
  signs: figureSigns,
  fits: (shape) => shape.funnel,
  needs: 'a funnel',
  namesAside: 'places',
  build,
  title: ({ input: { roles }, measured }) => (roles.funnel ? toFunnelName(roles.funnel) : measured),
  // A funnel's name is not what it measures.
  keepsTitle: () => false,
  draw: (chart, options) => [draw(chart, options)],
  describe: (chart) => [describe(chart)],
};

/** One bar per step, with how many continued and how many did not. */
function build({ result, roles: { funnel } }: ChartInput): ChartBody {
  invariant(funnel, 'the chart of a funnel has one');
  const { step, name, count, median } = funnel;
  const numbers = result.values(step.key);
  const counts = Array.from({ length: result.rowCount }, (_, row) => toDrawable(result.values(count.key)[row] ?? null));
  const labels = toDistinct(
    counts.map((_, row) =>
      name
        ? `${toName(numbers[row] ?? null, step)} ${toName(result.values(name.key)[row] ?? null, name)}`
        : `Step ${toName(numbers[row] ?? null, step)}`,
    ),
  );
  const asides = counts.map((reached, row) => {
    const passage = describePassage(counts[0] ?? null, counts[row - 1] ?? null, reached);
    const seconds = median ? toDrawable(result.values(median.key)[row] ?? null) : null;
    return describeTimedPassage(
      passage,
      passage === '' || counts[row - 1] === 0 || seconds === null ? null : seconds * 1000,
    );
  });
  return {
    x: { ...toNamedAxis(toShownText(labelOf(step)), labels), asides },
    panels: [
      {
        title: toShownText(labelOf(count)),
        format: count.format,
        additive: false,
        series: [{ label: toShownText(labelOf(count)), role: 'plain', values: counts, flags: counts.map(() => 0) }],
      },
    ],
    annotations: [],
    notes: [],
  };
}

/** One bar per step, and between two bars a line about those who continued. */
function draw({ x, panels }: Chart, { width, theme }: DrawOptions): VegaLiteSpec {
  const [panel] = panels;
  const counts = panel?.series[0]?.values ?? [];
  const figures = counts.map((count) =>
    count === null ? noValue : `${formatNumber(count)} (${formatShare(toPercent(count, counts[0] ?? null))})`,
  );
  const gaps = counts.map((_, place) => `→${place}`);
  const names = Math.min(width * 0.4, Math.max(0, ...x.labels.map((label) => label.length)) * letterWidth);
  const rows = x.labels.flatMap((label, place): readonly { readonly [field: string]: Json }[] => [
    ...(place === 0
      ? []
      : [
          {
            place: gaps[place] ?? '',
            y: null,
            label: '',
            aside: fitClauses(x.asides?.[place] ?? '', width - names - 20),
          },
        ]),
    { place: label, y: counts[place] ?? 0, label: figures[place] ?? '', aside: '' },
  ]);
  const free = Math.min(
    0.6,
    (Math.max(0, ...figures.map((figure) => figure.length)) * letterWidth + 8) / Math.max(80, width - names - 16),
  );
  const across = {
    field: 'y',
    type: 'quantitative',
    scale: toValueScale(panel?.series ?? [], { fromZero: true, free }),
    axis: { labels: false, ticks: false, grid: false, domain: false, title: null },
    stack: null,
  };
  return {
    width,
    height: { step: 24 },
    data: { values: rows },
    encoding: {
      y: {
        field: 'place',
        type: 'nominal',
        sort: null,
        scale: { domain: rows.map((row) => row['place'] ?? ''), paddingInner: 0.15, paddingOuter: 0.1 },
        axis: {
          title: null,
          grid: false,
          ticks: false,
          domain: false,
          labelLimit: Math.round(width * 0.4),
          values: x.labels,
        },
      },
    },
    layer: [
      { mark: { type: 'bar', orient: 'horizontal', color: theme.series[0] ?? theme.text }, encoding: { x: across } },
      {
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 4, fontSize: 11 },
        encoding: { x: across, text: { field: 'label', type: 'nominal' }, color: { value: theme.text } },
      },
      {
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 4, fontSize: 11 },
        encoding: { x: { value: 0 }, text: { field: 'aside', type: 'nominal' }, color: { value: theme.quiet } },
      },
    ],
  };
}

/** Keeps as many clauses of a sentence as fit. */
function fitClauses(sentence: string, room: number): string {
  const end = sentence.lastIndexOf(', ');
  return end < 0 || textWidth(sentence, { size: 11 }) <= room ? sentence : fitClauses(sentence.slice(0, end), room);
}

function describe({ x, panels }: Chart): string {
  const counts = panels[0]?.series[0]?.values ?? [];
  return x.labels
    .map(
      (label, place) =>
        `${label}: ${counts[place] === null || counts[place] === undefined ? 'no value' : formatNumber(counts[place])}${x.asides?.[place] ? ` (${x.asides[place]})` : ''}.`,
    )
    .join(' ');
}

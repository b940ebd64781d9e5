import { filled, filledOrZero } from '../../../shape/result/marks.ts';
import type { PlacedAnnotation, ChartSeries, DrawOptions, VegaLiteSpec } from '../chart.ts';
import type { Theme } from '../palette.ts';

/**
 * A thin line at each date, numbered at its top in list order. Annotations at the same place share a line. `domain` is
 * that of the axis, `width` its pixels.
 */
export function annotationLayers(
  annotations: readonly PlacedAnnotation[],
  {
    domain: [start, end],
    width,
    theme,
  }: { readonly domain: readonly [number, number] } & Pick<DrawOptions, 'width' | 'theme'>,
): readonly VegaLiteSpec[] {
  if (annotations.length === 0) return [];
  const numbers = new Map<number, number[]>();
  annotations.forEach(({ position }, index) => numbers.set(position, [...(numbers.get(position) ?? []), index + 1]));
  const scale = width / (end - start);
  const labels = placeNumbers(Array.from(numbers, ([position, all]) => ({ at: (position - start) * scale, all })));
  const lines = { values: Array.from(numbers.keys(), (x) => ({ x })) };
  const data = { values: labels.map(({ at, mark }) => ({ x: Math.round(start + at / scale), mark })) };
  // One colour, independent of the colours of the series.
  const plain = { color: { value: theme.annotation } };
  return [
    { data: lines, mark: { type: 'rule', strokeWidth: 1, strokeDash: [1, 2] }, encoding: plain },
    {
      data,
      mark: { type: 'text', baseline: 'bottom', dy: -2, fontSize: 10 },
      encoding: { ...plain, y: { value: 0 }, text: { field: 'mark', type: 'nominal' } },
    },
  ];
}

interface NumberedLine {
  /** Pixels from the start of the axis. */
  readonly at: number;
  readonly all: readonly number[];
}

/** The labels of numbered lines in order. Those that would cover each other share one, in their middle. */
export function placeNumbers(
  lines: readonly NumberedLine[],
): readonly { readonly at: number; readonly mark: string }[] {
  const labels: { readonly first: number; readonly last: number; readonly all: readonly number[] }[] = [];
  for (const { at, all } of lines) {
    let label = { first: at, last: at, all };
    for (let before = labels.at(-1); before; before = labels.at(-1)) {
      const letters = nameNumbers(before.all).length + nameNumbers(label.all).length;
      const apart = (label.first + label.last - before.first - before.last) / 2;
      if (apart >= (letters / 2 + 2) * digitWidth) break;
      labels.pop();
      label = { first: before.first, last: label.last, all: [...before.all, ...label.all] };
    }
    labels.push(label);
  }
  return labels.map(({ first, last, all }) => ({ at: (first + last) / 2, mark: nameNumbers(all) }));
}

/** Pixels of a digit of a label. */
const digitWidth = 6;

/** `3`, or `3–5` for several at once. */
function nameNumbers(numbers: readonly number[]): string {
  const [first] = numbers;
  return numbers.length < 2 ? String(first ?? '') : `${first}–${numbers.at(-1)}`;
}

/** The field that marks a filled value. */
export function toFilledMark(flags: number, value: number): { readonly filled?: number; readonly uncertain?: number } {
  if ((flags & filled) !== 0) return { filled: value };
  return (flags & filledOrZero) !== 0 ? { uncertain: value } : {};
}

/**
 * An open circle for a value filled with 0, an open diamond if the server does not tell filled and real zeros apart.
 */
export function filledLayers(
  at: (field: string) => Readonly<Record<string, VegaLiteSpec>>,
  has: (field: string) => boolean,
  { background }: Theme,
): readonly VegaLiteSpec[] {
  return (
    [
      ['filled', 'circle'],
      ['uncertain', 'diamond'],
    ] as const
  ).flatMap(([field, shape]) => {
    if (!has(field)) return [];
    return [
      {
        mark: { type: 'point', shape, filled: false, size: 26, strokeWidth: 1, fill: background, opacity: 1 },
        encoding: at(field),
      },
    ];
  });
}

/** The colour of each series, in the palette's order. `other` and `previous` have their own. */
export function toSeriesColours(series: readonly ChartSeries[], theme: Theme): readonly string[] {
  const plain = series.filter(({ role }) => role === 'plain');
  return series.map((each) => {
    if (each.role !== 'plain') return each.role === 'other' ? theme.other : theme.previous;
    return theme.series[plain.indexOf(each) % theme.series.length] ?? theme.text;
  });
}

/** The colours of series, with a legend if there are several. */
export function toColour(series: readonly ChartSeries[], theme: Theme, width: number): VegaLiteSpec {
  const labels = series.map(({ label }) => label);
  const colours = toSeriesColours(series, theme);
  if (series.length < 2) return { value: colours[0] ?? theme.text };
  const longest = Math.max(...labels.map((label) => label.length));
  const columns = Math.max(1, Math.min(labels.length, Math.floor(width / (longest * 7 + 36))));
  return {
    field: 'series',
    type: 'nominal',
    sort: null,
    scale: { domain: labels, range: colours },
    legend: {
      title: null,
      orient: 'top',
      direction: 'horizontal',
      columns,
      labelLimit: Math.round(width * 0.8),
      symbolOpacity: 1,
    },
  };
}

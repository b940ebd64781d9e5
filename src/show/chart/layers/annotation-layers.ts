import type { PlacedAnnotation } from '../chart.ts';
import type { Theme } from '../palette.ts';
import type { VegaLiteSpec } from '../vega-lite-spec.ts';

/**
 * A thin line at each date, numbered at its top in the order in which they are listed. Those of one place share a line.
 */
export function annotationLayers(annotations: readonly PlacedAnnotation[], theme: Theme): readonly VegaLiteSpec[] {
  if (annotations.length === 0) return [];
  const numbers = new Map<number, number[]>();
  annotations.forEach(({ position }, index) => numbers.set(position, [...(numbers.get(position) ?? []), index + 1]));
  const data = { values: [...numbers].map(([position, all]) => ({ x: position, mark: nameNumbers(all) })) };
  // A colour of their own, whatever tells the series apart.
  const plain = { color: { value: theme.annotation } };
  return [
    { data, mark: { type: 'rule', strokeWidth: 1, strokeDash: [1, 2] }, encoding: plain },
    {
      data,
      mark: { type: 'text', baseline: 'bottom', dy: -2, fontSize: 10 },
      encoding: { ...plain, y: { value: 0 }, text: { field: 'mark', type: 'nominal' } },
    },
  ];
}

/** `3`, or `3–5` for several at once. */
export function nameNumbers(numbers: readonly number[]): string {
  const [first] = numbers;
  return numbers.length < 2 ? String(first ?? '') : `${first}–${numbers.at(-1)}`;
}

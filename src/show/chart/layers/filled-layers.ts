import { filled, filledOrZero } from '../../../shape/result/marks.ts';
import type { Theme } from '../palette.ts';
import type { VegaLiteSpec } from '../vega-lite-spec.ts';

/** Where a value is to be marked as one that nobody counted. */
export function toFilledMark(flags: number, value: number): { readonly filled?: number; readonly uncertain?: number } {
  if ((flags & filled) !== 0) return { filled: value };
  return (flags & filledOrZero) !== 0 ? { uncertain: value } : {};
}

/** An open circle where there was nothing, an open diamond where the server does not tell. */
export function filledLayers(
  up: (field: string) => VegaLiteSpec,
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
        encoding: { y: up(field) },
      },
    ];
  });
}

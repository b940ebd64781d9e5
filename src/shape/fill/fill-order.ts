import type { Column, Value } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Codes } from '../values/codes.ts';
import { compareValues } from '../values/compare-values.ts';

/** A key of the row order, as ranks that include the direction; nulls rank last. */
export type FillKey =
  | { readonly by: 'bucket'; readonly descending: boolean }
  /** The rank of each series. */
  | { readonly by: 'series'; readonly ranks: Int32Array }
  /** For each remaining row: below, at or above 0 if it comes before, with or after an absent value. */
  | { readonly by: 'measure'; readonly sides: Int8Array };

interface FillOrderInput {
  readonly plan: Plan;
  readonly axisColumn: number;
  /** Codes of the other dimensions, by column index. */
  readonly codes: ReadonlyMap<number, Codes>;
  /** One row of each series. */
  readonly rowOfSeries: Int32Array;
  /** The sides of the remaining rows for the column index of a measure. */
  readonly sidesOf: (column: number, descending: boolean) => Int8Array;
}

/** The plan's order, then the remaining dimensions and time, ascending, so that no two cells tie. */
export function toFillKeys({ plan, axisColumn, codes, rowOfSeries, sidesOf }: FillOrderInput): readonly FillKey[] {
  const ordered = new Set(plan.order.map((entry) => entry.column));
  const rest = plan.columns.flatMap((column, index) =>
    ordered.has(index) || column.kind === 'measure' ? [] : [{ column: index, descending: false }],
  );
  return [...plan.order, ...rest].map(({ column, descending }): FillKey => {
    if (column === axisColumn) return { by: 'bucket', descending };
    const coded = codes.get(column);
    if (!coded) return { by: 'measure', sides: sidesOf(column, descending) };
    const type = plan.columns[column]?.type ?? 'string';
    const ranks = rankDictionary(coded.dictionary, type, descending);
    return { by: 'series', ranks: Int32Array.from(rowOfSeries, (row) => ranks[coded.codes[row] as number] as number) };
  });
}

/** Whether each remaining value comes before (−1), with (0) or after (1) an absent one. */
export function toSides(values: Iterable<Value>, absent: Value, type: Column['type'], descending: boolean): Int8Array {
  const sign = descending ? -1 : 1;
  return Int8Array.from(values, (value) => {
    const order = Math.sign(compareValues(value, absent, type));
    return value === null || absent === null ? order : order * sign;
  });
}

function rankDictionary(dictionary: readonly Value[], type: Column['type'], descending: boolean): Int32Array {
  const sign = descending ? -1 : 1;
  const order = dictionary
    .map((_, code) => code)
    .sort((left, right) => {
      const a = dictionary[left] as Value;
      const b = dictionary[right] as Value;
      const difference = compareValues(a, b, type);
      return a === null || b === null ? difference : difference * sign;
    });
  const ranks = new Int32Array(dictionary.length);
  order.forEach((code, rank) => {
    ranks[code] = rank;
  });
  return ranks;
}

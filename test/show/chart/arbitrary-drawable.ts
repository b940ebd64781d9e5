import fc from 'fast-check';
import type { Column, Value } from '../../../src/plan/column.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { anyText } from '../arbitrary-result.ts';
import { exampleResult, numberColumn, textColumn } from '../example-result.ts';
import { days, timeColumn } from './specimens.ts';

const anyFigure: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -1000, max: 100_000 }) },
  { weight: 2, arbitrary: fc.double({ min: -1e9, max: 1e9, noNaN: true }) },
  { weight: 2, arbitrary: fc.constant(null) },
  fc.constantFrom<Value>(
    0,
    1e308,
    -1e308,
    1e-300,
    12345678901234567890n,
    '12345678901234567.25',
    '1e400',
    'no number',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
  ),
);

const granularities = ['day', 'week', 'month', 'hour'] as const;

/** Times of a granularity, each at most once, in any order. */
function anyTimes(granularity: (typeof granularities)[number]): fc.Arbitrary<readonly string[]> {
  const all =
    granularity === 'month'
      ? Array.from({ length: 20 }, (_, index) => new Date(Date.UTC(2023, index, 1)).toISOString().slice(0, -1))
      : granularity === 'hour'
        ? Array.from({ length: 40 }, (_, index) => new Date(Date.UTC(2024, 0, 1, index)).toISOString())
        : days(granularity === 'week' ? 280 : 40).filter((_, index) => granularity !== 'week' || index % 7 === 0);
  return fc.subarray([...all]);
}

export interface DrawableParts {
  readonly result: Result;
  readonly time: Column | undefined;
  readonly names: readonly Column[];
  readonly measures: readonly Column[];
}

/**
 * Arbitrary results in the form of answers: with or without a time, up to two dimensions and three measures, each
 * combination once.
 */
export const anyDrawable: fc.Arbitrary<DrawableParts> = fc
  .record({
    granularity: fc.option(fc.constantFrom(...granularities)),
    dimensions: fc.array(
      fc.record({ title: anyText, names: fc.uniqueArray(fc.option(anyText), { minLength: 1, maxLength: 30 }) }),
      { maxLength: 2 },
    ),
    measures: fc.array(
      fc.record({ title: anyText, additive: fc.boolean(), format: fc.constantFrom(undefined, 'percent', 'currency') }),
      { minLength: 1, maxLength: 3 },
    ),
    kept: fc.integer({ min: 1, max: 100 }),
    seed: fc.nat(),
  })
  .chain(({ granularity, dimensions, measures, kept, seed }) =>
    (granularity === null ? fc.constant<readonly string[]>([]) : anyTimes(granularity)).chain((times) => {
      const time = granularity === null ? undefined : timeColumn(granularity);
      const names = dimensions.map(({ title }, index) => textColumn(`name${index}`, title));
      const columns = measures.map(({ title, additive, format }, index) =>
        numberColumn(`measure${index}`, title, { additive, format, whenAbsent: additive ? 0 : null }),
      );
      const lists: readonly (readonly Value[])[] = [...(time ? [times] : []), ...dimensions.map((one) => one.names)];
      const all = lists.reduce<readonly (readonly Value[])[]>(
        (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
        [[]],
      );
      const rows = all.filter((_, index) => (index * 7919 + seed) % 100 < kept).slice(0, 400);
      return fc
        .tuple(...columns.map(() => fc.array(anyFigure, { minLength: rows.length, maxLength: rows.length })))
        .map(
          (values): DrawableParts => ({
            time,
            names,
            measures: columns,
            result: exampleResult([
              ...[...(time ? [time] : []), ...names].map(
                (column, at) => [column, rows.map((row) => row[at] ?? null)] as const,
              ),
              ...columns.map((column, at) => [column, values[at] ?? []] as const),
            ]),
          }),
        );
    }),
  );

import type { Column } from '../plan/column.ts';
import type { ValueType } from '../plan/value-type.ts';
import type { Batch, StoredAnswer } from '../run/backend.ts';
import type { Provenance } from '../shape/provenance.ts';
import type { Result } from '../shape/result.ts';
import { decideType } from './decide-type.ts';
import { toBatch } from './to-batch.ts';

/** The rows of an answer to be written: all of them at hand, or read piece by piece; either way they make the same bytes. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly provenance: Provenance;
  /** One for each column; undefined where only all values at once could tell. */
  readonly types: () => readonly ValueType[] | undefined;
  /** From the start, each time. */
  readonly batches: (signal?: AbortSignal) => AsyncIterable<Batch> | Iterable<Batch>;
  /** The values of a column of texts, each once, in no order; undefined where there are more than `most`. */
  readonly distinctTexts: (column: number, most: number) => Promise<readonly string[] | undefined>;
  readonly parquet?: StoredAnswer['parquet'];
  readonly view?: StoredAnswer['view'];
  readonly extremes?: StoredAnswer['extremes'];
}

export function rowsOfResult(result: Result<object>): RowSource {
  const { columns, provenance } = result;
  let types: readonly ValueType[] | undefined;
  return {
    columns,
    provenance,
    types: () => (types ??= columns.map((column) => decideType(column, result.types.get(column.key), result.values(column.key)))),
    batches: () => [toBatch(result)],
    async distinctTexts(index, most) {
      const { dictionary } = result.codes((columns[index] as Column).key);
      const texts = toTexts(dictionary);
      return texts.length > most ? undefined : texts;
    },
  };
}

export function rowsOfStored(stored: StoredAnswer, columns: readonly Column[], provenance: Provenance): RowSource {
  return {
    columns,
    provenance,
    types: () => (stored.types.every((type) => type !== undefined) ? stored.types : undefined),
    batches: (signal) => stored.batches(signal),
    async distinctTexts(index, most) {
      const values = await stored.distinct(index, most);
      return values && toTexts(values);
    },
    ...(stored.parquet ? { parquet: stored.parquet } : {}),
    ...(stored.view ? { view: stored.view } : {}),
    ...(stored.extremes ? { extremes: stored.extremes } : {}),
  };
}

function toTexts(values: readonly (string | number | bigint | boolean | null)[]): readonly string[] {
  return [...new Set(values.flatMap((value) => (value === null ? [] : [String(value)])))];
}

import type { Column, TypeClaim, Value, ValueType } from '../../plan/column.ts';
import { toInstant } from '../../plan/to-instant.ts';
import { toUnscaled } from '../../plan/to-unscaled.ts';
import type { Batch, StoredAnswer } from '../../run/backend.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Values } from '../../shape/values/values.ts';
import { toBatch } from './chunks.ts';

/**
 * The type of all values of a column. The engine's claim holds unless a value contradicts it. Without a claim, the
 * column and its values decide. Numbers that no type holds exactly become text.
 */
function decideType(column: Column, claim: TypeClaim | undefined, values: Values): ValueType {
  return candidates(column, claim, values).find((type) => fits(type, values)) ?? { kind: 'text' };
}

const wide = { kind: 'decimal', precision: 38, scale: 0 } as const;

function candidates(column: Column, claim: TypeClaim | undefined, values: Values): readonly ValueType[] {
  if (claim) return claim.kind === 'whole' ? [{ kind: 'integer' }, wide] : [claim];
  switch (column.type) {
    case 'string':
      return [];
    case 'boolean':
      return [{ kind: 'boolean' }];
    case 'time':
      return [{ kind: 'time', utc: !isWallTime(values) }];
    case 'number':
      // Sums and counts of whole numbers are integers. An average is not an integer even if its values are whole.
      return column.additive ? [{ kind: 'integer' }, wide, { kind: 'double' }] : [{ kind: 'double' }, wide];
  }
}

/** True if the labels have no offset. A column never mixes both kinds. */
function isWallTime(values: Values): boolean {
  return !values.some((value: Value) => typeof value === 'string' && /(?:Z|[+-]\d\d:\d\d)$/.test(value));
}

function fits(type: ValueType, values: Values): boolean {
  if (values instanceof Float64Array && type.kind === 'double') return true;
  const fit = fitness[type.kind];
  return values.every((value: Value) => value === null || fit(value, type));
}

type Present = NonNullable<Value>;

const fitness: Readonly<Record<ValueType['kind'], (value: Present, type: ValueType) => boolean>> = {
  text: () => true,
  boolean: (value) => typeof value === 'boolean',
  double: (value) => typeof value === 'number',
  integer: (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)),
  decimal: (value, type) => {
    if (type.kind !== 'decimal' || typeof value === 'boolean') return false;
    const unscaled = toUnscaled(value, type.scale);
    return unscaled !== undefined && (unscaled < 0n ? -unscaled : unscaled) < 10n ** BigInt(type.precision);
  },
  time: (value) => typeof value === 'string' && toInstant(value) !== undefined,
};

/** The rows of an answer to write, in memory or read in pieces; both produce the same bytes. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly provenance: Provenance;
  /** One per column; undefined if only all values at once could tell. */
  readonly types: () => readonly ValueType[] | undefined;
  /** Each call starts from the first row. */
  readonly batches: (signal?: AbortSignal) => AsyncIterable<Batch> | Iterable<Batch>;
  /** The distinct values of a text column, unordered; undefined if there are more than `most`. */
  readonly distinctTexts: (column: number, most: number) => Promise<readonly string[] | undefined>;
  readonly parquet?: StoredAnswer['parquet'];
  readonly text?: StoredAnswer['text'];
  readonly view?: StoredAnswer['view'];
  readonly extremes?: StoredAnswer['extremes'];
}

export function rowsOfResult(result: Result<object>): RowSource {
  const { columns, provenance } = result;
  let types: readonly ValueType[] | undefined;
  return {
    columns,
    provenance,
    types: () =>
      (types ??= columns.map((column) => decideType(column, result.types.get(column.key), result.values(column.key)))),
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
    ...(stored.text ? { text: stored.text } : {}),
    ...(stored.view ? { view: stored.view } : {}),
    ...(stored.extremes ? { extremes: stored.extremes } : {}),
  };
}

function toTexts(values: readonly (string | number | bigint | boolean | null)[]): readonly string[] {
  return [...new Set(values.flatMap((value) => (value === null ? [] : [String(value)])))];
}

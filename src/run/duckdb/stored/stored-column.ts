import type { DuckDBType } from '@duckdb/node-api';
import type { Column, TypeClaim, ValueType } from '../../../plan/column.ts';
import { type Kind, kindOf } from '../engine/decode-column.ts';
import { toTypeClaim } from '../engine/type-claim.ts';

/** How a column of a statement lies in a Parquet file of the engine's own, and comes back as what it was. */
export interface StoredColumn {
  readonly column: Column;
  readonly kind: Kind;
  /** Of what `fromStored` gives, as DuckDB names it. */
  readonly type: string;
  readonly claim: TypeClaim | undefined;
  /** To the nanosecond: DuckDB's own casts round these towards 1970. */
  readonly isNanosecond: boolean;
  /** Of the statement's column, by its name there. */
  readonly toStored: (name: string) => string;
  /** Of the file's column. */
  readonly fromStored: (name: string) => string;
  /** One condition on all of the file's values for each type, the likeliest first; the last one always holds. */
  readonly proofs: readonly { readonly type: ValueType; readonly holds: (name: string) => string }[];
}

const asIs = (name: string) => name;
const asText = (name: string) => `CAST(${name} AS VARCHAR)`;
const always = () => 'true';

/** undefined: values of this type would come back as something else. */
export function toStoredColumn(type: DuckDBType, column: Column): StoredColumn | undefined {
  const kind = kindOf(type);
  const claim = toTypeClaim(type, column);
  const stored = {
    column,
    kind,
    type: type.toString(),
    claim,
    isNanosecond: type.toString() === 'TIMESTAMP_NS',
    toStored: asIs,
    fromStored: asIs,
    proofs: toProofs(claim),
  };
  // Parquet has no such integers: DuckDB would write doubles.
  if (/^U?HUGEINT$/.test(type.toString()))
    return { ...stored, toStored: asText, fromStored: (name) => `CAST(${name} AS ${type.toString()})` };
  if (kind !== 'other') return stored;
  const isText = /^(ENUM|UUID)\b/.test(type.toString());
  return isText && column.type !== 'number'
    ? { ...stored, kind: 'text', type: 'VARCHAR', toStored: asText }
    : undefined;
}

function toProofs(claim: TypeClaim | undefined): StoredColumn['proofs'] {
  const text = { type: { kind: 'text' }, holds: always } as const;
  if (claim === undefined) return [];
  if (claim.kind === 'whole') {
    return [
      {
        type: { kind: 'integer' },
        holds: (name) =>
          `coalesce(bool_and(TRY_CAST(${name} AS BIGINT) IS NOT NULL) FILTER (WHERE ${name} IS NOT NULL), true)`,
      },
      {
        type: { kind: 'decimal', precision: 38, scale: 0 },
        holds: (name) => `coalesce(bool_and(length(ltrim(CAST(${name} AS VARCHAR), '-')) <= 38), true)`,
      },
      text,
    ];
  }
  if (claim.kind === 'time') return [{ type: claim, holds: isTime }, text];
  return [{ type: claim, holds: always }];
}

/** The file's column as the values that an answer has, of the given type, in SQL. undefined: SQL cannot say it. */
export function toTyped(
  { kind, column, isNanosecond }: StoredColumn,
  type: ValueType,
  name: string,
): string | undefined {
  switch (type.kind) {
    case 'integer':
      return `CAST(${name} AS BIGINT)`;
    case 'decimal':
      return `CAST(${name} AS DECIMAL(${type.precision}, ${type.scale}))`;
    case 'double':
      return `CAST(${name} AS DOUBLE)`;
    case 'boolean':
      return name;
    case 'time': {
      if (isNanosecond) return undefined;
      const instant = `date_trunc('milliseconds', CAST(${name} AS TIMESTAMP))`;
      return type.utc ? `CAST(${instant} AS TIMESTAMPTZ)` : instant;
    }
    case 'text':
      return kind === 'text' || kind === 'integer' || kind === 'boolean' || (kind === 'date' && column.type !== 'time')
        ? asText(name)
        : undefined;
  }
}

/** Times of JavaScript end before those of DuckDB do. */
function isTime(name: string): string {
  const time = `TRY_CAST(${name} AS TIMESTAMP)`;
  return `coalesce(bool_and(CASE WHEN ${name} IS NULL THEN NULL WHEN isfinite(${time}) THEN abs(epoch_ms(${time})) <= 8640000000000000 ELSE false END), true)`;
}

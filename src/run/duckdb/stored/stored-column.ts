import type { DuckDBType } from '@duckdb/node-api';
import type { Column, TypeClaim, ValueType } from '../../../plan/column.ts';
import { type Kind, kindOf, toTypeClaim } from '../engine/decode-column.ts';

/** How a column is stored in the engine's Parquet file and read back unchanged. */
export interface StoredColumn {
  readonly column: Column;
  readonly kind: Kind;
  /** DuckDB's name for the type that `fromStored` returns. */
  readonly type: string;
  readonly claim: TypeClaim | undefined;
  /** Exact to the nanosecond, while DuckDB's casts round towards 1970. */
  readonly isNanosecond: boolean;
  /** SQL over the statement's column. */
  readonly toStored: (name: string) => string;
  /** SQL over the file's column. */
  readonly fromStored: (name: string) => string;
  /** A condition on all values of the file for each type, the likeliest first; the last always holds. */
  readonly proofs: readonly { readonly type: ValueType; readonly holds: (name: string) => string }[];
}

const asIs = (name: string) => name;
const asText = (name: string) => `CAST(${name} AS VARCHAR)`;
const always = () => 'true';

/** undefined if values of this type could not be read back unchanged. */
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
  // Parquet has no 128-bit integers; DuckDB would write doubles.
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

/** SQL for the stored column as the answer's values of the given type; undefined if SQL cannot express it. */
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

/** JavaScript's range of times is smaller than DuckDB's. */
function isTime(name: string): string {
  const time = `TRY_CAST(${name} AS TIMESTAMP)`;
  return `coalesce(bool_and(CASE WHEN ${name} IS NULL THEN NULL
    WHEN isfinite(${time}) THEN abs(epoch_ms(${time})) <= 8640000000000000 ELSE false END), true)`;
}

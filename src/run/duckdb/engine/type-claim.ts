import type { DuckDBType } from '@duckdb/node-api';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { Column, TypeClaim } from '../../../plan/column.ts';
import { kindOf } from './decode-column.ts';

const text = { kind: 'text' } as const;

/**
 * The data type of a column by DuckDB's type alone, so that it is the same for every answer to a question. undefined
 * for numbers that arrive as text.
 */
export function toTypeClaim(type: DuckDBType, column: Column): TypeClaim | undefined {
  const kind = kindOf(type);
  if (column.type === 'string') return text;
  switch (kind) {
    case 'integer':
      return { kind: isBeyond64Bits(type) ? 'whole' : 'integer' };
    case 'decimal': {
      const { width, scale } = type as unknown as { readonly width: number; readonly scale: number };
      return { kind, precision: width, scale };
    }
    case 'double':
    case 'boolean':
      return { kind };
    case 'instant':
      return toTime(column);
    case 'date':
      return column.type === 'time' ? toTime(column) : text;
    case 'text':
      return column.type === 'number' ? undefined : text;
    case 'other':
      return text;
  }
}

function isBeyond64Bits(type: DuckDBType): boolean {
  return /^(UBIGINT|U?HUGEINT)$/.test(type.toString());
}

/** Buckets of a day and longer are wall times without zone; other times are instants. See `Value`. */
export function toTime({ kind, granularity }: Column): TypeClaim {
  return { kind: 'time', utc: !(kind === 'time' && granularity !== undefined && isCalendarUnit(granularity)) };
}

import type { DuckDBType } from '@duckdb/node-api';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { Column, TypeClaim } from '../../../plan/column.ts';
import { kindOf } from './decode-column.ts';

const text = { kind: 'text' } as const;

/**
 * What a column's values are as data, by DuckDB's type alone: the same for every answer to the same question.
 * undefined: numbers that come as text.
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

/** Buckets of a day and longer are wall times of no zone; everything else is an instant. See `Value`. */
export function toTime({ kind, granularity }: Column): TypeClaim {
  return { kind: 'time', utc: !(kind === 'time' && granularity !== undefined && isCalendarUnit(granularity)) };
}

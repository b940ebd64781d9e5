import { bool, decimal128, dictionary, field, float64, int32, int64, timestamp, TimeUnit, utf8, type DataType, type Field } from '@uwdata/flechette';
import type { Column } from '../../plan/column.ts';
import type { ValueType } from '../../plan/value-type.ts';

/** A column as a field of an Arrow schema. `id`: of its dictionary, where it has one. */
export function toField(column: Column, type: ValueType, zone: string, id: number | undefined): Field {
  const data = id === undefined ? toDataType(column, type, zone) : dictionary(utf8(), int32(), false, id);
  const metadata = new Map([['title', column.title], ['member', column.member], ...(column.granularity ? [['granularity', column.granularity] as const] : [])]);
  return field(column.key, data, true, metadata as never);
}

function toDataType(column: Column, type: ValueType, zone: string): DataType {
  switch (type.kind) {
    case 'text':
      return utf8();
    case 'boolean':
      return bool();
    case 'integer':
      return int64();
    case 'double':
      return float64();
    case 'decimal':
      return decimal128(type.precision, type.scale);
    case 'time':
      // Readers show an instant in the zone that is named here; buckets are those of the query's zone.
      return type.utc ? timestamp(TimeUnit.MILLISECOND, column.kind === 'time' && column.granularity !== undefined ? zone : 'UTC') : timestamp(TimeUnit.MILLISECOND);
  }
}

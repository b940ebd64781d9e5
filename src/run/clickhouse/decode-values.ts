import type { Column, TypeClaim, Value } from '../../plan/column.ts';
import { decodeDecimal, decodeInteger, decodeNumericText, floorDivide, timeWriter, toTime } from '../decode-value.ts';
import type { NativeColumn, RawValue } from './native-reader.ts';
import { coreOf, type NativeType } from './native-type.ts';

/** Turns the values of a column into Result values. Create one per column, because it caches labels. */
export type ValueDecoder = (values: NativeColumn['values']) => readonly Value[] | Float64Array;

/** Gives the same values as the embedded engine does for the same data; see `columnDecoder`. */
export function openDecoder(type: NativeType, column: Column, zone: string): ValueDecoder {
  const core = coreOf(type);
  const decode = valueDecoder(core, column, zone);
  const isNumber = (core.kind === 'double' || core.kind === 'integer') && column.type === 'number';
  return (values) => {
    if (isNumber && values instanceof Float64Array) return values;
    if (isNumber && core.kind === 'integer' && !values.includes(null as never)) {
      const decoded = (values as readonly RawValue[]).map((value) => decode(value));
      return decoded.every((value) => typeof value === 'number') ? Float64Array.from(decoded as number[]) : decoded;
    }
    return Array.from(values as readonly RawValue[], (value) => (value === null ? null : decode(value)));
  };
}

function valueDecoder(type: NativeType, column: Column, zone: string): (value: RawValue) => Value {
  const written = column.type === 'string' ? (value: Value) => String(value) : (value: Value) => value;
  switch (type.kind) {
    case 'integer':
      // Comparisons return 0 or 1.
      if (column.type === 'boolean') return (value) => Number(value) !== 0;
      return (value) => written(typeof value === 'bigint' ? decodeInteger(value) : (value as number));
    case 'decimal':
      return (value) => written(decodeDecimal(BigInt(value as number | bigint), type.scale));
    case 'instant':
      return timeDecoder(column, zone, (value) =>
        Number(
          type.scale > 3
            ? floorDivide(BigInt(value), 10n ** BigInt(type.scale - 3))
            : BigInt(value) * 10n ** BigInt(3 - type.scale),
        ),
      );
    case 'date': {
      const label = timeDecoder(column, zone, (value) => Number(value) * 86_400_000);
      return column.type === 'time' ? label : (value) => String(label(value)).slice(0, 10);
    }
    case 'text':
    case 'fixed-text':
      return column.type === 'number' ? (value) => decodeNumericText(value as string) : (value) => value;
    default:
      return (value) => written(value);
  }
}

function timeDecoder(column: Column, zone: string, toInstant: (value: number | bigint) => number) {
  const write = timeWriter(column, zone);
  const labels = new Map<RawValue, string>();
  return (value: RawValue): string => {
    let label = labels.get(value);
    if (label === undefined) {
      if (labels.size > 10_000) labels.clear();
      label = write(toInstant(value as number | bigint));
      labels.set(value, label);
    }
    return label;
  };
}

/** The type claim of a column, from ClickHouse's type alone; compare `toTypeClaim` of the embedded engine. */
export function toClaim(type: NativeType, column: Column): TypeClaim | undefined {
  const core = coreOf(type);
  if (column.type === 'string') return { kind: 'text' };
  switch (core.kind) {
    case 'integer':
      if (column.type === 'boolean') return { kind: 'boolean' };
      // Counts are unsigned.
      return {
        kind: core.bytes > 8 || (core.bytes === 8 && !core.signed && column.kind !== 'measure') ? 'whole' : 'integer',
      };
    case 'decimal':
      return core.precision > 38 ? undefined : { kind: 'decimal', precision: core.precision, scale: core.scale };
    case 'double':
    case 'boolean':
      return { kind: core.kind };
    case 'instant':
      return toTime(column);
    case 'date':
      return column.type === 'time' ? toTime(column) : { kind: 'text' };
    case 'text':
    case 'fixed-text':
      return column.type === 'number' ? undefined : { kind: 'text' };
    default:
      return { kind: 'text' };
  }
}

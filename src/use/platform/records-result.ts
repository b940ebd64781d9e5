import type { Column, Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toResult } from '../../shape/result/result.ts';
import { noProvenance } from '../../shape/result/provenance.ts';

type Rec = Readonly<Record<string, unknown>>;

/** Converts records of any shape to rows. Nested values become JSON. */
export function toRecordsResult(records: readonly Rec[], source: string): Result {
  const names = [...new Set(records.flatMap((each) => Object.keys(each)))];
  return toResult({
    columns: names.map((name) => toColumn(name, records)),
    data: names.map((name) => records.map((each) => toValue(Object.hasOwn(each, name) ? each[name] : null))),
    provenance: { ...noProvenance, backend: 'platform', source, rows: records.length },
  });
}

/** Converts one record to rows of `field` and `value`. */
export function toFieldsResult(record: Rec, source: string): Result {
  const rows = Object.entries(record).map(([field, value]) => ({ field, value: String(toValue(value) ?? '') }));
  return toRecordsResult(rows, source);
}

function toColumn(name: string, records: readonly Rec[]): Column {
  const values = records.map((each) => each[name]).filter((value) => value !== null && value !== undefined);
  const isNumber = values.length > 0 && values.every((value) => typeof value === 'number');
  return {
    key: name,
    member: name,
    kind: 'dimension',
    type: isNumber ? 'number' : 'string',
    title: name,
    shortTitle: name,
    label: name,
    additive: false,
    whenAbsent: null,
  };
}

function toValue(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') return JSON.stringify(value);
  return value as Value;
}

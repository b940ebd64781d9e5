import type { ColumnTable } from 'arquero';
import type { Value } from '../plan/column.ts';
import { loadArquero } from './result/load-arquero.ts';
import { withNote } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { sumValues } from './values/decimal.ts';

/**
 * Returns one row with the exact sum of each additive measure. Distinct counts, averages, ratios and extremes do not
 * add up: their total is null, and a note names them. Query the engine without dimensions for their totals. A note
 * says if rows beyond a limit are missing.
 */
export function totals(result: Result<object>): Result {
  const measures = result.columns.filter((column) => column.kind === 'measure');
  const additive = measures.filter((column) => column.additive);
  const { op } = loadArquero();
  const table = result.toArquero<ColumnTable>();
  const gathered =
    additive.length === 0
      ? undefined
      : table.rollup(Object.fromEntries(additive.map(({ key }) => [key, op.array_agg(key)])));
  const data = measures.map(({ key, additive: adds }): readonly Value[] => [
    adds && gathered ? sumValues(gathered.get(key, 0) as Value[]) : null,
  ]);
  const others = measures.filter((column) => !column.additive);
  const notes: string[] = [];
  if (others.length > 0)
    notes.push(`No total of ${others.map((column) => column.title).join(', ')}: it cannot be added up.`);
  if (result.provenance.truncated)
    notes.push(`The totals contain only the rows up to the limit of ${result.provenance.truncated.limit}.`);
  return toResult({
    columns: measures,
    data,
    provenance: notes.reduce(withNote, { ...result.provenance, rows: 1 }),
    types: result.types,
  });
}

import { joined, name, sql, trusted, type Expression } from './expression.ts';
import type { Select } from './select.ts';

/** A statement tree as one expression, a clause a line. */
export function printSelect(select: Select): Expression {
  const clauses: Expression[] = [];
  if (select.with?.length) {
    const tables = select.with.map((table) => sql`${name(table.name)} AS (\n${printSelect(table.select)}\n)`);
    clauses.push(sql`WITH ${joined(tables, ', ')}`);
  }
  const columns = select.columns.map((column) => sql`${column.expression} AS ${name(column.alias)}`);
  clauses.push(sql`SELECT ${trusted(select.distinct ? 'DISTINCT ' : '')}${joined(columns, ', ')}`);
  clauses.push(sql`FROM ${select.from.source} AS ${name(select.from.alias)}`);
  for (const join of select.joins ?? []) {
    clauses.push(sql`${trusted(join.kind)} JOIN ${join.source} AS ${name(join.alias)} ON ${join.on}`);
  }
  if (select.where?.length) clauses.push(sql`WHERE ${joined(select.where, ' AND ')}`);
  if (select.groupBy?.length) clauses.push(sql`GROUP BY ${joined(select.groupBy, ', ')}`);
  if (select.having?.length) clauses.push(sql`HAVING ${joined(select.having, ' AND ')}`);
  if (select.orderBy?.length) {
    // Engines differ in where nulls stand by default; an answer must not.
    const keys = select.orderBy.map((key) => sql`${key.expression} ${trusted(key.descending ? 'DESC' : 'ASC')} NULLS LAST`);
    clauses.push(sql`ORDER BY ${joined(keys, ', ')}`);
  }
  if (select.limit !== undefined) clauses.push(trusted(`LIMIT ${wholeNumber(select.limit)}`));
  if (select.offset) clauses.push(trusted(`OFFSET ${wholeNumber(select.offset)}`));
  return joined(clauses, '\n');
}

function wholeNumber(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a row count: ${count}`);
  return String(count);
}

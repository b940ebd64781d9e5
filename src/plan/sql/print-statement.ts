import type { Dialect } from './dialect.ts';
import { type Expression, joined, name, type Parameter, sql, trusted } from './expression.ts';
import type { CommonTable, Select } from './statement.ts';

/** Prints an expression in a dialect: names are quoted, and parameters are numbered from 1 and extracted. */
export function printStatement(
  expression: Expression,
  dialect: Dialect,
): { readonly text: string; readonly parameters: readonly Parameter[] } {
  const parameters: Parameter[] = [];
  let text = '';
  for (const part of expression.parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'name') text += dialect.quoteName(part.name);
    else {
      parameters.push(part.parameter);
      text += dialect.placeholder(parameters.length, part.parameter);
    }
  }
  return { text, parameters };
}

/** Prints a SELECT as one expression, one clause per line. */
export function printSelect(select: Select): Expression {
  const clauses: Expression[] = [];
  if (select.with?.length) {
    const tables = select.with.map((table) =>
      'rows' in table ? printTable(table) : sql`${name(table.name)} AS (\n${printSelect(table.select)}\n)`,
    );
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
  if (select.qualify?.length) clauses.push(sql`QUALIFY ${joined(select.qualify, ' AND ')}`);
  if (select.orderBy?.length) {
    // Engines order nulls differently by default; answers must not.
    const keys = select.orderBy.map(
      (key) => sql`${key.expression} ${trusted(key.descending ? 'DESC' : 'ASC')} NULLS LAST`,
    );
    clauses.push(sql`ORDER BY ${joined(keys, ', ')}`);
  }
  if (select.limit !== undefined) clauses.push(trusted(`LIMIT ${wholeNumber(select.limit)}`));
  if (select.offset) clauses.push(trusted(`OFFSET ${wholeNumber(select.offset)}`));
  return joined(clauses, '\n');
}

function printTable({ name: table, rows }: CommonTable): Expression {
  return sql`${name(table)} AS MATERIALIZED (\n${rows}\n)`;
}

/** Adds common tables to a statement. */
export function withTables(tables: readonly CommonTable[], statement: Expression): Expression {
  return tables.length === 0 ? statement : sql`WITH ${joined(tables.map(printTable), ', ')}\n${statement}`;
}

function wholeNumber(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a row count: ${count}`);
  return String(count);
}

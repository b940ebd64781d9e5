import type { Engine } from '../../engine/engine.ts';
import { quoteName, quotePaths } from '../../engine/sql-text.ts';

/** Rows that are read to find columns of bytes. */
const mostSampled = 10_000;

/**
 * SQL for the text of columns that Parquet files hold as bytes, by column; empty if all of them are text, which many
 * writers do not declare. `names`: the columns with undeclared bytes, also within objects and lists.
 */
export async function textsOfBytes(
  engine: Engine,
  paths: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const columns = names.map(quoteName).join(', ');
  const rowsOf = (options: string) =>
    `(SELECT ${columns} FROM read_parquet(${quotePaths(paths)}, hive_partitioning = false${options}) LIMIT ${mostSampled})`;
  try {
    await engine.rows(`SELECT max(hash(${columns})) FROM ${rowsOf(', binary_as_string = true')}`);
    return new Map();
  } catch (error) {
    if (!/not valid UTF8/.test(String(error))) throw error;
  }
  const described = await engine.rows(`DESCRIBE SELECT * FROM ${rowsOf('')}`);
  const [held = []] = await engine.rows(
    `SELECT ${described.map(([name, type]) => (type === 'BLOB' ? `bool_or(${isNoText(quoteName(String(name)))})` : 'false')).join(', ')} FROM ${rowsOf('')}`,
  );
  return new Map(
    described.map(([name, type], at) => {
      const value = quoteName(String(name));
      return [String(name), held[at] === true ? bytesText(value) : toText(value, String(type))];
    }),
  );
}

function isNoText(value: string): string {
  return `${value} IS NOT NULL AND TRY(decode(${value})) IS NULL`;
}

/** A UUID if there are 16 bytes, otherwise hexadecimal digits. */
function bytesText(value: string): string {
  const digits = `lower(hex(${value}))`;
  const uuid = String.raw`regexp_replace(${digits}, '^(.{8})(.{4})(.{4})(.{4})', '\1-\2-\3-\4-')`;
  return `CASE WHEN octet_length(${value}) = 16 THEN ${uuid} ELSE ${digits} END`;
}

/** SQL for a value of this type in which bytes are texts. */
function toText(value: string, type: string, depth = 0): string {
  if (type === 'BLOB') return `coalesce(TRY(decode(${value})), ${bytesText(value)})`;
  if (!/\bBLOB\b/.test(type)) return value;
  const item = `item${depth}`;
  const each = (list: string, of: (one: string) => string) => `list_transform(${list}, lambda ${item}: ${of(item)})`;
  const list = /^(.*)\[\d*\]$/s.exec(type);
  if (list) return each(value, (one) => toText(one, list[1]!, depth + 1));
  const [, kind, inside] = /^(STRUCT|MAP)\((.*)\)$/s.exec(type) ?? [];
  const parts = splitTypes(inside ?? '');
  if (kind === 'MAP' && parts.length === 2) {
    const [key, held] = parts.map((part) => part.trim()) as [string, string];
    const entry = (one: string) =>
      `{'key': ${toText(`${one}.key`, key, depth + 1)}, 'value': ${toText(`${one}.value`, held, depth + 1)}}`;
    return `map_from_entries(${each(`map_entries(${value})`, entry)})`;
  }
  if (kind !== 'STRUCT') return value;
  const members = parts.map((part) => {
    const [, name, held] = /^\s*("(?:[^"]|"")*"|\S+) (.*)$/s.exec(part)!;
    return `${name} := ${toText(`${value}.${name}`, held!, depth + 1)}`;
  });
  return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
}

/** Splits the members of a type at the commas outside of brackets and quoted names. */
function splitTypes(text: string): readonly string[] {
  const parts = [''];
  let inside = 0;
  for (const piece of text.match(/"(?:[^"]|"")*"|[^"]/gs) ?? []) {
    if (piece === '(') inside += 1;
    if (piece === ')') inside -= 1;
    if (piece === ',' && inside === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

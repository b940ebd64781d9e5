import { jsonType } from '../engine/column-text.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import { isCanonicalName, isKeptName, sizeKeys, type SourceColumn } from './event-columns.ts';

/** A key under which a mended file holds all further fields of a record at once, as the text of a JSON object. */
export const furtherKey = 'sluice further';

/**
 * SQL for the text of a JSON object with all fields that have no column, over the columns that a source has: keys
 * sorted by code unit, nulls left out, values as they were. NULL where there are none.
 */
export function furtherFields(columns: readonly SourceColumn[]): string {
  const folded = columns.find(({ name }) => name === furtherKey);
  // Written anew, so that numbers look as they do everywhere.
  if (folded) return `CAST(json(${quoteName(folded.name)}) AS VARCHAR)`;
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const members = columns
    .flatMap((column) => {
      const value = isProperty(column) ? jsonText(column) : leftOver(column, byName);
      return value === undefined
        ? []
        : [{ name: column.name, value: `${quoteText(`${JSON.stringify(column.name)}:`)} || ${value}` }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (members.length === 0) return 'CAST(NULL AS VARCHAR)';
  return `'{' || nullif(concat_ws(',', ${members.map(({ value }) => value).join(', ')}), '') || '}'`;
}

function isProperty({ name, foreign, mapped }: SourceColumn): boolean {
  return foreign === true || !isCanonicalName(name) || (isKeptName(name) && !mapped);
}

/** One of two sizes makes no viewport. */
function leftOver(column: SourceColumn, byName: ReadonlyMap<string, SourceColumn>): string | undefined {
  const at = (sizeKeys as readonly string[]).indexOf(column.name.toLowerCase());
  if (at < 0) return undefined;
  const other = byName.get(sizeKeys[1 - at]!);
  if (!other) return jsonText(column);
  return `CASE WHEN coalesce(CAST(${quoteName(other.reference ?? other.name)} AS VARCHAR), '') IN ('', '""') THEN ${jsonText(column)} END`;
}

function jsonText({ name, reference = name, type }: SourceColumn): string {
  const value = quoteName(reference);
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DECIMAL.*)$/.test(type)) return `CAST(${value} AS VARCHAR)`;
  if (type === jsonType) return strictly(`CAST(${value} AS VARCHAR)`);
  const json = `CAST(to_json(${value}) AS VARCHAR)`;
  if (type === 'JSON')
    return `CASE WHEN json_valid(CAST(${value} AS VARCHAR)) THEN ${strictly(`CAST(${value} AS VARCHAR)`)} ELSE ${json} END`;
  return type === 'VARCHAR' ? json : strictly(json);
}

/**
 * DuckDB takes NaN and infinities for JSON, which they are not: a value with one outside of its texts becomes a text as
 * a whole.
 */
function strictly(json: string): string {
  const bare = `regexp_replace(${json}, '"(?:[^"\\\\]|\\\\.)*"', '', 'g')`;
  return `CASE WHEN regexp_matches(${json}, 'NaN|Inf|nan|inf') AND regexp_matches(${bare}, '(?i)nan|inf') THEN CAST(to_json(${json}) AS VARCHAR) ELSE ${json} END`;
}

import type { DuckDBType } from '@duckdb/node-api';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { Column } from '../../../plan/column.ts';
import { integerType } from './decode-column.ts';
import { quoteText } from './sql-text.ts';

/**
 * SQL that writes a column's value as JSON, identical to the text that `columnDecoder`'s value gives. undefined if only
 * the decoder knows how values of this type read in this column.
 */
export function jsonExpression(type: DuckDBType, column: Column, zone: string, value: string): string | undefined {
  const written = jsonOf(type.toString(), column, zone, value);
  return written && `CASE WHEN ${value} IS NULL THEN 'null' ELSE ${written} END`;
}

function jsonOf(type: string, column: Column, zone: string, value: string): string | undefined {
  if (type === 'VARCHAR')
    return column.type === 'number' || column.kind === 'time' ? undefined : `CAST(to_json(${value}) AS VARCHAR)`;
  if (type === 'TIMESTAMP') return readsAsUtc(column, zone) ? quoted(timeText(value, column)) : undefined;
  const text = type.startsWith('DECIMAL') ? undefined : plainText(type, column, value);
  return text && (type === 'BOOLEAN' && column.type !== 'string' ? text : quoted(text));
}

/** SQL for the text of a number or boolean, as JavaScript writes the value of `columnDecoder`. */
export function plainText(type: string, column: Column, value: string): string | undefined {
  if (integerType.test(type) || type === 'BOOLEAN') return `CAST(${value} AS VARCHAR)`;
  if (type === 'DOUBLE' && column.type !== 'string') return doubleText(value);
  // A double represents every decimal of fifteen digits.
  const width = Number(/^DECIMAL\((\d+),/.exec(type)?.[1] ?? Infinity);
  return width <= 15 ? doubleText(`CAST(${value} AS DOUBLE)`) : undefined;
}

/** Shorter buckets are instants, shown in the zone. */
function readsAsUtc(column: Column, zone: string): boolean {
  return (
    column.kind !== 'time' || column.granularity === undefined || isCalendarUnit(column.granularity) || zone === 'UTC'
  );
}

function quoted(text: string): string {
  return `'"' || ${text} || '"'`;
}

/**
 * Years without exactly four digits are written with a sign and six digits; years beyond JavaScript's dates as the
 * engine writes them.
 */
export function timeText(time: string, column: Column): string {
  const zulu = column.kind === 'measure' ? 'Z' : '';
  const clock = `strftime(${time}, ${quoteText(`-%m-%dT%H:%M:%S.%g${zulu}`)})`;
  const year = `CASE WHEN year(${time}) BETWEEN 0 AND 9999 THEN lpad(CAST(year(${time}) AS VARCHAR), 4, '0')
    ELSE CASE WHEN year(${time}) < 0 THEN '-' ELSE '+' END || lpad(CAST(abs(year(${time})) AS VARCHAR), 6, '0') END`;
  return `CASE WHEN ${time} BETWEEN TIMESTAMP '1000-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'
    THEN strftime(${time}, ${quoteText(`%Y-%m-%dT%H:%M:%S.%g${zulu}`)})
    WHEN isfinite(${time}) AND epoch_us(${time}) // 1000 BETWEEN -8640000000000000 AND 8640000000000000 THEN ${year} || ${clock}
    ELSE CAST(${time} AS VARCHAR) END`;
}

/** NaN and infinities in JavaScript's notation. */
export function unusualText(value: string): string {
  return `CASE WHEN isnan(${value}) THEN 'NaN' WHEN ${value} < 0 THEN '-Infinity' ELSE 'Infinity' END`;
}

/** Both write the shortest digits of a number. JavaScript uses an exponent below 1e-6 and from 1e21. */
function doubleText(value: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const size = `abs(${value})`;
  const sign = `CASE WHEN ${value} < 0 THEN '-' ELSE '' END`;
  // Of `1.25e-05`: 125 and −5.
  const digits = `rtrim(replace(regexp_extract(CAST(${size} AS VARCHAR), '^[0-9.]+'), '.', ''), '0')`;
  const exponent = `CAST(regexp_extract(${text}, 'e(.*)$', 1) AS INTEGER)`;
  return `CASE WHEN NOT isfinite(${value}) THEN ${unusualText(value)}
    WHEN ${size} < 9007199254740992 AND trunc(${value}) = ${value} THEN CAST(CAST(${value} AS BIGINT) AS VARCHAR)
    WHEN NOT contains(${text}, 'e') THEN regexp_replace(${text}, '\\.0$', '')
    WHEN ${size} >= 1 AND ${size} < 1e21 THEN ${sign} || rpad(${digits}, ${exponent} + 1, '0')
    WHEN ${size} >= 1e-6 AND ${size} < 1 THEN ${sign} || '0.' || repeat('0', -${exponent} - 1) || ${digits}
    ELSE regexp_replace(replace(${text}, '.0e', 'e'), 'e([+-])0+', 'e\\1') END`;
}

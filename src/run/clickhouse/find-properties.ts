import { splitAtList } from '../../ask/query/property-name.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import type { KnownProperties } from '../../plan/model/properties.ts';
import type { PropertyProfile } from '../../plan/model/property-members.ts';
import {
  decimalForms,
  keysOnTheWay,
  localTimePattern,
  mostDecimals,
  notFinitePattern,
} from '../../plan/model/property-sql.ts';
import { tallyProperties } from '../../plan/model/sampled-properties.ts';
import { clickHouse, quoteClickHouseText as quoted } from '../../plan/sql/clickhouse/dialect.ts';
import { isNumberText, isPropertyText } from '../../plan/sql/clickhouse/property.ts';
import { name } from '../../plan/sql/expression.ts';
import { printStatement } from '../../plan/sql/print-statement.ts';
import { mostNames, mostSampled, toProfile } from '../events/property-profile.ts';
import type { TableEvents } from './events-relation.ts';
import { withEvents } from './question.ts';
import type { ReadProperty, ServerSession } from './server-session.ts';

/** The values of the events at the given paths, and a sample of other properties; see `findProperties`. */
export async function findPropertiesThere(
  session: ServerSession,
  named: readonly (readonly string[])[],
  optional: readonly (readonly string[])[] = [],
): Promise<KnownProperties> {
  const events = await session.events();
  await demandReadable(session, events.jsonColumns(named));
  const paths = [...named, ...(await presentAmong(session, events, optional))];
  const read: PropertyProfile[] = [];
  // Statements about the values of a list read the list itself.
  session.properties.push(...paths.flatMap((path) => listOf(path) ?? []));
  for (const path of paths) {
    if (events.propertyPlaces(path).length === 0) continue;
    const [row = []] = await rowsOf(session, profileStatement(path, events));
    const profile = toProfile(path, row);
    if (profile.events > 0) read.push(profile);
    // A model can declare properties that no event has.
    session.properties.push(profile);
  }
  const rows = await rowsOf(
    session,
    `SELECT further, custom_event_props, custom_user_props FROM "events"
    WHERE further IS NOT NULL OR custom_event_props IS NOT NULL OR custom_user_props IS NOT NULL LIMIT ${mostSampled}`,
  );
  const sampled = tallyProperties(rows.map(([further, ofEvent, ofUser]) => ({ further, ofEvent, ofUser })));
  for (const profile of sampled.slice(0, mostNames)) session.properties.push(profile);
  return { read, sampled: sampled.slice(0, mostNames) };
}

/** Leaves out properties that no event has, in one pass for all. Those of values of lists are not looked up. */
async function presentAmong(
  session: ServerSession,
  events: TableEvents,
  paths: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const { plain = [], ofLists = [] } = Object.groupBy(paths, (path) => (listOf(path) ? 'ofLists' : 'plain'));
  const possible = plain.filter((path) => events.propertyPlaces(path).length > 0);
  if (possible.length === 0) return ofLists;
  const isPresent = (path: readonly string[]) => `max(${events.propertyText(path, String)} IS NOT NULL)`;
  const [row = []] = await rowsOf(session, `SELECT ${possible.map(isPresent).join(', ')} FROM "events"`);
  return [...possible.filter((_, place) => Number(row[place]) === 1), ...ofLists];
}

async function rowsOf({ connection, events }: ServerSession, sql: string) {
  const { text } = withEvents({ text: sql, parameters: [] }, await events());
  return connection.rows(text);
}

/**
 * Error: `not-on-clickhouse` if JSON has integers with more digits than ClickHouse reads. It would treat such JSON as
 * empty.
 */
async function demandReadable(session: ServerSession, columns: readonly string[]): Promise<void> {
  if (columns.length === 0) return;
  const long = columns.map(
    (column) =>
      `(match(ifNull(${column}, ''), '^\\\\s*[\\\\[{](?s:.*)[0-9]{20}') AND NOT isValidJSON(ifNull(${column}, '')))`,
  );
  const found = await rowsOf(session, `SELECT 1 FROM "events" WHERE ${long.join(' OR ')} LIMIT 1`);
  if (found.length === 0) return;
  throw new BackendError(
    'Properties of some events have numbers of 20 digits and more, which ClickHouse cannot read.',
    {
      code: 'not-on-clickhouse',
      hint: 'Ask the same events with the embedded engine: `--backend embedded`.',
    },
  );
}

/** The list whose values a property is of, as a property that statements read. */
function listOf(path: readonly string[]): ReadProperty | undefined {
  const list = splitAtList(path)?.list;
  return list && { path: list, scale: undefined };
}

/** Has the columns of `profileStatement` of the embedded engine. */
function profileStatement(path: readonly string[], events: TableEvents): string {
  const matches = (pattern: string) => `match(v, ${quoted(pattern)})`;
  const decimal = matches(`^(?:${decimalForms(String.raw`\d+`, mostDecimals)})$`);
  const large = `(${matches(String.raw`^-?\d+$`)} AND abs(toFloat64OrZero(v)) > ${Number.MAX_SAFE_INTEGER})`;
  const rounded = `(NOT t AND ${matches(String.raw`^-?\d{16,}\.`)} AND abs(toFloat64OrZero(v)) > ${Number.MAX_SAFE_INTEGER})`;
  const decimals = `multiIf(${matches('[eE]')}, toInt64(length(extract(v, ${quoted(String.raw`\.(\d+)`)}))) + toInt64OrZero(right(v, 1)),
    position(v, '.') > 0, toInt64(length(v)) - toInt64(position(v, '.')), 0)`;
  const wholeDigits = `length(extract(v, ${quoted(String.raw`^-?(\d+)`)}))`;
  const loose = `(${matches(String.raw`[eE]|\.\d*0$|^-0(\.0*)?$`)} OR length(v) > 16)`;
  const list = splitAtList(path)?.list;
  const column = (name: string) => (list ? `one_of_list.${name}` : name);
  const rows = list
    ? clickHouse.eachOf({ kind: 'list', of: 'looked_at', keys: list }, name('events'), 'one_of_list')
    : name('events');
  const onTheWay = keysOnTheWay(path).map(
    (keys) => `JSONType(ifNull(${events.propertyText(keys, column)}, '')) = 'Array'`,
  );
  const inLists =
    onTheWay.length === 0
      ? '0'
      : `SELECT count() > 0 FROM (SELECT 1 FROM "events" WHERE ${onTheWay.join(' OR ')} LIMIT 1)`;
  return `SELECT sum(n), sumIf(n, is_number), sumIf(n, v IN ('true', 'false')), sumIf(n, is_number AND ${large}),
    sumIf(n, is_number AND ${rounded}),
    sumIf(n, is_number AND NOT ${decimal}), maxIf(${decimals}, is_number), maxIf(${wholeDigits}, is_number), sumIf(n, is_number AND t),
    sumIf(n, is_number AND t AND ${loose}), sumIf(n, is_number AND t AND ${matches('[eE]')}),
    minIf(${decimals}, is_number AND t), maxIf(${decimals}, is_number AND t), if(count() = 0, NULL, min(v)), (${inLists}),
    sumIf(n, is_time), sumIf(n, is_time AND ${matches(`^${localTimePattern}$`)}),
    NULL, NULL, NULL, sumIf(n, ${matches(`^(?:${notFinitePattern})$`)})
  FROM (SELECT assumeNotNull(found) AS v, t, n, ${isNumberText('found')} AS is_number, time_of_text('UTC', found) IS NOT NULL AS is_time
    FROM (SELECT ${events.propertyText(path, column)} AS found, ${isPropertyText(events.propertyPlaces(path), column)} AS t, count() AS n
      FROM ${printStatement(rows, clickHouse).text} WHERE found IS NOT NULL GROUP BY found, t))`;
}

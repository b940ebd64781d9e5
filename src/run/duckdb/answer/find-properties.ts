import { eachValue, splitAtList, writePropertyName } from '../../../ask/query/property-name.ts';
import type { KnownProperties } from '../../../plan/model/properties.ts';
import type { PropertyProfile } from '../../../plan/model/property-members.ts';
import type { Template } from '../../../plan/model/model.ts';
import {
  decimalForms,
  listOnTheWay,
  listRows,
  localTimePattern,
  localZoneColumn,
  mostDecimals,
  notFinitePattern,
  numberPattern,
  propertyJsonType,
  propertyText,
} from '../../../plan/model/property-sql.ts';
import { tallyProperties } from '../../../plan/model/sampled-properties.ts';
import type { Engine } from '../engine/engine.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import type { EventFiles } from '../reading/event-files.ts';
import type { EngineSession } from '../session/answer.ts';
import { toProfile, mostSampled, mostNames } from '../../events/property-profile.ts';

/** The number of properties that one pass over the events profiles. */
const mostAtOnce = 8;

/**
 * Profiles the named properties over all events. Unless all but the optional ones are found, lists others that a sample
 * of events has. Errors: as for reading events.
 */
export async function findProperties(
  session: EngineSession,
  paths: readonly (readonly string[])[],
  optional: readonly (readonly string[])[] = [],
): Promise<KnownProperties> {
  const { engine, events, circumstances } = session;
  if (!circumstances.hasEvents) return { read: [], sampled: [] };
  try {
    await events?.demandFurther();
    await events?.refresh();
    const read: PropertyProfile[] = [];
    const lists = Map.groupBy([...paths, ...optional], (path) => JSON.stringify(splitAtList(path)?.list));
    for (const alike of lists.values())
      for (let at = 0; at < alike.length; at += mostAtOnce)
        read.push(...(await readProfiles(engine, events, alike.slice(at, at + mostAtOnce))));
    const found = read.filter((profile) => profile.events > 0);
    const known = new Set(found.map(({ path }) => words(path)));
    const areAllKnown = paths.length > 0 && paths.every((path) => known.has(words(path)));
    return areAllKnown ? { read: found } : { read: found, sampled: await sampleProperties(session) };
  } catch (error) {
    throw await toBackendError(error, { ...circumstances, engine });
  }
}

/** The same text for all properties that one name can mean: `items.price` for `items[].price`, too. */
function words(path: readonly string[]): string {
  return path.filter((key) => key !== eachValue).join('.');
}

/** The profiles of properties of events, or of values of one list, in order. */
async function readProfiles(
  engine: Engine,
  events: EventFiles | undefined,
  paths: readonly (readonly string[])[],
): Promise<readonly PropertyProfile[]> {
  const zones = events?.zones?.() ?? [];
  const ask = async (asked: typeof paths, types: 'with types' | 'without types') => {
    const statement = profileStatement(asked, types, zones.length > 0);
    const rows = await engine.rows((await events?.quicken?.(statement)) ?? statement);
    const byPlace = new Map(rows.map(([place, ...row]) => [Number(place), row]));
    return asked.map((path, place) => toProfile(path, byPlace.get(place) ?? []));
  };
  if (!events?.typesAreSlow) {
    let asking: ReturnType<typeof ask> | undefined;
    const find = async (place: number) => JSON.stringify((await (asking ??= ask(paths, 'with types')))[place]);
    const found = await Promise.all(
      paths.map((path, place) => {
        const name =
          `profile of finite numbers of ${writePropertyName(path)}` +
          (zones.length === 0 ? '' : ` in ${zones.join(' ')}`);
        return events?.remember ? events.remember(name, () => find(place)) : find(place);
      }),
    );
    return found.map((text) => JSON.parse(text) as PropertyProfile);
  }
  const profiles = await ask(paths, 'without types');
  const numeric = profiles.filter(({ numbers }) => numbers > 0).map(({ path }) => path);
  const typed = numeric.length === 0 ? [] : await ask(numeric, 'with types');
  return profiles.map((profile) => typed.find(({ path }) => path === profile.path) ?? profile);
}

/**
 * A row for each property that some events have: its place among the paths, and the columns that `toProfile` reads.
 * `types`: not needed for properties that are never numbers. `isZoned`: whether sources declare zones.
 */
function profileStatement(
  paths: readonly (readonly string[])[],
  types: 'with types' | 'without types',
  isZoned: boolean,
): string {
  const number = `regexp_full_match(v, '${numberPattern}') AND isfinite(TRY_CAST(v AS DOUBLE))`;
  const decimal = `regexp_full_match(v, '${decimalForms(String.raw`\d+`, mostDecimals)}')`;
  // An integer beyond the exact range of floats.
  const large = String.raw`regexp_full_match(v, '-?\d+') AND abs(TRY_CAST(v AS DOUBLE)) > ${Number.MAX_SAFE_INTEGER}`;
  const rounded = String.raw`t <> 'VARCHAR' AND regexp_matches(v, '^-?\d{16,}\.') AND abs(TRY_CAST(v AS DOUBLE)) > ${Number.MAX_SAFE_INTEGER}`;
  const decimals = String.raw`CASE WHEN regexp_matches(v, '[eE]') THEN length(regexp_extract(v, '\.(\d+)', 1)) + TRY_CAST(right(v, 1) AS INTEGER)
    WHEN contains(v, '.') THEN length(v) - instr(v, '.') ELSE 0 END`;
  const wholeDigits = String.raw`length(regexp_extract(v, '^-?(\d+)', 1))`;
  const loose = String.raw`regexp_matches(v, '[eE]|\.\d*0$|^-0(\.0*)?$') OR length(v) > 16`;
  const list = splitAtList(paths[0]!)?.list;
  const zone = isZoned ? `, ${localZoneColumn}` : '';
  const rows = list ? `(SELECT unnest(${ofEvents(listRows(list))}) AS events${zone} FROM events)` : 'events';
  const columns = paths.flatMap((path, place) => {
    const onTheWay = listOnTheWay(path);
    return [
      `${ofEvents(propertyText(path))} AS v${place}`,
      `${types === 'with types' ? ofEvents(propertyJsonType(path)) : 'CAST(NULL AS VARCHAR)'} AS t${place}`,
      `${onTheWay ? ofEvents(onTheWay) : 'FALSE'} AS in_list${place}`,
    ];
  });
  const every = (column: string) => paths.map((_, place) => `${column}${place}`);
  const oneOf = (column: string) => `coalesce(${every(column).join(', ')}) AS ${column}`;
  // One pass over the events groups them by each property. The columns of the others are NULL.
  const place = `CASE ${paths.map((_, at) => `WHEN GROUPING(v${at}) = 0 THEN ${at}`).join(' ')} END`;
  const sets = paths.map((_, at) => `(v${at}, t${at}, in_list${at}${zone})`).join(', ');
  const isLocal = `is_time AND regexp_full_match(v, '${localTimePattern}')`;
  // Inspects each distinct value once.
  return `SELECT place, sum(n) FILTER (v IS NOT NULL), sum(n) FILTER (is_number), sum(n) FILTER (v IN ('true', 'false')),
    sum(n) FILTER (is_number AND ${large}), sum(n) FILTER (is_number AND ${rounded}), sum(n) FILTER (is_number AND NOT ${decimal}),
    max(${decimals}) FILTER (is_number), max(${wholeDigits}) FILTER (is_number), sum(n) FILTER (is_number AND t = 'VARCHAR'),
    sum(n) FILTER (is_number AND t = 'VARCHAR' AND (${loose})), sum(n) FILTER (is_number AND t = 'VARCHAR' AND regexp_matches(v, '[eE]')),
    min(${decimals}) FILTER (is_number AND t = 'VARCHAR'), max(${decimals}) FILTER (is_number AND t = 'VARCHAR'), min(v), bool_or(in_list),
    sum(n) FILTER (is_time), sum(n) FILTER (${isLocal}${isZoned ? ` AND ${localZoneColumn} IS NULL` : ''}),
    ${isZoned ? `string_agg(DISTINCT ${localZoneColumn}, ' ') FILTER (${isLocal})` : 'NULL'},
    min(TRY_CAST(v AS DOUBLE)) FILTER (is_number AND v <> '0'), max(TRY_CAST(v AS DOUBLE)) FILTER (is_number),
    sum(n) FILTER (regexp_full_match(v, '${notFinitePattern}'))
  FROM (SELECT *, ${number} AS is_number, time_of_text(v) IS NOT NULL AS is_time
    FROM (SELECT ${place} AS place, ${oneOf('v')}, ${oneOf('t')}, ${oneOf('in_list')}${zone}, count(*) AS n
      FROM (SELECT ${columns.join(', ')}${zone} FROM ${rows}) GROUP BY GROUPING SETS (${sets}))
    WHERE v IS NOT NULL OR in_list) GROUP BY place`;
}

function ofEvents(template: Template): string {
  return template.map((part) => (part.kind === 'text' ? part.text : 'events')).join('');
}

/** The most frequent properties in a sample of events. Their types are a guess until all events are read. */
async function sampleProperties({ engine }: EngineSession): Promise<readonly PropertyProfile[]> {
  const rows = await engine.rows(
    `SELECT further, CASE WHEN json_valid(custom_event_props) THEN custom_event_props END,
      CASE WHEN json_valid(custom_user_props) THEN custom_user_props END
    FROM events WHERE further IS NOT NULL OR custom_event_props IS NOT NULL OR custom_user_props IS NOT NULL LIMIT ${mostSampled}`,
  );
  return tallyProperties(rows.map(([further, ofEvent, ofUser]) => ({ further, ofEvent, ofUser }))).slice(0, mostNames);
}

import { splitAtList } from '../../../ask/query/property-name.ts';
import type { KnownProperties } from '../../../plan/model/properties.ts';
import type { PropertyProfile } from '../../../plan/model/property-members.ts';
import type { Template } from '../../../plan/model/model.ts';
import {
  listOnTheWay,
  listRows,
  mostDecimals,
  mostWholeDigits,
  numberPattern,
  propertyJsonType,
  propertyText,
} from '../../../plan/model/property-sql.ts';
import { tallyProperties } from '../../../plan/model/sampled-properties.ts';
import type { Engine } from '../engine/engine.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import type { EventFiles } from '../reading/event-files.ts';
import type { EngineSession } from '../session/answer.ts';

/** The number of events that are sampled for property names, and the number of names to keep. */
export const mostSampled = 10_000;
export const mostNames = 500;

/**
 * Profiles the named properties over all events, and lists other properties that a sample of events has. Errors: as for
 * reading events.
 */
export async function findProperties(
  session: EngineSession,
  paths: readonly (readonly string[])[],
): Promise<KnownProperties> {
  const { engine, events, circumstances } = session;
  // A model's own events cube has its members and no properties.
  if (!events) return { read: [], sampled: [] };
  try {
    await events.refresh();
    await events.demandFurther();
    const read = [];
    for (const path of paths) {
      const profile = await readProfile(engine, events, path);
      if (profile.events > 0) read.push(profile);
    }
    return { read, sampled: await sampleProperties(session) };
  } catch (error) {
    throw await toBackendError(error, { ...circumstances, engine });
  }
}

async function readProfile(engine: Engine, events: EventFiles, path: readonly string[]): Promise<PropertyProfile> {
  const ask = async (types: 'with types' | 'without types') => {
    const statement = profileStatement(path, types);
    const [row = []] = await engine.rows((await events.quicken?.(statement)) ?? statement);
    return toProfile(path, row);
  };
  if (!events.quicken) return ask('with types');
  // Not every property has a column.
  const profile = await ask('without types');
  return profile.numbers === 0 ? profile : ask('with types');
}

/** `types`: false for properties that are never numbers. */
function profileStatement(path: readonly string[], types: 'with types' | 'without types'): string {
  const number = `regexp_full_match(v, '${numberPattern}') AND isfinite(TRY_CAST(v AS DOUBLE))`;
  const decimal = String.raw`regexp_full_match(v, '-?(0|[1-9]\d{0,${mostWholeDigits - 1}})(\.\d{1,${mostDecimals}})?')`;
  // An integer beyond the exact range of floats.
  const large = String.raw`regexp_full_match(v, '-?\d+') AND abs(TRY_CAST(v AS DOUBLE)) > ${Number.MAX_SAFE_INTEGER}`;
  const decimals = "CASE WHEN contains(v, '.') THEN length(v) - instr(v, '.') ELSE 0 END";
  const loose = String.raw`regexp_matches(v, '[eE]|\.\d*0$|^-0(\.0*)?$') OR length(v) > 16`;
  const list = splitAtList(path)?.list;
  const rows = list ? `(SELECT unnest(${ofEvents(listRows(list))}) AS events FROM events)` : 'events';
  const type = types === 'with types' ? ofEvents(propertyJsonType(path)) : 'NULL';
  const onTheWay = listOnTheWay(path);
  const inList = onTheWay ? ofEvents(onTheWay) : 'FALSE';
  // Inspects each distinct value once.
  return `SELECT sum(n) FILTER (v IS NOT NULL), sum(n) FILTER (is_number), sum(n) FILTER (v IN ('true', 'false')),
    sum(n) FILTER (is_number AND ${large}), sum(n) FILTER (is_number AND NOT ${decimal}),
    max(${decimals}) FILTER (is_number), sum(n) FILTER (is_number AND t = 'VARCHAR'),
    sum(n) FILTER (is_number AND t = 'VARCHAR' AND (${loose})), sum(n) FILTER (is_number AND t = 'VARCHAR' AND regexp_matches(v, '[eE]')),
    min(${decimals}) FILTER (is_number AND t = 'VARCHAR'), max(${decimals}) FILTER (is_number AND t = 'VARCHAR'), min(v), bool_or(in_list)
  FROM (SELECT v, t, n, in_list, ${number} AS is_number
    FROM (SELECT v, t, in_list, count(*) AS n
      FROM (SELECT ${ofEvents(propertyText(path))} AS v, ${type} AS t, ${inList} AS in_list FROM ${rows})
      WHERE v IS NOT NULL OR in_list GROUP BY v, t, in_list))`;
}

function ofEvents(template: Template): string {
  return template.map((part) => (part.kind === 'text' ? part.text : 'events')).join('');
}

/** The result of a statement such as `profileStatement`. */
export function toProfile(path: readonly string[], row: readonly unknown[]): PropertyProfile {
  const [events, numbers, booleans, large, beyond, scale, texts, loose, exponents, least, most] = row
    .slice(0, 11)
    .map((value) => Number(value ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  // Texts in this canonical form have as many distinct numbers as distinct texts.
  const areApart = texts === 0 || loose === 0 || (exponents === 0 && least === most && least > 0 && texts === numbers);
  const type =
    events > 0 && booleans === events
      ? 'boolean'
      : events > 0 && numbers === events && large === 0 && areApart
        ? 'number'
        : 'string';
  return {
    path,
    type,
    events,
    numbers,
    large,
    scale: beyond === 0 && numbers > 0 ? scale : undefined,
    example: row[11] === null || row[11] === undefined ? undefined : String(row[11]),
    ...(Number(row[12]) > 0 && { inLists: true }),
  };
}

/** The most frequent properties in a sample of events. Their types are a guess until all events are read. */
async function sampleProperties({ engine }: EngineSession): Promise<readonly PropertyProfile[]> {
  const rows = await engine.rows(
    `SELECT further, CASE WHEN json_valid(custom_event_props) THEN custom_event_props END, CASE WHEN json_valid(custom_user_props) THEN custom_user_props END
    FROM events WHERE further IS NOT NULL OR custom_event_props IS NOT NULL OR custom_user_props IS NOT NULL LIMIT ${mostSampled}`,
  );
  return tallyProperties(rows.map(([further, ofEvent, ofUser]) => ({ further, ofEvent, ofUser }))).slice(0, mostNames);
}

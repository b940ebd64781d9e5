import { quoteClickHouseText as quoted } from '../../plan/sql/clickhouse/dialect.ts';
import { clickHouseJsonText } from '../../plan/sql/clickhouse/property.ts';
import {
  entityEnvelopes,
  type EntityMember,
  eventEnvelope,
  isEntityKey,
  membersOfEntities,
  membersOfEvents,
  newestFirst,
  ownFieldOf,
  robots,
  spellingsOfKey,
} from '../events/snowplow-entities.ts';

/** Snowplow's entities of an event, read as `withEntities` of the embedded engine does. */
interface TableEntities {
  /** A column's value: its own, or that of entities if it is empty. */
  with(column: string, own: string | undefined): string | undefined;
}

/**
 * `textOf`: SQL for a column as JSON text. `named` gives SQL a name among the table's rows, so that it is computed
 * once.
 */
export function entitiesOf(
  columns: readonly string[],
  textOf: (column: string) => string,
  named: (sql: string) => string,
): TableEntities {
  const keys = columns.filter(isEntityKey).sort(newestFirst);
  const found = (envelopes: readonly string[], front: string) => [
    ...envelopes.flatMap((envelope) => keys.filter((key) => key.toLowerCase() === envelope)),
    ...keys.filter((key) => ownFieldOf(key)?.front === front),
  ];
  const lists = found(entityEnvelopes, 'contexts').map((key) => {
    const json = `ifNull(${textOf(key)}, '')`;
    const schema = ownFieldOf(key)?.schema;
    if (schema !== undefined) return `[(${quoted(schema)}, JSONExtractRaw(${json}, 1))]`;
    const all = `arrayConcat(JSONExtractArrayRaw(${json}, 'data'), JSONExtractArrayRaw(${json}))`;
    return `arrayMap(entity -> ${described('entity')}, ${all})`;
  });
  const events = found([eventEnvelope], 'unstruct_event').map((key) => {
    const json = `ifNull(${textOf(key)}, '')`;
    const schema = ownFieldOf(key)?.schema;
    // The envelope and the event inside are both self-describing JSON. A bare event is accepted too.
    return schema === undefined
      ? described(`if(JSONHas(${json}, 'data', 'schema'), JSONExtractRaw(${json}, 'data'), ${json})`)
      : `(if(${json} IN ('', 'null'), '', ${quoted(schema)}), ${json})`;
  });
  const entities = lists.length === 0 ? undefined : () => named(`arrayConcat(${lists.join(', ')})`);
  const event = events.length === 0 ? undefined : () => named(`arrayFirst(one -> one.1 <> '', [${events.join(', ')}])`);
  const firstNamed = (schema: string) =>
    `arrayFirst(entity -> entity.1 = ${quoted(schema)} AND entity.2 <> '', ${entities!()}).2`;
  return {
    with(column, own) {
      const values = [
        ...(entities ? (membersOfEntities.get(column) ?? []) : []).map((each) =>
          valueOf(each, firstNamed(each.schema)),
        ),
        ...(event ? (membersOfEvents.get(column) ?? []) : []).map((each) =>
          valueOf(each, `if(${event!()}.1 = ${quoted(each.schema)}, ${event!()}.2, '')`),
        ),
        ...(event && column === 'event_type' ? [`nullIf(extract(${event()}.1, '/(.*)$'), '')`] : []),
      ];
      if (values.length === 0) return own;
      const whole =
        own === undefined
          ? `coalesce(${values.join(', ')})`
          : `coalesce(nullIf(${own}, ''), ${values.join(', ')}, ${own})`;
      // If the robot enrichment identifies a robot, ignore the name in its user agent.
      return column === 'agent_name' && entities
        ? `if(${valueOf({ schema: robots, keys: ['spiderOrRobot'] }, firstNamed(robots))} = 'true', 'bot', ${whole})`
        : whole;
    },
  };
}

function described(json: string): string {
  return `(extract(JSONExtractString(${json}, 'schema'), '^iglu:([^/]+/[^/]+)/'), JSONExtractRaw(${json}, 'data'))`;
}

function valueOf({ keys }: EntityMember, data: string): string {
  if (keys.length === 0) return `nullIf(${data}, '')`;
  const values = keys.map((key) => {
    const all = spellingsOfKey(key).map((one) => clickHouseJsonText(data, [one]));
    return all.length === 1 ? all[0]! : `coalesce(${all.join(', ')})`;
  });
  return values.length === 1
    ? values[0]!
    : `nullIf(arrayStringConcat(arrayFilter(part -> part <> '', [${values.map((value) => `ifNull(${value}, '')`).join(', ')}]), '.'), '')`;
}

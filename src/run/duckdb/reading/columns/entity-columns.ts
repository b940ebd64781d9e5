import {
  type OwnField,
  member,
  ownFieldOf,
  newestFirst,
  entityEnvelopes,
  eventEnvelope,
  membersOfEntities,
  membersOfEvents,
  robots,
  type EntityMember,
  spellingsOfKey,
} from '../../../events/snowplow-entities.ts';
import { quoteText } from '../../engine/sql-text.ts';

/** Names in the gathered columns. */
const entitiesColumn = 'sluice entities';

const selfDescribedColumn = 'sluice self described';

const structOf = (element: string) =>
  `{'name': regexp_extract(${element} ->> '$.schema', '^iglu:([^/]+/[^/]+)/', 1), 'data': ${element} -> '$.data'}`;

/** How to handle entities: read them, or refuse them if none are expected, which is faster to plan. */
export type EntityCare = 'read' | 'refuse';

/** `references`: available entity fields by name, each as SQL for JSON text. */
export function gatherEntities(references: ReadonlyMap<string, string>, care: EntityCare): ReadonlyMap<string, string> {
  const gathered = new Map<string, string>();
  const own = [...references.keys()].filter((key) => ownFieldOf(key) !== undefined).sort(newestFirst);
  const found = (envelopes: readonly string[], front: OwnField['front']) => [
    ...envelopes.filter((key) => references.has(key)),
    ...own.filter((key) => ownFieldOf(key)!.front === front),
  ];
  const entities = found(entityEnvelopes, 'contexts');
  const events = found([eventEnvelope], 'unstruct_event');
  if (care === 'refuse') {
    for (const [name, keys] of [
      [entitiesColumn, entities],
      [selfDescribedColumn, events],
    ] as const) {
      const texts = keys.map((key) => references.get(key)!);
      if (texts.length > 0) gathered.set(name, `coalesce(${texts.join(', ')})`);
    }
    return gathered;
  }
  const json = (key: string) => `TRY_CAST(${references.get(key)!} AS JSON)`;
  if (entities.length > 0) {
    const lists = entities.map((key) => {
      const schema = ownFieldOf(key)?.schema;
      const list =
        schema === undefined
          ? `list_transform(coalesce(json_extract(${json(key)}, '$.data[*]'), []) || coalesce(json_extract(${json(key)}, '$[*]'), []), lambda entity: ${structOf('entity')})`
          : `[{'name': ${quoteText(schema)}, 'data': json_extract(${json(key)}, '$[0]')}]`;
      // If the field of a newer version is empty, an older one counts.
      const holds = schema === undefined ? references.get(key)! : `json_extract(${json(key)}, '$[0]')`;
      return `CASE WHEN ${holds} IS NOT NULL THEN ${list} ELSE [] END`;
    });
    gathered.set(
      entitiesColumn,
      `CASE WHEN coalesce(${entities.map((key) => references.get(key)!).join(', ')}) IS NOT NULL THEN ${lists.join(' || ')} END`,
    );
  }
  if (events.length > 0) {
    const structs = events.map((key) => {
      const schema = ownFieldOf(key)?.schema;
      // The envelope and the event inside are both self-describing JSON. A bare event is accepted too.
      const struct =
        schema === undefined
          ? structOf(
              `CASE WHEN json_exists(${json(key)}, '$.data.schema') THEN json_extract(${json(key)}, '$.data') ELSE ${json(key)} END`,
            )
          : `{'name': ${quoteText(schema)}, 'data': ${json(key)}}`;
      return `CASE WHEN ${schema === undefined ? references.get(key)! : json(key)} IS NOT NULL THEN ${struct} END`;
    });
    gathered.set(selfDescribedColumn, `coalesce(${structs.join(', ')})`);
  }
  return gathered;
}

const unexpected = "error('entities where none were expected')";

/** SQL for a column's value over the gathered columns: its own, or that of entities if it is empty. */
export function withEntities(
  column: string,
  own: string,
  gathered: ReadonlyMap<string, string>,
  care: EntityCare,
): string {
  const entities = gathered.has(entitiesColumn) ? (membersOfEntities.get(column) ?? []) : [];
  const events = gathered.has(selfDescribedColumn) ? (membersOfEvents.get(column) ?? []) : [];
  const isNamed = column === 'event_type' && gathered.has(selfDescribedColumn);
  if (entities.length + events.length === 0 && !isNamed) return own;
  if (care === 'refuse')
    return `CASE WHEN "${entities.length > 0 ? entitiesColumn : selfDescribedColumn}" IS NULL THEN ${own} ELSE ${unexpected} END`;
  const described = `"${selfDescribedColumn}"`;
  const values = [
    ...entities.map((each) => memberValue(each, firstNamed(each.schema))),
    ...events.map((each) =>
      memberValue(each, `CASE WHEN ${described}.name = ${quoteText(each.schema)} THEN ${described}.data END`),
    ),
    ...(isNamed ? [`nullif(regexp_extract(${described}.name, '/(.*)$', 1), '')`] : []),
  ];
  const whole = `coalesce(nullif(${own}, ''), ${values.join(', ')}, ${own})`;
  // If the robot enrichment identifies a robot, ignore the name in its user agent.
  return column === 'agent_name'
    ? `CASE WHEN ${memberValue(member(robots, 'spiderOrRobot'), firstNamed(robots))} = 'true' THEN 'bot' ELSE ${whole} END`
    : whole;
}

function firstNamed(schema: string): string {
  return `list_filter("${entitiesColumn}", lambda entity: entity.name = ${quoteText(schema)})[1].data`;
}

function memberValue({ keys }: EntityMember, data: string): string {
  if (keys.length === 0) return `CAST(${data} AS VARCHAR)`;
  const values = keys.map((key) => {
    const all = spellingsOfKey(key).map((one) => `${data} ->> ${quoteText(`$.${one}`)}`);
    return all.length === 1 ? `(${all[0]!})` : `coalesce(${all.join(', ')})`;
  });
  return values.length === 1 ? `nullif(${values[0]!}, '')` : `nullif(concat_ws('.', ${values.join(', ')}), '')`;
}

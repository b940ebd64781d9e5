import { quoteText } from '../../engine/sql-text.ts';

/** A member of a self-describing JSON: the schema's `vendor/name`, any version, and a key of its data. */
export interface EntityMember {
  readonly schema: string;
  /** Several keys are joined by dots, such as version numbers. No keys: the whole data. */
  readonly keys: readonly string[];
}

const member = (schema: string, ...keys: string[]): EntityMember => ({ schema, keys });
const session = 'com.snowplowanalytics.snowplow/client_session';
const browser = 'com.snowplowanalytics.snowplow/browser_context';
const uaParser = 'com.snowplowanalytics.snowplow/ua_parser_context';
const yauaa = 'nl.basjes/yauaa_context';
/** The entity that identifies robots. */
export const robots = 'com.iab.snowplow/spiders_and_robots';
const user = 'com.gitlab/user_context';
const customEvent = 'com.gitlab/custom_event';
const screen = 'com.snowplowanalytics.mobile/screen';
const screenView = 'com.snowplowanalytics.mobile/screen_view';
const mobile = 'com.snowplowanalytics.snowplow/mobile_context';
const linkClick = 'com.snowplowanalytics.snowplow/link_click';

/**
 * Entities of Snowplow's trackers and enrichments, by our column. The first member with a value counts (schemas:
 * iglucentral.com; those of the platform's SDK: com.gitlab).
 */
export const membersOfEntities: ReadonlyMap<string, readonly EntityMember[]> = new Map([
  ['user_anonymous_id', [member(session, 'userId')]],
  ['session_id', [member(session, 'sessionId')]],
  ['viewport_size', [member(browser, 'viewport')]],
  ['browser_language', [member(browser, 'browserLanguage')]],
  ['document_language', [member(browser, 'documentLanguage')]],
  ['agent_name', [member(uaParser, 'useragentFamily'), member(yauaa, 'agentName')]],
  [
    'agent_version',
    [member(uaParser, 'useragentMajor', 'useragentMinor', 'useragentPatch'), member(yauaa, 'agentVersion')],
  ],
  ['os_family', [member(uaParser, 'osFamily'), member(yauaa, 'operatingSystemName')]],
  ['os_name', [member(yauaa, 'operatingSystemName'), member(uaParser, 'osFamily'), member(mobile, 'osType')]],
  [
    'os_version',
    [
      member(uaParser, 'osMajor', 'osMinor', 'osPatch', 'osPatchMinor'),
      member(yauaa, 'operatingSystemVersion'),
      member(mobile, 'osVersion'),
    ],
  ],
  ['os_version_major', [member(uaParser, 'osMajor'), member(yauaa, 'operatingSystemVersionMajor')]],
  ['device_class', [member(yauaa, 'deviceClass')]],
  ['custom_user_props', [member(user)]],
  // Screens of apps correspond to pages of sites.
  ['doc_path', [member(screen, 'name')]],
  ['page_title', [member(screen, 'name')]],
]);

/** The same for the entity of a self-describing event. */
export const membersOfEvents: ReadonlyMap<string, readonly EntityMember[]> = new Map([
  ['target_url', [member(linkClick, 'targetUrl')]],
  ['element_id', [member(linkClick, 'elementId')]],
  ['doc_path', [member(screenView, 'name')]],
  ['page_title', [member(screenView, 'name')]],
  ['custom_event_name', [member(customEvent, 'name')]],
  ['custom_event_props', [member(customEvent, 'props')]],
]);

/** Names in the gathered columns. */
const entitiesColumn = 'sluice entities';
const selfDescribedColumn = 'sluice self described';

/** Fields with entities, and the field with a self-describing event, as the enrichment writes them. */
export const entityEnvelopes = ['contexts', 'derived_contexts'] as const;
export const eventEnvelope = 'unstruct_event';

/**
 * Schema versions whose fields are looked for in every JSON file. Other versions are only looked for if the head
 * contains them.
 */
const usualVersions = ['1', '2', '1_0_0', '1_0_1', '1_0_2', '2_0_0'];

function schemasOf(members: ReadonlyMap<string, readonly EntityMember[]>): readonly string[] {
  return [...new Set([...members.values()].flat().map(({ schema }) => schema))];
}

const bareName = (schema: string) => schema.replaceAll(/[./]/g, '_');
const schemasByName = {
  contexts: new Map([...schemasOf(membersOfEntities), robots].map((schema) => [bareName(schema), schema])),
  unstruct_event: new Map(schemasOf(membersOfEvents).map((schema) => [bareName(schema), schema])),
} as const;

/** A field dedicated to one entity. */
interface OwnField {
  readonly front: keyof typeof schemasByName;
  readonly schema: string;
  /** Model, revision and addition; only the model if the field covers all its versions. */
  readonly version: readonly number[];
}

/**
 * The entity of a dedicated field, for any version: `contexts_com_gitlab_user_context_1` in the analytics SDKs
 * (docs.snowplow.io, "Analytics SDKs"), `contexts_com_gitlab_user_context_1_0_0` in warehouse loaders.
 */
export function ownFieldOf(name: string): OwnField | undefined {
  const [, front, bare, model, revision, addition] = ownFieldPattern.exec(name.toLowerCase()) ?? [];
  if (front !== 'contexts' && front !== 'unstruct_event') return undefined;
  const schema = schemasByName[front].get(bare!);
  const version = [model, revision, addition].flatMap((part) => (part === undefined ? [] : [Number(part)]));
  return schema === undefined ? undefined : { front, schema, version };
}

const ownFieldPattern = /^(contexts|unstruct_event)_(.+?)_(\d+)(?:_(\d+)_(\d+))?$/;

const usualFields = Object.entries(schemasByName).flatMap(([front, schemas]) =>
  [...schemas.keys()].flatMap((bare) => usualVersions.map((version) => `${front}_${bare}_${version}`)),
);

/** Fields with entities that are known in advance. */
export const entityKeys: readonly string[] = [...entityEnvelopes, eventEnvelope, ...usualFields];

const entityKeySet = new Set(entityKeys);

export function isEntityKey(name: string): boolean {
  return entityKeySet.has(name.toLowerCase()) || ownFieldOf(name) !== undefined;
}

/** The columns of `events` that the dedicated fields among these names fill. */
export function columnsOfEntities(names: readonly string[]): readonly string[] {
  const own = names.flatMap((name) => ownFieldOf(name) ?? []);
  const filled = (members: ReadonlyMap<string, readonly EntityMember[]>, front: OwnField['front']) =>
    [...members].flatMap(([column, each]) =>
      own.some((field) => field.front === front && each.some(({ schema }) => schema === field.schema)) ? [column] : [],
    );
  return [...filled(membersOfEntities, 'contexts'), ...filled(membersOfEvents, 'unstruct_event')];
}

/** Entity fields in a JSON text or header beyond `entityKeys`. */
export function unusualEntityKeys(text: string): readonly string[] {
  const names = new Set([...text.matchAll(/\b(?:contexts|unstruct_event)_\w+/g)].map(([name]) => name));
  return [...names]
    .filter((name) => name === name.toLowerCase() && !entityKeySet.has(name) && ownFieldOf(name) !== undefined)
    .sort();
}

/** The entities that are read, for display: schema names, and fields that can hold any entity. */
export function describeEntities(fields: readonly string[]): readonly string[] {
  const names = fields
    .filter(isEntityKey)
    .map((name) => ownFieldOf(name)?.schema.replace(/^.*\//, '') ?? `any in ${name.toLowerCase()}`);
  return [...new Set(names)].sort();
}

/** Sorts the newest version first. */
export function newestFirst(one: string, other: string): number {
  const [left, right] = [one, other].map((name) => ownFieldOf(name)?.version ?? []);
  for (let part = 0; part < 3; part++) {
    const difference = (right![part] ?? 0) - (left![part] ?? 0);
    if (difference !== 0) return difference;
  }
  return one < other ? -1 : 1;
}

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

/** The spellings of a key: tables of events have keys in snake_case. */
export function spellingsOfKey(key: string): readonly string[] {
  return [...new Set([key, key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])];
}

function memberValue({ keys }: EntityMember, data: string): string {
  if (keys.length === 0) return `CAST(${data} AS VARCHAR)`;
  const values = keys.map((key) => {
    const all = spellingsOfKey(key).map((one) => `${data} ->> ${quoteText(`$.${one}`)}`);
    return all.length === 1 ? `(${all[0]!})` : `coalesce(${all.join(', ')})`;
  });
  return values.length === 1 ? `nullif(${values[0]!}, '')` : `nullif(concat_ws('.', ${values.join(', ')}), '')`;
}

/** A member of a self-describing JSON: the schema's `vendor/name`, any version, and a key of its data. */
export interface EntityMember {
  readonly schema: string;
  /** Several keys are joined by dots, such as version numbers. No keys: the whole data. */
  readonly keys: readonly string[];
}

export const member = (schema: string, ...keys: string[]): EntityMember => ({ schema, keys });
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
export interface OwnField {
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

/** The spellings of a key: tables of events have keys in snake_case. */
export function spellingsOfKey(key: string): readonly string[] {
  return [...new Set([key, key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])];
}

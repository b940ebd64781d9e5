import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import { toSnakeCase } from './identifier.ts';

/**
 * The canonical fields of an event: the columns of the relation `events`, and all their names in exported event files.
 * Four vocabularies exist and may be mixed within one file: the documentation's (`docPath`), the newer one of the
 * platform's dashboards (`pageUrlpath`), both also in snake_case, and Snowplow's canonical columns (`page_urlpath`).
 * `doc_host`, `doc_path`, `doc_search` and `base_url` are taken from `url` if they have no column.
 */
export interface EventField {
  /** Column of the relation `events`. */
  readonly column: string;
  /** `time`: naive UTC TIMESTAMP; `text` and `json` (JSON text): VARCHAR; `number`: DOUBLE. */
  readonly type: 'time' | 'text' | 'json' | 'number';
  /** The name for people, if it differs from the documented name. */
  readonly called?: string;
  readonly documented?: string;
  readonly newer?: string;
  readonly snowplow?: string;
  /** Further names of the same field. */
  readonly also?: readonly string[];
  readonly values?: ValueMapping;
  /**
   * Many files have columns of this name with different meanings. They are also kept unchanged as properties
   * (`props.country`).
   */
  readonly kept?: true;
}

/** Unifies values that vocabularies spell differently. */
type ValueMapping =
  /** Replaces `from` with `to`; all other values stay unchanged. */
  | { readonly kind: 'rename'; readonly pairs: readonly { readonly from: string; readonly to: string }[] }
  /** Prepends the text to non-empty values that come from one of these names. */
  | { readonly kind: 'prepend'; readonly text: string; readonly names: readonly string[] };

/** The only event type that the vocabularies spell differently. */
export const pageView = { documented: 'pageview', newer: 'page_view' } as const;

export const eventFields: readonly EventField[] = [
  // Snowplow's collector_tstamp and dvce_created_tstamp are other clocks, not other names of this one.
  { column: 'utc_time', type: 'time', documented: 'utcTime', newer: 'derivedTstamp', snowplow: 'derived_tstamp' },
  { column: 'user_anonymous_id', type: 'text', documented: 'userAnonymousId', snowplow: 'domain_userid' },
  { column: 'user_id', type: 'text', newer: 'userId', snowplow: 'user_id' },
  { column: 'session_id', type: 'text', newer: 'sessionId', snowplow: 'domain_sessionid' },
  {
    column: 'event_type',
    type: 'text',
    documented: 'eventType',
    newer: 'eventName',
    snowplow: 'event_name',
    values: { kind: 'rename', pairs: [{ from: pageView.newer, to: pageView.documented }] },
  },
  // The tracker's class of event (page_view, struct, unstruct, page_ping), coarser than the event's name.
  { column: 'event', type: 'text', newer: 'event', snowplow: 'event' },
  {
    column: 'event_id',
    type: 'text',
    called: 'eventId',
    documented: 'eventnCtxEventId',
    newer: 'eventId',
    snowplow: 'event_id',
  },
  { column: 'project_id', type: 'text', newer: 'projectId' },
  { column: 'api_key', type: 'text', documented: 'apiKey', snowplow: 'app_id' },
  { column: 'doc_host', type: 'text', documented: 'docHost', newer: 'pageUrlhosts', snowplow: 'page_urlhost' },
  { column: 'doc_path', type: 'text', documented: 'docPath', newer: 'pageUrlpath', snowplow: 'page_urlpath' },
  {
    column: 'doc_search',
    type: 'text',
    documented: 'docSearch',
    snowplow: 'page_urlquery',
    values: { kind: 'prepend', text: '?', names: ['page_urlquery'] },
  },
  { column: 'doc_encoding', type: 'text', documented: 'docEncoding', snowplow: 'doc_charset' },
  { column: 'url', type: 'text', documented: 'url', newer: 'pageUrl', snowplow: 'page_url' },
  { column: 'base_url', type: 'text', newer: 'baseUrl' },
  { column: 'page_title', type: 'text', documented: 'pageTitle', newer: 'pageTitle', snowplow: 'page_title' },
  {
    column: 'referer',
    type: 'text',
    documented: 'referer',
    newer: 'pageReferrer',
    snowplow: 'page_referrer',
    also: ['referrer'],
  },
  { column: 'useragent', type: 'text', newer: 'useragent', snowplow: 'useragent', also: ['user_agent'] },
  { column: 'agent_name', type: 'text', newer: 'agentName', also: ['br_family', 'parsed_ua_ua_family'] },
  { column: 'agent_version', type: 'text', newer: 'agentVersion', also: ['br_version', 'parsed_ua_ua_version'] },
  { column: 'os_family', type: 'text', newer: 'osFamily', snowplow: 'os_family', also: ['parsed_ua_os_family'] },
  { column: 'os_name', type: 'text', newer: 'osName', snowplow: 'os_name' },
  { column: 'os_version', type: 'text', newer: 'osVersion', also: ['parsed_ua_os_version'] },
  { column: 'os_version_major', type: 'text', newer: 'osVersionMajor' },
  {
    column: 'browser_language',
    type: 'text',
    documented: 'userLanguage',
    newer: 'browserLanguage',
    snowplow: 'br_lang',
  },
  { column: 'document_language', type: 'text', newer: 'documentLanguage' },
  { column: 'viewport_size', type: 'text', documented: 'vpSize', newer: 'viewportSize' },
  // Minutes from UTC, as the browser counts them: positive to the west.
  { column: 'local_tz_offset', type: 'number', documented: 'localTzOffset' },
  { column: 'src', type: 'text', documented: 'src' },
  { column: 'ids_ajs_anonymous_id', type: 'text', documented: 'idsAjsAnonymousId' },
  { column: 'user_hashed_anonymous_id', type: 'text', documented: 'userHashedAnonymousId' },
  { column: 'target_url', type: 'text', newer: 'targetUrl' },
  { column: 'element_id', type: 'text', newer: 'elementId' },
  // Campaign parameters. They are taken from the page's URL if there is no column.
  { column: 'utm_source', type: 'text', newer: 'utmSource', snowplow: 'mkt_source', kept: true },
  { column: 'utm_medium', type: 'text', newer: 'utmMedium', snowplow: 'mkt_medium', kept: true },
  { column: 'utm_campaign', type: 'text', newer: 'utmCampaign', snowplow: 'mkt_campaign', kept: true },
  { column: 'utm_term', type: 'text', newer: 'utmTerm', snowplow: 'mkt_term', kept: true },
  { column: 'utm_content', type: 'text', newer: 'utmContent', snowplow: 'mkt_content', kept: true },
  { column: 'country', type: 'text', newer: 'country', snowplow: 'geo_country', also: ['country_code'], kept: true },
  {
    column: 'device_class',
    type: 'text',
    newer: 'deviceClass',
    snowplow: 'dvce_type',
    also: ['device_type', 'deviceType', 'device_category'],
    kept: true,
  },
  { column: 'custom_event_name', type: 'text', newer: 'customEventName' },
  { column: 'custom_event_props', type: 'json', newer: 'customEventProps' },
  { column: 'custom_user_props', type: 'json', newer: 'customUserProps' },
];

/** The columns of user IDs. An empty ID that a mapping reads is none. */
export const userColumns: readonly string[] = ['user_anonymous_id', 'user_id'];

/** A computed column of `events`: the user for whom the event counts; null if it has no user. */
export const userKeyColumn = 'user_key';

/** Columns of the fields whose file columns are also kept as properties. */
export const keptColumns: ReadonlySet<string> = new Set(
  eventFields.flatMap(({ column, kept }) => (kept ? [column] : [])),
);

/** Cubes whose exports contain events, under their current and earlier names. */
export const exportingCubes = ['TrackedEvents', 'SnowplowTrackedEvents', 'Jitsu'] as const;

/** The short name of the column of exports with all properties of an event, as the text of a JSON object. */
export const propertiesMember = 'props';

/**
 * Every name of a field in files: bare, and prefixed with the cube's name as in raw exports (`TrackedEvents.docPath`).
 * Names are unique case-insensitively, within a field and across fields.
 */
export function spellingsOf(field: EventField): readonly string[] {
  const known = spellings.get(field) ?? listSpellings(field);
  spellings.set(field, known);
  return known;
}

const spellings = new Map<EventField, readonly string[]>();

function listSpellings(field: EventField): readonly string[] {
  const { documented, newer, column, snowplow, also = [] } = field;
  const bare = [
    documented,
    newer,
    column,
    snowplow,
    documented && toSnakeCase(documented),
    newer && toSnakeCase(newer),
    ...also,
  ];
  const names = new Map<string, string>();
  for (const name of bare) {
    if (name !== undefined && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  const distinct = [...names.values()];
  return [...distinct, ...exportingCubes.flatMap((cube) => distinct.map((name) => `${cube}.${name}`))];
}

/** Cubes that had other names in older versions of the platform. */
const sameCubes: readonly (readonly string[])[] = [
  ['TrackedEvents', 'SnowplowTrackedEvents', 'Jitsu'],
  ['Sessions', 'SnowplowSessions'],
];

/**
 * Other full names of the same member: `TrackedEvents.derivedTstamp` for `TrackedEvents.utcTime`. Names in the same
 * cube come first.
 */
export function otherSpellings(member: string): readonly string[] {
  const cube = cubeOf(member);
  const name = shortNameOf(member);
  const cubes = [cube, ...(sameCubes.find((same) => same.includes(cube)) ?? []).filter((other) => other !== cube)];
  const field = eventFields.find(({ documented, newer }) => documented === name || newer === name);
  const names = [...new Set([name, field?.newer, field?.documented].filter((each) => each !== undefined))];
  return cubes.flatMap((each) => names.map((one) => `${each}.${one}`)).filter((full) => full !== member);
}

/** The most likely other name: in the same cube, in the other vocabulary. */
export function otherSpelling(member: string): string | undefined {
  return otherSpellings(member).find((full) => cubeOf(full) === cubeOf(member));
}

/** By field: the values that mappings put in the place of those in the files. The first source of a field counts. */
export function toRenames(
  sources: Iterable<readonly [field: string, values: Readonly<Record<string, string | null>> | undefined]>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const renames = new Map<string, Map<string, string>>();
  for (const [field, values = {}] of sources) {
    const ofField = renames.get(field) ?? new Map<string, string>();
    for (const [value, name] of Object.entries(values))
      if (name !== null && !ofField.has(value)) ofField.set(value, name);
    if (ofField.size > 0) renames.set(field, ofField);
  }
  return renames;
}

/** The value that a mapping puts in the place of one; undefined if none does. */
export function renamedBy(
  all: readonly (ReturnType<typeof toRenames> | undefined)[],
  field: string,
  value: string,
): string | undefined {
  return all.map((renames) => renames?.get(field)?.get(value)).find((name) => name !== undefined);
}

/** Which ID identifies a user. The other one applies if it is empty. */
export type UserOrder = 'anonymous' | 'known';

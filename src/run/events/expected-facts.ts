import path from 'node:path';
import { sourceName } from '../file/source-copy.ts';
import { eventFields } from '../../plan/model/event-fields.ts';
import { nameOfField } from '../../plan/mapping/field-name.ts';

/** A fact that most questions need. Any of its columns is enough. */
export interface ExpectedFact {
  readonly title: string;
  /** What follows if it is missing. Default: figures about it are empty. */
  readonly effect?: string | undefined;
  /** Columns of `events`. */
  readonly columns: readonly string[];
  /** The field to map. */
  readonly field: string;
  /** SQL over `events` that is true if an event holds the fact, for facts that no single column holds. */
  readonly holds?: string | undefined;
  /** Columns of which at least one has a value if `holds` is true. Defaults to `columns`. */
  readonly from?: readonly string[] | undefined;
}

export const expectedFacts: readonly ExpectedFact[] = [
  { title: 'time', columns: ['utc_time'], field: 'utcTime' },
  { title: 'event type', columns: ['event_type'], field: 'eventType' },
  { title: 'user', columns: ['user_anonymous_id', 'user_id'], field: 'userAnonymousId' },
  { title: 'page', columns: ['doc_path', 'url'], field: 'docPath' },
];

/** Whether a statement uses page views, and events have types but none is a page view. */
async function lackPageViews(statement: string, holds: (fact: ExpectedFact) => Promise<boolean>): Promise<boolean> {
  if (!/(?<!WHEN )"[^"]+"\.event_type = 'pageview'|"[^"]+"\.page_views\b|\b(?:landing|exit)_page\b/.test(statement))
    return false;
  const type: ExpectedFact = { title: 'event type', columns: ['event_type'], field: 'eventType' };
  return !(await holds({ ...type, holds: "event_type = 'pageview'" })) && (await holds(type));
}

/** Whether a statement needs times of day. */
export function asksTimesOfDay(statement: string): boolean {
  return /session|'hour'|'minute'/i.test(statement);
}

/** The facts that the events of a statement have and lack. */
interface LackingFacts {
  /** Facts that the statement needs and some files lack. */
  readonly lacking: readonly LackingFact[];
  /** Number of files; 0 if the events do not come from files. */
  readonly files: number;
  /** Whether some events are known to have only dates. */
  readonly isDated: () => boolean | Promise<boolean>;
  /** Whether some event holds a fact. */
  readonly holds: (fact: ExpectedFact) => Promise<boolean>;
  /** SQL condition: an event has a time of day. */
  readonly isTimed?: string;
}

interface LackingFact {
  readonly title: string;
  readonly effect?: string | undefined;
  readonly field: string;
  readonly files: readonly string[];
}

/** Notes on everything that a statement uses and the events lack. */
export async function tellLacking(
  statement: string,
  { lacking, files, isDated, holds, isTimed = "utc_time <> date_trunc('day', utc_time)" }: LackingFacts,
): Promise<readonly string[]> {
  const [time] = expectedFacts as readonly [ExpectedFact];
  const haveDates = async () =>
    (await isDated()) || (!(await holds({ ...time, holds: isTimed })) && (await holds(time)));
  return [
    ...tellFacts(lacking, files),
    ...((await lackPageViews(statement, holds)) ? [noPageViews] : []),
    ...(asksTimesOfDay(statement) && (await haveDates()) ? [datedNote] : []),
  ];
}

/** Shown if events have types but none is a page view. */
const noPageViews =
  'No event has the type pageview, so page views are 0 and sessions have no landing or exit page. ' +
  'List the types with `count by eventType`, and map yours in sluice.yaml: ' +
  '`eventType: {column: …, values: {NAME: pageview}}`.';

/** Shown if events have only dates. */
export const datedNote = 'The events have dates without times. Session durations and hours are not meaningful.';

/** Shown if mapped times name no zone. */
export const localNote =
  'Times without a zone are read as UTC. ' +
  'If they are local, declare their zone: `sources: [{files: …, timezone: Europe/Berlin}]`.';

function baseName(file: string): string {
  return path.basename(sourceName(file));
}

function tellFacts(lacking: readonly LackingFact[], files: number): readonly string[] {
  const byFiles = Map.groupBy(lacking, ({ files: without }) => without.join('\0'));
  return [...byFiles.values()].flatMap((facts) => {
    const without = facts[0]?.files ?? [];
    const all = without.length === files || files === 0;
    const where = all
      ? 'The events have'
      : `${
          without.length === 1
            ? `${baseName(without[0]!)} has`
            : `${without.length} of ${files} files, such as ${baseName(without[0]!)}, have`
        }`;
    const are = all ? 'are empty' : 'are incomplete';
    // Raw event queries have many columns; do not print a note for each.
    if (facts.length > mostSentences) {
      const titles = facts.map(({ title }) => title);
      return (
        `${where} no ${titles.slice(0, -1).join(', ')} or ${titles.at(-1)}: ` +
        `figures about them ${are}. Map columns ` +
        `to them with --map or \`columns:\` in sluice.yaml: ${facts.map(({ field }) => field).join(', ')}.`
      );
    }
    return facts.map(
      ({ title, field, effect = `figures about it ${are}` }) =>
        `${where} no ${title}: ${effect}. Map a column to it: --map ${field}=COLUMN, or \`columns:\` in sluice.yaml.`,
    );
  });
}

/** More lacking facts are combined into one note. */
const mostSentences = 3;

/** The facts that a statement reads, judging by its text. */
export function factsRead(statement: string): readonly ExpectedFact[] {
  const code = withoutUnusedViews(statement.replaceAll(/'(?:[^']|'')*'/g, "''"));
  const reads = (column: string) => new RegExp(`\\b${column}\\b`).test(code);
  const expected = askedFacts.filter(({ asked }) => reads(asked));
  const ofVisits = visitFacts.filter(({ asked }) => asked.test(statement));
  const isAsked = openAsked(code);
  const others = otherFacts.filter(({ columns: [column] }) => isAsked(column!));
  return [...expected, ...ofVisits, ...others];
}

/** Sessions always count their page views, by the type of events, even if the question does not ask for them. */
function withoutUnusedViews(code: string): string {
  if (/"[^"]+"\.page_views\b/.test(code)) return code;
  return code
    .replaceAll(/\bvisible AS NOT MATERIALIZED \(\s*SELECT [^()]*\)/g, '')
    .replaceAll(/\bFILTER \(WHERE event_type = ''\) AS page_views\b/g, '');
}

/** Calls that read these columns for another purpose: a visit fact, robots, or a property. */
const readForOthers = new RegExp(
  [
    /\b(?:device_class_of|traffic_source|channel_of|campaign_field|host_of)\([^()]*\)/,
    /\bcoalesce\("[^"]+"\.(?:agent_name|useragent), ''\)/,
    /"[^"]+"\.custom_(?:event|user)_props\b(?! AS )/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/**
 * Tests whether a column is used as a dimension of events or of first events of sessions. Sessions read some columns
 * internally.
 */
function openAsked(code: string): (column: string) => boolean {
  const ofEvents = new Set(
    [...code.matchAll(/"events" AS (?:"([^"]+)"|(\w+))/g)].map(([, one, other]) => one ?? other),
  );
  const ofSessions = new Set([...code.matchAll(/\bfirst_event\.(\w+)/g)].map(([, column]) => column));
  const named = [...code.replaceAll(readForOthers, '').matchAll(/"([^"]+)"\.(\w+)/g)];
  const asked = new Set(
    named.flatMap(([, alias, column]) => (ofEvents.has(alias) || ofSessions.has(column) ? [column] : [])),
  );
  return (column) => asked.has(column);
}

/** Facts by the column that a statement reads. The page's path can also come from its URL. */
const askedFacts: readonly (ExpectedFact & { readonly asked: string })[] = [
  { title: 'event type', columns: ['event_type'], field: 'eventType', asked: 'event_type' },
  { title: 'user', columns: ['user_anonymous_id', 'user_id'], field: 'userAnonymousId', asked: 'user_key' },
  { title: 'anonymous ID', columns: ['user_anonymous_id'], field: 'userAnonymousId', asked: 'user_anonymous_id' },
  { title: 'user ID', columns: ['user_id'], field: 'userId', asked: 'user_id' },
  { title: 'page', columns: ['doc_path', 'url'], field: 'docPath', asked: 'doc_path' },
  { title: 'page URL', columns: ['url'], field: 'url', asked: 'url' },
];

/** Visit facts, with the call in a statement that uses them; see `plan/sql/visit-macros.ts`. */
const visitFacts: readonly (ExpectedFact & { readonly asked: RegExp })[] = [
  ...['source', 'medium', 'campaign', 'term', 'content'].map((part) => ({
    title: part === 'campaign' ? 'campaign' : `campaign ${part}`,
    columns: [`utm_${part}`],
    field: `utm${part[0]!.toUpperCase()}${part.slice(1)}`,
    holds: `campaign_field(utm_${part}, doc_search, 'utm_${part}') IS NOT NULL`,
    from: [`utm_${part}`, 'doc_search'],
    asked: new RegExp(`\\bcampaign_field\\([^()]*'utm_${part}'\\)`),
  })),
  {
    title: 'traffic source',
    columns: ['utm_source', 'referer'],
    field: 'utmSource',
    holds: `traffic_source(utm_source, doc_search, referer, doc_host) IS NOT NULL`,
    from: ['utm_source', 'doc_search', 'referer'],
    asked: /\btraffic_source\(/,
  },
  {
    title: 'traffic source',
    columns: ['utm_source', 'utm_medium', 'referer'],
    field: 'utmSource',
    holds: `channel_of(utm_source, utm_medium, doc_search, referer, doc_host) <> 'Direct'`,
    from: ['utm_source', 'utm_medium', 'doc_search', 'referer'],
    effect: 'every session is Direct',
    asked: /\bchannel_of\(/,
  },
  { title: 'referrer', columns: ['referer'], field: 'referer', asked: /\bhost_of\(/ },
  {
    title: 'device class',
    columns: ['device_class', 'useragent'],
    field: 'deviceClass',
    holds: 'device_class_of(device_class, agent_name, useragent) IS NOT NULL',
    from: ['device_class', 'agent_name', 'useragent'],
    asked: /\bdevice_class_of\(/,
  },
  {
    title: 'user agent',
    columns: ['agent_name', 'useragent'],
    field: 'useragent',
    asked: /\bcoalesce\("[^"]+"\.useragent, ''\)/,
  },
];

/** Titles of all other columns. */
const otherTitles: Readonly<Record<string, string>> = {
  session_id: 'session ID',
  event: 'event class',
  event_id: 'event ID',
  project_id: 'project ID',
  api_key: 'API key',
  doc_host: 'host',
  doc_search: 'page query',
  doc_encoding: 'page encoding',
  base_url: 'base URL',
  page_title: 'page title',
  referer: 'referrer',
  useragent: 'user agent',
  agent_name: 'browser',
  agent_version: 'browser version',
  os_family: 'OS family',
  os_name: 'operating system',
  os_version: 'OS version',
  os_version_major: 'OS major version',
  country: 'country',
  browser_language: 'browser language',
  document_language: 'page language',
  viewport_size: 'viewport size',
  local_tz_offset: 'time zone offset',
  src: 'source',
  ids_ajs_anonymous_id: 'other anonymous ID',
  user_hashed_anonymous_id: 'hashed anonymous ID',
  target_url: 'link target',
  element_id: 'element ID',
  custom_event_name: 'custom event',
  custom_event_props: 'event properties',
  custom_user_props: 'user properties',
};

/** Parts of the page URL can also come from `url`. */
const partsOfUrl = ['doc_host', 'doc_search', 'base_url'];

const otherFacts: readonly ExpectedFact[] = eventFields.flatMap((field) => {
  const title = otherTitles[field.column];
  if (title === undefined) return [];
  return [
    {
      title,
      columns: partsOfUrl.includes(field.column) ? [field.column, 'url'] : [field.column],
      field: nameOfField(field),
    },
  ];
});

import path from 'node:path';
import { readJson } from '../../../../ask/document/parse-exactly.ts';
import { nameOfField } from '../../../../plan/mapping/field-name.ts';
import type { DecimalMark } from '../../../../plan/mapping/mapping.ts';
import { eventFields, spellingsOf } from '../../../../plan/model/event-fields.ts';
import { sourceName } from '../../../file/source-copy.ts';
import type { CompiledMapping, MappedPart } from '../../mapping/compile-mapping.ts';
import { isCanonicalName, isSizeKey, readName, spellingOf } from '../columns/event-columns.ts';
import type { EventSource } from '../source/event-source.ts';
import type { SampledRecord } from '../text/head-records.ts';
import type { NumberMarks, ExpectedFact, Recognition } from '../columns/recognition.ts';
import { sampleRecords } from './sample-keys.ts';
import { columnsOfEntities, isEntityKey } from '../layouts/snowplow-entities.ts';

export type { ExpectedFact, Recognition };

export const expectedFacts: readonly ExpectedFact[] = [
  { title: 'time', columns: ['utc_time'], field: 'utcTime' },
  { title: 'event type', columns: ['event_type'], field: 'eventType' },
  { title: 'user', columns: ['user_anonymous_id', 'user_id'], field: 'userAnonymousId' },
  { title: 'page', columns: ['doc_path', 'url'], field: 'docPath' },
];

/** The column names of a source. For JSON: the keys of some records, and the values within. */
export interface NamesFound {
  readonly names: readonly string[];
  /** Whether some record has a value at the JSON pointer below the key. */
  readonly holds?: ((key: string, pointer: string) => boolean) | undefined;
}

/** `all`: the records of a JSON file, if available; otherwise some are read, see `sampleRecords`. */
export async function namesIn(
  source: EventSource,
  file: string,
  { head, all }: { readonly head?: number; readonly all?: readonly SampledRecord[] | undefined } = {},
): Promise<NamesFound> {
  if (source.kind === 'csv') return { names: source.header };
  if (source.kind === 'parquet') return { names: source.columns.map(({ name }) => name) };
  if (source.kind !== 'json') return { names: [] };
  const records = all ?? (await sampleRecords(source, file, head));
  return {
    names: [...new Set(records.flatMap(Object.keys))],
    holds: (key, pointer) => {
      const steps = pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      return records.some((record) => isValueAt(record[key], steps));
    },
  };
}

/** Lists are searched, because each item may be an event. */
function isValueAt(given: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (given === null || given === undefined || given === '') return false;
  if (step === undefined) return true;
  const value = typeof given === 'string' ? readJson(given) : given;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && !/^\d+$/.test(step)) return value.some((item) => isValueAt(item, steps));
  return isValueAt((value as Readonly<Record<string, unknown>>)[step], rest);
}

/** How the names in a file map to fields, given its mapping. */
export function recogniseFields(
  { names, holds }: NamesFound,
  { kind, mapped }: Pick<EventSource, 'kind' | 'mapped'>,
): Recognition {
  const exactly = kind === 'json';
  const fold = (name: string) => (exactly ? name : name.toLowerCase());
  const present = new Map(names.map((name) => [fold(name), name]));
  const recognised: { field: string; column: string; from: string }[] = [];
  const lost: { field: string; column: string; from: string }[] = [];
  const used = new Set(mapped?.consumed.map(fold));
  for (const field of eventFields) {
    const name = nameOfField(field);
    const own = mapped?.fields.find(({ column }) => column === field.column);
    // A field that is always empty, whatever the column names.
    if (own?.parts.every((part) => part.kind === 'value' && part.text === null)) continue;
    if (own) {
      const there = own.parts.filter((part) => isThere(part, (root) => present.has(fold(root)), holds));
      const from = (there.length > 0 ? there : own.parts).map(describePart).join(', ');
      (there.length > 0 ? recognised : lost).push({ field: name, column: field.column, from });
      continue;
    }
    const found = names.filter(
      (one) =>
        !used.has(fold(one)) && isCanonicalName(one) && (!exactly || readName(one) === one) && fieldOf(one) === field,
    );
    if (found.length > 0) recognised.push({ field: name, column: field.column, from: found.join(', ') });
    for (const one of found) used.add(fold(one));
  }
  const columns = new Set([...recognised.map(({ column }) => column), ...columnsOfEntities(names)]);
  return {
    recognised,
    lost,
    isDated: isDated(mapped),
    isLocal: isLocal(mapped),
    properties: names.filter((name) => !used.has(fold(name))),
    missing: expectedFacts.filter((fact) => !fact.columns.some((column) => columns.has(column))),
  };
}

const fieldBySpelling = new Map<string, (typeof eventFields)[number]>();

function fieldOf(name: string): (typeof eventFields)[number] | undefined {
  const spelling = spellingOf(name);
  if (spelling === undefined) return undefined;
  if (fieldBySpelling.size === 0)
    for (const field of eventFields)
      for (const one of spellingsOf(field)) fieldBySpelling.set(one.toLowerCase(), field);
  return fieldBySpelling.get(spelling.toLowerCase());
}

function isThere(part: MappedPart, has: (root: string) => boolean, holds: NamesFound['holds']): boolean {
  if (part.kind === 'value') return part.text !== null;
  if (part.kind === 'sql') return part.roots.length === 0 || part.roots.some(has);
  return has(part.root) && (part.kind !== 'path' || holds === undefined || holds(part.root, part.pointer));
}

/** For display: `created_at`, `$.context.page`, `lower(page)`, `"pageview"`. */
export function describePart(part: MappedPart): string {
  switch (part.kind) {
    case 'column':
      return part.root;
    case 'path':
      return `$.${part.root}${part.pointer.replaceAll('/', '.')}`;
    case 'sql':
      return part.sql.replaceAll(/"?sluice from ([^"]*)"?/g, '$1');
    case 'value':
      return JSON.stringify(part.text);
  }
}

/** Whether the column's name differs from the field's, ignoring an export's prefix. */
export function isRenamed({ field, from }: Recognition['recognised'][number]): boolean {
  return from.replace(/^\w+\./, '') !== field;
}

/** A field, with its column if the name differs: `utcTime (created_at)`, `docPath`. */
export function nameRecognised(one: Recognition['recognised'][number]): string {
  return isRenamed(one) ? `${one.field} (${one.from})` : one.field;
}

/** Notes about decimal commas, separated thousands and units. */
export function markSentences({ columns, doubtful }: NumberMarks = { columns: [], doubtful: [] }): readonly string[] {
  return [
    ...sentence('Read with decimal commas or points between thousands', columns, ','),
    ...sentence('Read with commas between thousands', columns, '.'),
    ...[...new Set(columns.flatMap(({ unit }) => unit ?? []))].map(
      (unit) =>
        `Read as numbers, without "${unit}": ${columns.flatMap((one) => (one.unit === unit ? one.name : [])).join(', ')}.`,
    ),
    ...doubtful.map(doubtSentence),
  ];
}

/** What a column of ambiguous numbers is read as, and how to declare it. */
export function doubtSentence({ column, example }: NumberMarks['doubtful'][number]): string {
  return example.includes(',')
    ? `${column} is kept as text: ${example} can be a decimal or a whole number. Declare \`decimal: ','\` in sluice.yaml if the comma is a decimal one, or \`decimal: '.'\` if it separates thousands.`
    : `${column} is read with decimal points: ${example} can be a decimal or a whole number. Declare \`decimal: ','\` in sluice.yaml if the point separates thousands, or \`decimal: '.'\` if it is a decimal one.`;
}

function sentence(text: string, columns: NumberMarks['columns'], mark: DecimalMark): readonly string[] {
  const names = columns.filter((column) => column.mark === mark && column.unit === undefined).map(({ name }) => name);
  return names.length > 0 ? [`${text}: ${names.join(', ')}.`] : [];
}

/** Whether the mapped times have no time of day. */
export function isDated(mapped: CompiledMapping | undefined): boolean {
  const time = mapped?.fields.find(({ type }) => type === 'time');
  return time !== undefined && time.parts.every(({ isDate }) => isDate === true);
}

/** Whether mapped times name no zone and none is declared. */
export function isLocal(mapped: CompiledMapping | undefined): boolean {
  const time = mapped?.fields.find(({ type }) => type === 'time');
  return time?.parts.some((part) => part.isLocal === true) ?? false;
}

/** Whether some columns fill other fields too. */
export function tellMore(names: readonly string[]): boolean {
  return names.some((name) => isEntityKey(name.toLowerCase()) || isSizeKey(name));
}

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
  'No event has the type pageview, so page views are 0 and sessions have no landing or exit page. List the types with `count by eventType`, and map yours in sluice.yaml: `eventType: {column: …, values: {NAME: pageview}}`.';

/** Shown if mapped times name no zone. */
export const localNote =
  'Times without a zone are read as UTC. If they are local, declare their zone: `sources: [{files: …, timezone: Europe/Berlin}]`.';

/** Shown if events have only dates. */
export const datedNote = 'The events have dates without times. Session durations and hours are not meaningful.';

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
      : `${without.length === 1 ? `${baseName(without[0]!)} has` : `${without.length} of ${files} files, such as ${baseName(without[0]!)}, have`}`;
    const are = all ? 'are empty' : 'are incomplete';
    // Raw event queries have many columns; do not print a note for each.
    if (facts.length > mostSentences) {
      const titles = facts.map(({ title }) => title);
      return `${where} no ${titles.slice(0, -1).join(', ')} or ${titles.at(-1)}: figures about them ${are}. Map columns to them with --map or \`columns:\` in sluice.yaml: ${facts.map(({ field }) => field).join(', ')}.`;
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
const readForOthers =
  /\b(?:device_class_of|traffic_source|channel_of|campaign_field|host_of)\([^()]*\)|\bcoalesce\("[^"]+"\.(?:agent_name|useragent), ''\)|"[^"]+"\.custom_(?:event|user)_props\b(?! AS )/g;

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

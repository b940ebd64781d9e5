import { isLocalTime, readZone } from '../../ask/time/zone.ts';
import { withTimesIn } from './columns-in-zone.ts';
import type { FieldSource, Mapping, SimpleSource } from './mapping.ts';
import type { FileShape, ShapeColumn } from './preset.ts';
import { fieldCalled, nameOfField } from './field-name.ts';
import {
  areBareUrls,
  folded,
  guesses,
  isPageView,
  most,
  ofObjects,
  rankIn,
  rankOfScreen,
  saysPageView,
} from './field-guesses.ts';
import { bareDate, looksLikeTime, standsForNull, toColumn } from './to-shape.ts';

/** `sure`: both name and values match. `likely`: the name matches. `guess`: only the values match. */
export type Confidence = 'sure' | 'likely' | 'guess';

export interface ProposedColumn {
  /** A column's name, or a path into a column. */
  readonly source: string;
  readonly column: ShapeColumn;
  /** undefined if the column is kept as a property. */
  readonly field?: string | undefined;
  readonly confidence?: Confidence | undefined;
}

export interface MappingProposal {
  readonly columns: readonly ProposedColumn[];
  readonly mapping: Mapping;
  /** Required facts that no column provides. */
  readonly missing: readonly string[];
  /** Columns with counts. Reports per page or day have them; event files do not. */
  readonly figures: readonly string[];
  /** Columns that are named like event IDs but have repeated values. */
  readonly repeated: readonly string[];
  /** Columns that are named like session IDs, but have the same values for several users, such as numbers of visits. */
  readonly shared: readonly string[];
  /** Some event types, if the sample has several and none of them is a page view. */
  readonly types: readonly string[];
  /** Whether the times name no zone, so that they are read as UTC. */
  readonly isLocal: boolean;
  /** Whether the times are dates without a time of day. */
  readonly isDated: boolean;
}

/** Maximum depth at which fields are searched. */
const mostSteps = 4;

/** Proposes a field for each column of a file, from the names and the values of some rows. */
export function proposeMapping(shape: FileShape): MappingProposal {
  const draft = openDraft(shape);
  takeByNames(draft);
  takePages(draft);
  takeTypes(draft);
  takeTime(draft);
  const { candidates, taken, fieldOf, shared } = draft;
  const [date, clock] = takeClock(draft);
  // Columns with a field's own name need no mapping.
  const { repeated, nested } = keepOwnNames(draft);
  const isShown = ({ source }: Candidate) => !source.startsWith('$.') || fieldOf.has(source);
  const missing = missingFacts(draft);
  const types = (taken.get('eventType') ?? []).flatMap(({ column }) => column.examples);
  const counted = shape.columns.filter(({ name, type }) => type === 'number' && figureNames.includes(folded(name)));
  const isDated = date !== undefined && clock === undefined;
  // A single figure may be a property of an event, unless rows stand for days.
  const isCounted = counted.length > 1 || (counted.length === 1 && isDated);
  const [time] = taken.get('utcTime') ?? [];
  const isLocal = (taken.get('utcTime') ?? []).some(({ source, column }) => isLocalTime(source, column.examples));
  const zone = isLocal && time ? zoneInName(time.source) : undefined;
  const isSessionShared = [...shared].some((source) => ownField(source) === 'sessionId') && !taken.has('sessionId');
  const withoutColumn = [
    ...nested,
    ...(repeated.length > 0 ? ['eventId'] : []),
    ...(isSessionShared ? ['sessionId'] : []),
  ];
  const columns = Object.fromEntries([
    ...[...taken].map(([field, sources]) => [field, toSource(field, sources, taken)] as const),
    ...withoutColumn.map((field) => [field, { value: null }] as const),
  ]);
  return {
    columns: candidates.filter(isShown).map(({ source, column }) => ({ source, column, ...fieldOf.get(source) })),
    mapping: { columns: zone === undefined ? columns : withTimesIn(columns, zone) },
    missing,
    figures: isCounted && missing.includes('user') ? counted.map(({ name }) => name) : [],
    repeated,
    shared: [...shared],
    types: types.length > 1 && !types.some(isPageView) ? types : [],
    isDated,
    isLocal: isLocal && zone === undefined,
  };
}

/** What is proposed so far. */
interface Draft {
  readonly shape: FileShape;
  readonly candidates: readonly Candidate[];
  /** The sources of each field. */
  readonly taken: Map<string, readonly Candidate[]>;
  readonly fieldOf: Map<string, { readonly field: string; readonly confidence: Confidence }>;
  /** Columns that are named like session IDs, but have the same values for several users. */
  readonly shared: Set<string>;
  readonly take: (field: string, sources: readonly Candidate[], confidence: Confidence) => void;
  readonly leave: (field: string) => void;
  readonly isFree: (candidate: Candidate) => boolean;
}

function openDraft(shape: FileShape): Draft {
  const [taken, fieldOf]: [Draft['taken'], Draft['fieldOf']] = [new Map(), new Map()];
  return {
    shape,
    candidates: shape.columns.flatMap((column) => [
      { source: sourceOf(column.name), column },
      ...below(column, `$${step(column.name)}`, 1),
    ]),
    taken,
    fieldOf,
    shared: new Set(),
    take(field, sources, confidence) {
      taken.set(field, sources);
      for (const { source } of sources) fieldOf.set(source, { field, confidence });
    },
    leave(field) {
      for (const { source } of taken.get(field) ?? []) fieldOf.delete(source);
      taken.delete(field);
    },
    isFree: ({ source }) => !fieldOf.has(source),
  };
}

/** Takes for each field the column with the likeliest name whose values fit. */
function takeByNames(draft: Draft): void {
  const { candidates, taken, take, leave, isFree } = draft;
  for (const { field, names, fits } of guesses) {
    if (taken.has(field)) continue;
    const named = candidates
      .filter((candidate) => isFree(candidate) && (candidate.column.type !== 'object' || field === ofObjects))
      .map((candidate) => ({ ...candidate, rank: rankIn(names, candidate.source) }))
      .filter(({ rank, column }) => rank >= 0 && column.type !== 'list' && (fits === undefined || fits(column)))
      .filter(({ source, column }) => field !== 'eventType' || mayBeType(source, column))
      .filter(({ source }) => !pageFields.includes(field) || !isOfReferrer(source))
      .filter((candidate) => field !== 'sessionId' || !isShared(draft, candidate))
      .sort(
        (one, other) =>
          Number(other.column.filled > 0) - Number(one.column.filled > 0) ||
          one.rank - other.rank ||
          one.source.length - other.source.length,
      );
    const [best] = named;
    if (!best) continue;
    // Trackers name custom events in one column and page views in another.
    const fuller = field === 'eventType' && named.find(({ column }) => column.filled > best.column.filled);
    take(field, fuller ? [best, fuller] : [best], fits || best.rank === 0 ? 'sure' : 'likely');
  }
  // A person has one device or several, but an application has many people: OAuth calls applications clients, too.
  const [device, user] = [taken.get('userAnonymousId')?.[0], taken.get('userId')?.[0]];
  if (device && user && device.column.distinct * 2 < user.column.distinct) leave('userAnonymousId');
  // An account has several people: it stands for a user only if nothing else does.
  else if (device && user && /account(?:id)?$/.test(folded(user.source))) leave('userId');
}

function isShared({ shape, candidates, fieldOf, shared }: Draft, { source, column }: Candidate): boolean {
  const users = candidates
    .map((one) => one.source)
    .filter((one) => userFields.includes(fieldOf.get(one)?.field ?? ownField(one) ?? ''));
  const isOfSeveral =
    users.length > 0 && !most(column.examples, isStart) && areShared(shape.countsBeside(source, users));
  if (isOfSeveral) shared.add(source);
  return isOfSeveral;
}

function takePages({ shape, candidates, taken, take, leave, isFree }: Draft): void {
  // Paths with queries are addresses: the page is the part before the query.
  const pages = taken.get('docPath');
  if (pages?.some(({ column }) => column.examples.some((text) => /^[^#]*\?/.test(text))) && !taken.has('url')) {
    leave('docPath');
    take('url', pages, 'sure');
  }
  const page = (taken.get('docPath') ?? taken.get('url'))?.[0];
  const isBesideUrl = ({ source }: Candidate) =>
    page !== undefined && taken.has('url') && shape.countsBeside(source, [page.source]).length > 0;
  const [screen] = candidates
    .filter((candidate) => isFree(candidate) && !isOfReferrer(candidate.source))
    .map((candidate) => ({ ...candidate, rank: rankOfScreen(candidate.source, candidate.column) }))
    .filter((candidate) => candidate.rank >= 0 && !isBesideUrl(candidate))
    .sort((one, other) => one.rank - other.rank);
  // Events of an app have a screen where those of a website have a path.
  if (screen && (!page || page.column.filled < 1) && !candidates.some(({ source }) => ownField(source) === 'docPath'))
    take('docPath', [...(taken.get('docPath') ?? []), screen], 'likely');
}

/** Without a column that is named like one of types, takes one whose values are those of page views. */
function takeTypes({ candidates, taken, take, isFree }: Draft): void {
  if (taken.has('eventType')) return;
  const telling = candidates.find(
    (candidate) => isFree(candidate) && !candidate.column.isUnique && candidate.column.examples.some(saysPageView),
  );
  if (telling) take('eventType', [telling], 'guess');
}

/** Without a column of times under a usual name, takes one with times, or else with a usual name. */
function takeTime({ shape, candidates, taken, take, isFree }: Draft): void {
  if (taken.has('utcTime')) return;
  const free = candidates.filter(isFree);
  const time = free.find(({ column }) => column.filled > 0.9 && most(column.examples, looksLikeTime));
  if (time) return take('utcTime', [time], 'guess');
  // Matches by name alone. The reader of the column later reports unreadable values and the accepted time formats.
  const isRowless = shape.columns.every(({ examples }) => examples.length === 0);
  const named = free.find(
    ({ source, column }) =>
      (isRowless || ((column.type === 'text' || column.type === 'time') && column.examples.length > 0)) &&
      rankIn(guesses[0]!.names, source) >= 0,
  );
  if (named) take('utcTime', [named], 'likely');
}

/** If the times are dates: the column of the dates, and that of the times of day, which is taken with it. */
function takeClock({ candidates, taken, fieldOf, take }: Draft): readonly [Candidate?, Candidate?] {
  const [date] = taken.get('utcTime') ?? [];
  if (!date || !most(date.column.examples, (text) => isBareDate.test(text))) return [];
  const clock = findClock(candidates, date, fieldOf);
  if (clock) take('utcTime', [date, clock], 'likely');
  return [date, clock];
}

/**
 * Keeps columns that have the names of fields. Returns IDs that repeat, and fields of text whose columns are objects.
 */
function keepOwnNames({ candidates, taken, fieldOf, shared, isFree }: Draft): {
  readonly repeated: readonly string[];
  readonly nested: ReadonlySet<string>;
} {
  const repeated: string[] = [];
  const nested = new Set<string>();
  for (const candidate of candidates) {
    const { source, column } = candidate;
    const field = isFree(candidate) && !source.startsWith('$.') ? ownField(source) : undefined;
    if (field === undefined || taken.has(field)) continue;
    if (field === 'eventId' && column.repeated > 0 && column.filled > 0) repeated.push(source);
    else if (column.type === 'object' && fieldCalled(source)?.type === 'text') nested.add(field);
    else if (!shared.has(source)) fieldOf.set(source, { field, confidence: 'sure' });
  }
  return { repeated, nested };
}

function missingFacts({ taken, fieldOf }: Draft): readonly string[] {
  const isFilled = (field: string) => taken.get(field)?.some(({ column }) => column.filled > 0) ?? false;
  const hasPage = [...fieldOf.values()].some(({ field }) => field === 'docPath' || field === 'url');
  return [
    ...(taken.has('utcTime') ? [] : ['time']),
    ...(taken.has('eventType') ? [] : ['event type']),
    ...(isFilled('userAnonymousId') || isFilled('userId') ? [] : ['user']),
    ...(hasPage ? [] : ['page']),
  ];
}

/** The proposed columns. Dates without a time or a zone are days of the zone that the user reports in. */
export function columnsIn(proposal: MappingProposal, zone: string | undefined): Mapping['columns'] {
  const { mapping, isDated, isLocal } = proposal;
  const read = readZone(zone ?? 'UTC');
  const isUtc = !read.ok || read.value === 'UTC';
  return isDated && isLocal && !isUtc ? withTimesIn(mapping.columns, read.value) : mapping.columns;
}

/** `Europe/Berlin` in the name `Started at (Europe/Berlin)`. */
function zoneInName(name: string): string | undefined {
  const read = readZone(/\(([A-Z][a-z]+\/[\w/+-]+)\)/.exec(name)?.[1] ?? '');
  return read.ok ? read.value : undefined;
}

/** The field that has a column's own name. */
function ownField(source: string): string | undefined {
  const known = fieldCalled(source);
  return known && nameOfField(known);
}

/** A session has one user, or two if somebody signs in. `counts`: the users of each value. */
const fewUsers = 3;

function areShared(counts: readonly number[]): boolean {
  const valuesOfMoreThan = (users: number) => counts.filter((count) => count > users).length;
  return valuesOfMoreThan(fewUsers) > 1 || valuesOfMoreThan(1) * 2 > counts.length;
}

interface Candidate {
  readonly source: string;
  readonly column: ShapeColumn;
}

/** Fields of a page. A path such as `$.referer.host` leads to that of the page before. */
const pageFields: readonly string[] = ['url', 'docPath', 'docHost', 'pageTitle'];

const isOfReferrer = (source: string) => /\.referr?er\./i.test(source);

/** Excludes the type of an error, such as `$.err.type` in logs, the name of a service, and that of a plan or device. */
function mayBeType(source: string, column: ShapeColumn): boolean {
  const isOfOther =
    /\.(?:err|error|exception|resource)\./i.test(source) ||
    /\.(?:user|customer|account|company|team|plan|product|item|app|page|device|os|browser)\.(?:name|type|kind)$/i.test(
      source,
    );
  return column.filled > 0 && !isNumbering(column) && !isOfOther;
}

/** Whether nearly each row has a value of its own, or `#1001`: the numbers of orders are no types of events. */
function isNumbering({ repeated, distinct, examples }: ShapeColumn): boolean {
  return (repeated < 0.2 && distinct >= 20) || (examples.length > 0 && examples.every((text) => /^#\d+$/.test(text)));
}

/** Columns of files with counts, lower case without punctuation. */
const figureNames = (
  'pageviews views uniquepageviews uniques uniqueusers users newusers activeusers totalusers visits visitors ' +
  'uniquevisitors sessions hits clicks impressions bounces entrances exits eventcount events count totalcount'
).split(' ');

function toSource(
  field: string,
  sources: readonly Candidate[],
  taken: ReadonlyMap<string, readonly Candidate[]>,
): FieldSource {
  const [first, second] = sources as readonly [Candidate, Candidate?];
  const isColumn = ({ source }: Candidate) => !source.startsWith('$.');
  if (field === 'url' && isColumn(first) && areBareUrls(first.column))
    return { sql: `'https://' || ${inSql(first.source)}` };
  // Session IDs that are start times may be equal for two users, so prefix the user.
  const users = userFields.flatMap((user) => taken.get(user) ?? []).filter(isColumn);
  if (field === 'sessionId' && isColumn(first) && users.length > 0 && most(first.column.examples, isStart)) {
    const [user, ...others] = users.map(({ source }) => inSql(source));
    const whose = others.length === 0 ? user : `coalesce(${[user, ...others].join(', ')})`;
    return { sql: `${whose} || '.' || ${inSql(first.source)}` };
  }
  if (field === 'eventType') {
    const named = ({ source, column }: Candidate) => withPageViews(source, column.examples.filter(isPageView));
    return second ? [named(first), named(second)] : named(first);
  }
  if (field === 'docPath' && second) return [first.source, second.source];
  if (field !== 'utcTime') return peopleFields.includes(field) ? withoutNulls(first) : first.source;
  if (!second) return first.source;
  const clock = isHourColumn(second) ? `${inSql(second.source)} || ':00'` : inSql(second.source);
  return { sql: `${inSql(first.source)} || ' ' || ${clock}` };
}

const userFields: readonly string[] = ['userAnonymousId', 'userId'];
/** A text that stands for NULL would count as one person, or one session of all. */
const peopleFields = [...userFields, 'sessionId'];

function withoutNulls({ source, column }: Candidate): SimpleSource {
  const values = Object.fromEntries(column.examples.filter(standsForNull).map((text) => [text, null]));
  if (Object.keys(values).length === 0) return source;
  return source.startsWith('$.') ? { path: source, values } : { column: source, values };
}

/** Matches recent times in seconds or milliseconds. */
const isStart = (text: string) => /^1(\d{9}|\d{12})$/.test(text);

function inSql(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const isBareDate = new RegExp(`^(?:${bareDate})$`);

/** The column with the time of day, or with the hour. */
function findClock(
  candidates: readonly Candidate[],
  date: Candidate,
  fieldOf: ReadonlyMap<string, unknown>,
): Candidate | undefined {
  const isClock = (text: string) => /^\d{1,2}:\d\d(:\d\d(\.\d+)?)?( ?[ap]m)?$/i.test(text);
  if (date.source.startsWith('$.')) return undefined;
  const own = candidates.filter(
    ({ source, column }) => !fieldOf.has(source) && !source.startsWith('$.') && column.filled > 0.9,
  );
  const clocks = own.filter(({ column }) => most(column.examples, isClock));
  const found = clocks.length === 0 ? own.filter(isHourColumn) : clocks;
  return found.length === 1 ? found[0] : undefined;
}

function isHourColumn({ source, column }: Candidate): boolean {
  return folded(source) === 'hour' && column.examples.every((text) => /^([01]?\d|2[0-3])$/.test(text));
}

/** Names of page views that need no mapping. */
const knownPageViews: readonly string[] = ['pageview', 'page_view'];

function withPageViews(source: string, names: readonly string[]): SimpleSource {
  const values = Object.fromEntries(
    names.filter((name) => !knownPageViews.includes(name)).map((name) => [name, 'pageview']),
  );
  if (Object.keys(values).length === 0) return source;
  return source.startsWith('$.') ? { path: source, values } : { column: source, values };
}

/** The source of a column. A column whose name looks like a path is addressed by a path. */
function sourceOf(name: string): string {
  return name.startsWith('$.') ? `$${step(name)}` : name;
}

function step(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? `.${name}` : `."${name.replaceAll(/["\\]/g, '\\$&')}"`;
}

function below(
  column: ShapeColumn,
  path: string,
  depth: number,
): readonly { readonly source: string; readonly column: ShapeColumn }[] {
  if (depth >= mostSteps || (column.type !== 'object' && column.type !== 'mixed' && column.type !== 'text')) return [];
  const objects = column.examples.flatMap((text) => {
    try {
      const value: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
      return typeof value === 'object' && value !== null ? [value as Readonly<Record<string, unknown>>] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(objects.flatMap(Object.keys))]
    .filter((key) => key !== '')
    .flatMap((key) => {
      const source = `${path}${step(key)}`;
      const inner = toColumn(
        key,
        objects.map((object) => object[key]),
      );
      return [{ source, column: inner }, ...below(inner, source, depth + 1)];
    });
}

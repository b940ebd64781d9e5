import type { FieldSource, Mapping, SimpleSource } from './mapping.ts';
import type { FileShape, ShapeColumn } from './preset.ts';
import { looksLikeTime, toColumn } from './to-shape.ts';

/** `sure`: its name and its values say so. `likely`: its name does. `guess`: its values alone do. */
export type Confidence = 'sure' | 'likely' | 'guess';

export interface ProposedColumn {
  /** A column's name, or a path into one. */
  readonly source: string;
  readonly column: ShapeColumn;
  /** undefined: it is kept as a property. */
  readonly field?: string | undefined;
  readonly confidence?: Confidence | undefined;
}

export interface MappingProposal {
  readonly columns: readonly ProposedColumn[];
  readonly mapping: Mapping;
  /** Facts that nothing was found for. */
  readonly missing: readonly string[];
  /** Columns that count, as figures per page or day do and events do not. */
  readonly figures: readonly string[];
  /** Some event types, if the sample has several and none of them is a page view. */
  readonly types: readonly string[];
  /** A column with a list that holds the events of a file that is one object. */
  readonly wrapped?: string | undefined;
}

interface Guess {
  readonly field: string;
  /** In lower case, without any other signs; the likeliest first. */
  readonly names: readonly string[];
  /** Whether values say so as well; undefined: they cannot. */
  readonly fits?: (texts: readonly string[]) => boolean;
}

const most = (texts: readonly string[], holds: (text: string) => boolean) =>
  texts.length > 0 && texts.filter(holds).length >= texts.length * 0.9;
const areUrls = (texts: readonly string[]) => most(texts, (text) => /^https?:\/\//i.test(text));
const arePaths = (texts: readonly string[]) => most(texts, (text) => text.startsWith('/'));

/** `20240308`: a date where the column's name says so, else any number. */
const compactDate = /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

const guesses: readonly Guess[] = [
  {
    field: 'utcTime',
    names:
      'timestamp eventtime eventtimestamp utctime ts time datetime occurredat createdat created loggedat servertime servertimestamp clienttimestamp browsertime receivedat sentat eventdate date when zeitpunkt zeitstempel zeit datum'.split(
        ' ',
      ),
    fits: (texts) => most(texts, (text) => looksLikeTime(text) || compactDate.test(text)),
  },
  {
    field: 'userAnonymousId',
    names:
      'anonymousid anonid distinctid visitorid visitor deviceid clientid userpseudoid pseudoid cookieid fingerprint besucher'.split(
        ' ',
      ),
  },
  {
    field: 'userId',
    names:
      'userid user uid actorid actor customerid customer accountid memberid username useremail email person who whoid benutzer nutzer kunde kundennummer'.split(
        ' ',
      ),
  },
  {
    field: 'sessionId',
    names: 'sessionid session visitid gasessionid contextsessionid sess sid visit sitzung sitzungsid'.split(' '),
  },
  {
    field: 'eventType',
    names: 'eventname eventtype event action type kind activity kindofevent what ereignis aktion name ev evt'.split(
      ' ',
    ),
  },
  {
    field: 'url',
    names: 'url pageurl currenturl pagelocation location href uri page contextpageurl eventurl postpageurl loc'.split(
      ' ',
    ),
    fits: areUrls,
  },
  {
    field: 'docPath',
    names:
      'pagepath urlpath path pathname requestpath page screen uri url href location route seite contextpagepath csuristem'.split(
        ' ',
      ),
    fits: arePaths,
  },
  { field: 'docHost', names: 'hostname host domain'.split(' ') },
  {
    field: 'referer',
    names:
      'referrer referer pagereferrer documentreferrer referringurl httpreferer referrerurl contextpagereferrer csreferer'.split(
        ' ',
      ),
  },
  {
    field: 'referer',
    names: 'source from camefrom herkunft quelle ref'.split(' '),
    fits: areUrls,
  },
  { field: 'pageTitle', names: 'pagetitle title'.split(' ') },
  { field: 'useragent', names: 'useragent ua httpuseragent csuseragent'.split(' ') },
  { field: 'eventId', names: 'eventid messageid insertid eventuuid'.split(' ') },
  { field: 'osName', names: 'osname os'.split(' ') },
  ...['Source', 'Medium', 'Campaign', 'Term', 'Content'].map((part) => ({
    field: `utm${part}`,
    names: [
      `utm${part}`,
      `mkt${part}`,
      ...(part === 'Campaign' ? ['campaign', 'campaignname'] : [`campaign${part}`]),
    ].map((name) => name.toLowerCase()),
  })),
  { field: 'country', names: 'country countrycode geocountry land'.split(' ') },
  { field: 'deviceClass', names: 'deviceclass devicetype devicecategory device'.split(' ') },
  { field: 'browserLanguage', names: 'browserlanguage language locale lang'.split(' ') },
];

/** Deeper than this no field is looked for. */
const mostSteps = 3;

/** What the columns of a file most likely are, by their names and the values of some rows. */
export function proposeMapping(shape: FileShape): MappingProposal {
  const candidates = shape.columns.flatMap((column) => [
    { source: sourceOf(column.name), column },
    ...below(column, `$${step(column.name)}`, 1),
  ]);
  const taken = new Map<string, readonly Candidate[]>();
  const fieldOf = new Map<string, { readonly field: string; readonly confidence: Confidence }>();
  const take = (field: string, sources: readonly Candidate[], confidence: Confidence) => {
    taken.set(field, sources);
    for (const { source } of sources) fieldOf.set(source, { field, confidence });
  };
  for (const { field, names, fits } of guesses) {
    if (taken.has(field)) continue;
    const named = candidates
      .filter(({ source, column }) => !fieldOf.has(source) && column.type !== 'object' && column.type !== 'list')
      .map((candidate) => ({ ...candidate, rank: rankIn(names, candidate.source) }))
      .filter(({ rank, column }) => rank >= 0 && (fits === undefined || fits(column.examples)))
      .filter(({ column }) => field !== 'eventType' || column.filled > 0)
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
  if (!taken.has('utcTime')) {
    const time = candidates.find(
      ({ source, column }) => !fieldOf.has(source) && column.filled > 0.9 && most(column.examples, looksLikeTime),
    );
    // By its name alone: reading it then says what a value is and what it may be.
    const named = candidates.find(
      ({ source, column }) =>
        !fieldOf.has(source) &&
        (column.type === 'text' || column.type === 'time') &&
        column.examples.length > 0 &&
        guesses[0]!.names.includes(bare(source)),
    );
    if (time) take('utcTime', [time], 'guess');
    else if (named) take('utcTime', [named], 'likely');
  }
  const [date] = taken.get('utcTime') ?? [];
  const clock = date && findClock(candidates, date, fieldOf);
  if (clock) take('utcTime', [date, clock], 'likely');
  const isShown = ({ source }: Candidate) => !source.startsWith('$.') || fieldOf.has(source);
  const isFilled = (field: string) => taken.get(field)?.some(({ column }) => column.filled > 0) ?? false;
  const missing = [
    ...(taken.has('utcTime') ? [] : ['time']),
    ...(taken.has('eventType') ? [] : ['event type']),
    ...(isFilled('userAnonymousId') || isFilled('userId') ? [] : ['user']),
    ...(taken.has('docPath') || taken.has('url') ? [] : ['page']),
  ];
  const types = (taken.get('eventType') ?? []).flatMap(({ column }) => column.examples);
  const counted = shape.columns.filter(({ name, type }) => type === 'number' && figureNames.includes(bare(name)));
  return {
    columns: candidates.filter(isShown).map(({ source, column }) => ({ source, column, ...fieldOf.get(source) })),
    mapping: {
      columns: Object.fromEntries([...taken].map(([field, sources]) => [field, toSource(field, sources)])),
    },
    missing,
    figures:
      counted.length > 1 && missing.includes('user') && missing.includes('event type')
        ? counted.map(({ name }) => name)
        : [],
    types: types.length > 1 && !types.some((text) => looksLikePageView.test(text)) ? types : [],
    wrapped: shape.kind === 'json' ? findWrapped(shape.columns) : undefined,
  };
}

interface Candidate {
  readonly source: string;
  readonly column: ShapeColumn;
}

/** Columns of files that count what happened, in lower case without signs. */
const figureNames =
  'pageviews views uniquepageviews uniques uniqueusers users newusers activeusers totalusers visits visitors uniquevisitors sessions hits clicks impressions bounces entrances exits eventcount'.split(
    ' ',
  );

function toSource(field: string, sources: readonly Candidate[]): FieldSource {
  const [first, second] = sources as readonly [Candidate, Candidate?];
  if (field === 'eventType') {
    const named = ({ source, column }: Candidate) =>
      withPageViews(
        source,
        column.examples.filter((text) => looksLikePageView.test(text)),
      );
    return second ? [named(first), named(second)] : named(first);
  }
  if (field !== 'utcTime') return first.source;
  // No country writes the month first between dots.
  const format = first.column.examples.every((text) => /^\d{1,2}\.\d{1,2}\.\d{4}\b/.test(text))
    ? ({ format: 'day-first' } as const)
    : undefined;
  if (second) return { sql: `${inSql(first.source)} || ' ' || ${inSql(second.source)}`, ...format };
  if (!format) return first.source;
  return first.source.startsWith('$.') ? { path: first.source, ...format } : { column: first.source, ...format };
}

function inSql(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const bareDate = /^(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4})$/;

/** The column with the time of day, if that of the time has dates alone. */
function findClock(
  candidates: readonly Candidate[],
  date: Candidate,
  fieldOf: ReadonlyMap<string, unknown>,
): Candidate | undefined {
  const isClock = (text: string) => /^\d{1,2}:\d\d(:\d\d(\.\d+)?)?( ?[ap]m)?$/i.test(text);
  if (date.source.startsWith('$.') || !most(date.column.examples, (text) => bareDate.test(text))) return undefined;
  const clocks = candidates.filter(
    ({ source, column }) =>
      !fieldOf.has(source) && !source.startsWith('$.') && column.filled > 0.9 && most(column.examples, isClock),
  );
  return clocks.length === 1 ? clocks[0] : undefined;
}

/** The list of the events in a file that is one object. */
function findWrapped(columns: readonly ShapeColumn[]): string | undefined {
  if (columns.some(({ distinct }) => distinct > 1)) return undefined;
  return columns.find(({ type, examples }) => {
    if (type !== 'list' || !examples[0]?.startsWith('[{')) return false;
    const items = JSON.parse(examples[0]) as readonly Readonly<Record<string, unknown>>[];
    return items.some((item) => Object.values(item ?? {}).some((value) => looksLikeTime(String(value))));
  })?.name;
}

/** An app's screens are its pages, as the presets of trackers have it. */
const looksLikePageView =
  /^(\$?screen(?:[ _-]?view(?:ed)?)?|view(?:ed)?[ _-]?screen|\$?page[ _-]?view(?:ed)?|page|pv|view(?:ed)?|view(?:ed)?[ _-]?page|page[ _-]?visit(?:ed)?|seiten(?:aufruf|ansicht))$/i;

/** Page views by names that are known without a mapping. */
const knownPageViews: readonly string[] = ['pageview', 'page_view'];

function withPageViews(source: string, names: readonly string[]): SimpleSource {
  const values = Object.fromEntries(
    names.filter((name) => !knownPageViews.includes(name)).map((name) => [name, 'pageview']),
  );
  if (Object.keys(values).length === 0) return source;
  return source.startsWith('$.') ? { path: source, values } : { column: source, values };
}

/** A column whose name looks like a path is named by one. */
function sourceOf(name: string): string {
  return name.startsWith('$.') ? `$${step(name)}` : name;
}

function step(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? `.${name}` : `."${name.replaceAll(/["\\]/g, '\\$&')}"`;
}

function bare(source: string): string {
  const last = /[^.]+$/.exec(source.replace(/"$/, ''))?.[0] ?? source;
  return last.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Of `$.user.id`, the rank of `id` or of `userid`; -1 if neither is in the list. */
function rankIn(names: readonly string[], source: string): number {
  const last = names.indexOf(bare(source));
  if (last >= 0 || !source.startsWith('$.')) return last;
  return names.indexOf(
    source
      .split('.')
      .slice(-2)
      .join('')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, ''),
  );
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

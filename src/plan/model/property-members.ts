import { quote } from '../../ask/text.ts';
import {
  eachValue,
  factorsOf,
  productFunctions,
  type PropertyMember,
  spellPath,
  splitAtList,
  writePropertyMember,
  writePropertyName,
} from '../../ask/query/property-name.ts';
import type { Cube, Dimension, Measure, Template } from './model.ts';
import { propertyFloat, propertyNumber, propertyText, propertyTime } from './property-sql.ts';

/** Statistics of one property over the events. */
export interface PropertyProfile {
  readonly path: readonly string[];
  /**
   * `number` or `boolean` if all values are; NaN and infinities do not make numbers texts. It is `string` for integers
   * beyond ±(2⁵³ − 1) and for texts that can be the same number (`1.1` and `1.10`), so that distinct values stay
   * distinct.
   */
  readonly type: 'string' | 'number' | 'boolean';
  /** Number of events with a value; of the values of lists, their number. */
  readonly events: number;
  /** Number of these whose value is a number, or text that reads as one. */
  readonly numbers: number;
  /** Number of these beyond ±(2⁵³ − 1), where 64-bit floats are not exact. */
  readonly large: number;
  /** Number of these beyond ±(2⁵³ − 1) that were read as 64-bit floats. */
  readonly rounded: number;
  /** Number of decimals if decimal arithmetic represents all values exactly; otherwise values are 64-bit floats. */
  readonly scale: number | undefined;
  /** The most digits that one of these has before its decimals. */
  readonly wholeDigits: number;
  /** Number of these whose value is text that reads as a time, and of those with a clock but no zone. */
  readonly times?: number | undefined;
  readonly localTimes?: number | undefined;
  /** The zones that their sources declare for times without one. `localTimes` leaves these times out. */
  readonly zones?: readonly string[] | undefined;
  /** The least of its numbers other than 0, and the greatest. */
  readonly ends?: readonly [least: number, greatest: number] | undefined;
  readonly example: string | undefined;
  /** Whether some events have a list on the way to the value, so that only `[]` reaches all values. */
  readonly inLists?: boolean | undefined;
}

/** The names of the lists whose values a product multiplies. */
export function listsOf(product: PropertyMember): readonly string[] {
  const lists = factorsOf(product)
    .map((path) => splitAtList(path)?.list)
    .filter((list) => list !== undefined);
  return [...new Set(lists.map(writePropertyName))];
}

/** The property itself, by its name. */
export function toDimension(cube: Cube, profile: PropertyProfile, isSampled: boolean): Dimension {
  const name = writePropertyName(profile.path);
  const label = spellPath(profile.path);
  return {
    name,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    description: describe(profile, isSampled),
    type: profile.type,
    expression: { kind: 'sql', sql: propertyValue(profile) },
    primaryKey: false,
    public: true,
    ...(isNumericId(profile) && { format: 'id' }),
    ...(profile.type === 'string' && profile.numbers > 0 && { numbers: numbersOf(profile) }),
    ...(isSampled && { sampled: true }),
    inside: insideOf(profile),
    ...(isTimes(profile) ? { times: timesOf(profile) } : epochUnit(profile) && { times: epochsOf(profile) }),
  };
}

/** Names that say that a number is a time: `created_at`, `ts`, `finishedAt`. */
const namesOfTimes = [
  /(?:^|[^\p{L}])(?:at|ts|time|timestamp|date|datetime|epoch|created|updated|modified)$/iu,
  /\p{Ll}(?:At|Ts|Time|Timestamp|Date|Epoch)$/u,
];

/** Units of numbers since 1970, with their number in a second. */
const epochUnits = [
  ['seconds', 1],
  ['milliseconds', 1e3],
  ['microseconds', 1e6],
] as const;

/**
 * The unit of numbers since 1970, if the name says that they are times, and all lie between 1973 and 2286, where the
 * unit is unambiguous. 0 stands for no time.
 */
function epochUnit({
  path,
  type,
  ends: [least, most] = [0, 0],
}: PropertyProfile): (typeof epochUnits)[number] | undefined {
  if (type !== 'number' || !namesOfTimes.some((name) => name.test(path.at(-1)!))) return undefined;
  return epochUnits.find(([, each]) => least >= 1e8 * each && most < 1e10 * each);
}

function epochsOf(profile: PropertyProfile): NonNullable<Dimension['times']> {
  const { path, scale } = profile;
  const [unit, each] = epochUnit(profile)!;
  const sql: Template = [
    { kind: 'text', text: 'make_timestamp(CAST(round(nullif(' },
    ...propertyNumber(path, scale),
    { kind: 'text', text: `, 0) * ${1e6 / each}) AS BIGINT))` },
  ];
  return {
    sql,
    others: `The numbers of ${quote(spellPath(path))} are read as ${unit} since 1970, in UTC.`,
    isLocal: false,
    areNumbers: true,
  };
}

/** Whether values are times, and none are numbers. */
function isTimes({ type, numbers, times = 0 }: PropertyProfile): boolean {
  return type === 'string' && numbers === 0 && times > 0;
}

function timesOf({ path, events, times = 0, localTimes = 0, zones }: PropertyProfile): NonNullable<Dimension['times']> {
  const others =
    times < events
      ? `${quote(spellPath(path))}` +
        ` is a time in ${groupedDigits(times)} of the ${groupedDigits(events)} ${rowsOf(path)} that have it; ` +
        'the others match no comparison of times, and are in the group without a time.'
      : undefined;
  return { sql: propertyTime(path, zones), others, isLocal: localTimes > 0 };
}

const readTimes = new WeakMap<Dimension, Dimension>();

/** The dimension if it is a time, or the times that its text is read as; undefined for others. */
export function asTime(dimension: Dimension): Dimension | undefined {
  const { times, type } = dimension;
  if (!times) return type === 'time' ? dimension : undefined;
  let read = readTimes.get(dimension);
  if (!read)
    readTimes.set(dimension, (read = { ...dimension, type: 'time', expression: { kind: 'sql', sql: times.sql } }));
  return read;
}

/** Whether a time is read from the text of a property: the events need not reach as far as it. */
export function isTimeOfProperty({ type, times }: Dimension): boolean {
  return type === 'time' && times !== undefined;
}

/** The property of the first key inside, if the values are objects. */
function insideOf({ path, type, example = '' }: PropertyProfile): string | undefined {
  if (type !== 'string' || !example.startsWith('{')) return undefined;
  const [, key] = /^\{\s*("(?:[^"\\]|\\.)*")\s*:/.exec(example) ?? [];
  return key === undefined ? undefined : spellPath([...path, JSON.parse(key) as string]);
}

/** Whether these are whole numbers that name something: `session_id`, `orderId`. */
function isNumericId({ path, type, scale }: PropertyProfile): boolean {
  return type === 'number' && scale === 0 && /(?:^|[^\p{L}])id$|\p{Ll}I[dD]$|^ID$/u.test(path.at(-1)!);
}

function numbersOf({ path, scale, events, numbers, large }: PropertyProfile): Dimension['numbers'] {
  const name = quote(writePropertyName(path));
  const others = [
    numbers < events &&
      `${name} is a number in ${groupedDigits(numbers)} of the ${groupedDigits(events)} ${rowsOf(path)}` +
        ' that have it; the others never match a numeric comparison.',
    large > 0 &&
      scale === undefined &&
      `${name} has whole numbers beyond ${Number.MAX_SAFE_INTEGER}, which are compared as 64-bit floats: ` +
        'neighbouring numbers count as equal.',
  ].filter((sentence) => sentence !== false);
  return { sql: propertyNumber(path, scale), others: others.length > 0 ? others.join(' ') : undefined };
}

/** The value as its type. The statement fails if a value of a later event does not fit. */
function propertyValue({ path, type }: PropertyProfile): Template {
  if (type === 'number') return propertyFloat(path);
  const text = propertyText(path);
  if (type === 'string') return text;
  return [{ kind: 'text', text: 'CAST(' }, ...text, { kind: 'text', text: ' AS BOOLEAN)' }];
}

function describe({ path, events, example }: PropertyProfile, isSampled: boolean): string {
  const shown = example === undefined ? '' : `, such as ${quote(example.slice(0, 40))}`;
  const rows = rowsOf(path);
  return `Property of ${groupedDigits(events)} ${isSampled ? 'of the sampled ' : ''}${rows}${shown}.`;
}

/** A number for people: `10,000`. */
export function groupedDigits(count: number): string {
  return count.toLocaleString('en-US');
}

/** What has a property, in the plural. */
function rowsOf(path: readonly string[]): string {
  return path.includes(eachValue) ? 'values in lists' : 'events';
}

/** `Median`, `P90`: what a function does, before the name of what it is of. */
export function functionLabel(compute: string): string {
  return labels[compute] ?? compute.toUpperCase();
}

/** The type and SQL of a measure that computes a function of numbers: `sum`, `median`, `p90`. */
export function numberForm(compute: string, number: Template): Pick<Measure, 'type' | 'sql' | 'emptyIsZero'> {
  const type = productFunctions.find((name) => name === compute);
  if (type) return { type, sql: number, ...(type === 'sum' && { emptyIsZero: true }) };
  const [before, after] = percentileCall(compute);
  const sql: Template = [{ kind: 'text', text: before }, ...number, { kind: 'text', text: after }];
  return { type: 'number', sql };
}

/** The SQL before and after the numbers of which `median` or `p90` is computed. */
export function percentileCall(compute: string): readonly [string, string] {
  const part = compute === 'median' ? 0.5 : Number(compute.slice(1)) / 100;
  return ['quantile_cont(CAST(', ` AS DOUBLE), ${part})`];
}

const labels: Readonly<Record<string, string>> = {
  sum: 'Sum of',
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  median: 'Median',
  distinct: 'Different values of',
};

/** A measure over the property: `sum`, `p90`, `distinct` … */
export function toMeasure(cube: Cube, profile: PropertyProfile, compute: string, isSampled: boolean): Measure {
  const { path } = profile;
  if (compute === 'distinct')
    return {
      ...namedMeasure(cube, { compute, path }, isSampled),
      type: 'count_distinct',
      sql: propertyValue(profile),
      description: `Number of different values of ${writePropertyName(path)}.`,
    };
  if (isTimes(profile)) {
    const measure = timeMeasure(cube, { compute, path }, propertyTime(path, profile.zones), isSampled);
    return timesOf(profile).isLocal ? { ...measure, localTimes: spellPath(path) } : measure;
  }
  const measure = numberMeasure(cube, { compute, path }, numbersIn(profile), isSampled);
  const unit = compute === 'min' || compute === 'max' ? epochUnit(profile)?.[0] : undefined;
  if (unit === undefined || measure.rounded !== undefined) return measure;
  return { ...measure, rounded: `The numbers of ${quote(spellPath(path))} are ${unit} since 1970.` };
}

/** The earliest or latest time. */
function timeMeasure(cube: Cube, member: PropertyMember, time: Template, isSampled: boolean): Measure {
  const { compute = '', path } = member;
  const named = namedMeasure(cube, member, isSampled, compute === 'min' ? 'Earliest' : 'Latest');
  return {
    ...named,
    description: `${named.shortTitle}, over the ${rowsOf(path)} where it is a time.`,
    type: 'time',
    sql: [{ kind: 'text', text: `${compute}(` }, ...time, { kind: 'text', text: ')' }],
    uncounted: [
      {
        sql: [...isThere(path), { kind: 'text', text: ' AND ' }, ...time, { kind: 'text', text: ' IS NULL' }],
        what: `${rowsOf(path)} whose ${writePropertyName(path)} is not a time`,
      },
    ],
  };
}

/** Whether a function of the property has values: of numbers, or the earliest and latest of times. */
export function isComputable(profile: PropertyProfile, compute: string): boolean {
  if (compute === 'distinct' || profile.numbers > 0) return true;
  return isTimes(profile) && (compute === 'min' || compute === 'max');
}

/** The numbers of properties: all measures over a property read the same ones. */
const known = new WeakMap<PropertyProfile, NumberSource>();

function numbersIn(profile: PropertyProfile): NumberSource {
  const before = known.get(profile);
  if (before) return before;
  const { path, scale } = profile;
  const isRounded = isInexact(profile, scale !== undefined);
  const source = toNumberSource(propertyNumber(path, scale), isThere(path), isRounded);
  known.set(profile, source);
  return source;
}

/**
 * A measure of the products of two properties. A plain property of a product with values of a list is that of their
 * event.
 */
export function toProduct(cube: Cube, member: PropertyMember, factors: readonly PropertyProfile[]): Measure {
  const ofList = listsOf(member).length > 0;
  const own = (path: readonly string[], template: Template): Template =>
    ofList && !path.includes(eachValue)
      ? template.map((part) => (part.kind === 'cube' ? { kind: 'joined-cube', cube: cube.name } : part))
      : template;
  const scales = factors.reduce((sum, { scale = Number.NaN }) => sum + scale, 0);
  const digits = factors.reduce((sum, { wholeDigits }) => sum + wholeDigits, scales);
  const isExact = scales <= 8 && digits <= mostProductDigits;
  const numbers = factors.map(({ path, scale }) => own(path, propertyNumber(path, isExact ? scale : undefined)));
  // An event with an empty list has no values that could be multiplied.
  const present = factors.filter(({ path }) => !ofList || path.includes(eachValue)).map(({ path }) => isThere(path));
  const isRounded = factors.some((each) => isInexact(each, isExact));
  const source = toNumberSource(inBrackets(numbers, ' * '), inBrackets(present, ' OR '), isRounded);
  return numberMeasure(cube, member, source, false);
}

function inBrackets(templates: readonly Template[], sign: string): Template {
  return templates.flatMap(
    (each, index): Template => [
      { kind: 'text', text: index === 0 ? '(' : `${sign}(` },
      ...each,
      { kind: 'text', text: ')' },
    ],
  );
}

function isThere(path: readonly string[]): Template {
  return [...inBrackets([propertyText(path)], ''), { kind: 'text', text: ' IS NOT NULL' }];
}

function namedMeasure(
  cube: Cube,
  member: PropertyMember,
  isSampled: boolean,
  what = functionLabel(member.compute ?? ''),
) {
  const factors = factorsOf(member).map(spellPath).join(' × ');
  const shortTitle = `${what} ${factors}`;
  return {
    name: writePropertyMember(member),
    title: `${cube.title} ${shortTitle}`,
    shortTitle,
    label: shortTitle,
    filters: [],
    drillMembers: [],
    public: true,
    ...(isSampled && { sampled: true }),
  };
}

/** The most digits of two factors: a decimal of 38 digits then still has room for sums of many products. */
const mostProductDigits = 30;

interface NumberSource {
  readonly number: Template;
  /** Whether there is a value that is no number. */
  readonly isNoNumber: Template;
  /** Whether numbers lose digits that people may know. */
  readonly isRounded: boolean;
}

function toNumberSource(number: Template, isPresent: Template, isRounded: boolean): NumberSource {
  const isNoNumber: Template = [
    ...inBrackets([isPresent], ''),
    { kind: 'text', text: ' AND (' },
    ...number,
    { kind: 'text', text: ') IS NULL' },
  ];
  return { number, isNoNumber, isRounded };
}

function numberMeasure(
  cube: Cube,
  member: PropertyMember,
  { number, isNoNumber, isRounded }: NumberSource,
  isSampled: boolean,
): Measure {
  const { compute = '' } = member;
  const rows = rowsOf(factorsOf(member).flat());
  const property = factorsOf(member).map(writePropertyName).join(' * ');
  // Averages and percentiles are always floats.
  const measure = {
    ...namedMeasure(cube, member, isSampled),
    description: `Over the ${rows} where it is a number.`,
    uncounted: [{ sql: isNoNumber, what: `${rows} whose ${property} is not a number` }],
    ...(isRounded && ['sum', 'min', 'max'].includes(compute) && { rounded: roundedSentence(property) }),
  };
  return { ...measure, ...numberForm(compute, number) };
}

function roundedSentence(of: string): string {
  return (
    `Figures of ${quote(of)} are rounded to 64-bit floats, ` +
    `which do not hold all digits of numbers beyond ${Number.MAX_SAFE_INTEGER}.`
  );
}

/** `areDecimals`: whether its numbers are computed as decimals. */
function isInexact({ large, rounded }: PropertyProfile, areDecimals: boolean): boolean {
  return rounded > 0 || (large > 0 && !areDecimals);
}

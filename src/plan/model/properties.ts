import { quote } from '../../ask/text.ts';
import {
  eachValue,
  productFunctions,
  propertyFunctions,
  type PropertyMember,
  spellPath,
  splitAtList,
  writePropertyMember,
  writePropertyName,
} from '../../ask/query/property-name.ts';
import type { Cube, Dimension, LeftOut, Measure, Model, Template } from './model.ts';
import { propertyNumber, propertyText } from './property-sql.ts';

/** Statistics of one property over the events. */
export interface PropertyProfile {
  readonly path: readonly string[];
  /**
   * `number` or `boolean` if all values are. It is `string` for integers beyond ±(2⁵³ − 1) and for texts that can be
   * the same number (`1.1` and `1.10`), so that distinct values stay distinct.
   */
  readonly type: 'string' | 'number' | 'boolean';
  /** Number of events with a value; of the values of lists, their number. */
  readonly events: number;
  /** Number of these whose value is a number, or text that reads as one. */
  readonly numbers: number;
  /** Number of these beyond ±(2⁵³ − 1), where 64-bit floats are not exact. */
  readonly large: number;
  /** Number of decimals if decimal arithmetic represents all values exactly; otherwise values are 64-bit floats. */
  readonly scale: number | undefined;
  readonly example: string | undefined;
}

/** The known properties of the events. */
export interface KnownProperties {
  /** Properties found by reading all events; properties that no event has are missing. */
  readonly read: readonly PropertyProfile[];
  /** Properties found in a sample of the events. */
  readonly sampled: readonly PropertyProfile[];
}

/** Measures over properties that are only made if they are used. */
export interface UsedMembers {
  /** `p95` */
  readonly percentiles?: readonly string[];
  readonly products?: readonly PropertyMember[];
}

/**
 * Adds properties to the cubes of events. Each becomes a dimension `props.NAME` with `distinct(…)`; numeric ones also
 * get `sum(…)`, `avg(…)`, `min(…)`, `max(…)`, `median(…)` and `p90(…)`. `used`: further percentiles and products that
 * are used. Definitions of analyses may use properties as well. Always start from the model without properties.
 */
export function withProperties(model: Model, { read, sampled }: KnownProperties, used: UsedMembers = {}): Model {
  const { percentiles = [], products = [] } = used;
  const wellKnown = new Set(read.map(({ path }) => writePropertyName(path)));
  const all = [
    ...read.map((profile) => ({ profile, isSampled: false })),
    ...sampled
      .filter(({ path }) => !wellKnown.has(writePropertyName(path)))
      .map((profile) => ({ profile, isSampled: true })),
  ].sort((one, other) => (writePropertyName(one.profile.path) < writePropertyName(other.profile.path) ? -1 : 1));
  const { plain = [], ofLists = [] } = Object.groupBy(all, ({ profile }) =>
    profile.path.includes(eachValue) ? 'ofLists' : 'plain',
  );
  const computed = [...new Set([...propertyFunctions, 'p90', ...percentiles])];
  const profileOf = new Map(read.map((profile) => [writePropertyName(profile.path), profile]));
  const leftOut: LeftOut[] = [];
  /** `list`: the name of the list of these properties. */
  const membersOf = (cube: Cube, found: typeof all, list?: string): PropertyMembers => ({
    dimensions: found.map(({ profile, isSampled }) => toDimension(cube, profile, isSampled)),
    measures: [
      ...found.flatMap(({ profile, isSampled }) =>
        computed.flatMap((compute): readonly Measure[] => {
          if (compute === 'distinct' || profile.numbers > 0) return [toMeasure(cube, profile, compute, isSampled)];
          leftOut.push(noNumbers(cube, { compute, path: profile.path }, profile));
          return [];
        }),
      ),
      ...products.flatMap((member): readonly Measure[] => {
        const factors = [member.path, member.times!].map((path) => profileOf.get(writePropertyName(path)));
        const [one, other] = factors;
        const lists = listsOf(member);
        if (!one || !other || (lists.length < 2 && lists[0] !== list)) return [];
        const text = [one, other].find(({ numbers }) => numbers === 0);
        if (text) leftOut.push(noNumbers(cube, member, text));
        if (lists.length > 1) leftOut.push(ofTwoLists(cube, member));
        if (text || lists.length > 1) return [];
        return productFunctions.map((compute) => toProduct(cube, { ...member, compute }, [one, other]));
      }),
    ],
  });
  const eventsOf = new Map<Model, Model>();
  const cubes = model.cubes.flatMap((cube): readonly Cube[] => {
    const { source } = cube;
    if (source.kind === 'computed') {
      const events = eventsOf.get(source.events) ?? withProperties(source.events, { read, sampled }, used);
      eventsOf.set(source.events, events);
      return [{ ...cube, source: { ...source, events } }];
    }
    if (source.kind !== 'events') return [cube];
    const own = membersOf(cube, plain);
    const lists = Map.groupBy(ofLists, ({ profile }) => writePropertyName(splitAtList(profile.path)!.list));
    const listCubes = [...lists].map(([list, found]) =>
      withMembers(toListCube(cube, splitAtList(found[0]!.profile.path)!.list), membersOf(cube, found, list)),
    );
    return [listCubes.reduce((events, values) => joinList(events, values), withMembers(cube, own)), ...listCubes];
  });
  return { ...model, cubes, leftOut: [...(model.leftOut ?? []), ...leftOut] };
}

type PropertyMembers = Pick<Cube, 'dimensions' | 'measures'>;

function withMembers(cube: Cube, { dimensions, measures }: PropertyMembers): Cube {
  return { ...cube, dimensions: [...cube.dimensions, ...dimensions], measures: [...cube.measures, ...measures] };
}

/** The hidden cube of a list: a row for each of its values in each event. */
function toListCube(events: Cube, list: readonly string[]): Cube {
  return {
    name: `values of ${events.name}.${writePropertyName(list)}`,
    title: spellPath([...list, eachValue]),
    source: { kind: 'list', of: events.name, keys: list },
    joins: [],
    measures: [],
    dimensions: [],
    segments: [],
    public: false,
  };
}

/**
 * The cube of events with the members of a list's cube. They are joined one to many, so that measures of events count
 * each event once in a group, however many values of its list are in it.
 */
function joinList(events: Cube, list: Cube): Cube {
  const behind = <Member extends Dimension | Measure>(member: Member): Member => ({
    ...member,
    of: { path: [events.name, list.name], member: member.name },
  });
  const joined = withMembers(events, { dimensions: list.dimensions.map(behind), measures: list.measures.map(behind) });
  const sql: Template = [{ kind: 'text', text: 'TRUE' }];
  return { ...joined, joins: [...joined.joins, { cube: list.name, relationship: 'one_to_many', sql }] };
}

function noNumbers(cube: Cube, member: PropertyMember, { path, example = '' }: PropertyProfile): LeftOut {
  const property = writePropertyName(path);
  const comma = /^-?\d[\d.]*,[\d.,]+$/.test(example)
    ? ` ${quote(example)} is text: declare the decimal mark of CSV files in sluice.yaml, \`decimal: ','\` or \`decimal: '.'\`.`
    : /\d/.test(example) && /^-?\p{Sc}|(?:\p{Sc}|%)$/u.test(example)
      ? ` ${quote(example)} is text: a CSV column is read as numbers if all of its values are numbers with the same unit.`
      : '';
  return {
    name: `${cube.name}.${writePropertyMember(member)}`,
    reason: `No value of ${quote(property)} is a number.${comma} Count its values with \`distinct(${property})\`, or group by it.`,
  };
}

function ofTwoLists(cube: Cube, member: PropertyMember): LeftOut {
  return { name: `${cube.name}.${writePropertyMember(member)}`, reason: 'It multiplies the values of two lists.' };
}

/** The names of the lists whose values a product multiplies. */
function listsOf({ path, times = [] }: PropertyMember): readonly string[] {
  const lists = [path, times].map((each) => splitAtList(each)?.list).filter((list) => list !== undefined);
  return [...new Set(lists.map(writePropertyName))];
}

function toDimension(cube: Cube, profile: PropertyProfile, isSampled: boolean): Dimension {
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
    ...(profile.type === 'string' && profile.numbers > 0 && { numbers: numbersOf(profile) }),
    ...(isSampled && { sampled: true }),
  };
}

function numbersOf({ path, scale, events, numbers, large }: PropertyProfile): Dimension['numbers'] {
  const name = quote(writePropertyName(path));
  const others = [
    numbers < events &&
      `${name} is a number in ${numbers} of the ${events} ${rowsOf(path)} that have it; the others never match a numeric comparison.`,
    large > 0 &&
      `${name} has whole numbers beyond ${Number.MAX_SAFE_INTEGER}, which are compared as 64-bit floats: neighbouring numbers count as equal.`,
  ].filter((sentence) => sentence !== false);
  return { sql: propertyNumber(path, scale), others: others.length > 0 ? others.join(' ') : undefined };
}

/** The value as its type. The statement fails if a value of a later event does not fit. */
function propertyValue({ path, type }: PropertyProfile): Template {
  const text = propertyText(path);
  if (type === 'string') return text;
  return [
    { kind: 'text', text: 'CAST(' },
    ...text,
    { kind: 'text', text: ` AS ${type === 'number' ? 'DOUBLE' : 'BOOLEAN'})` },
  ];
}

function describe({ path, events, example }: PropertyProfile, isSampled: boolean): string {
  const shown = example === undefined ? '' : `, such as ${quote(example.slice(0, 40))}`;
  const rows = rowsOf(path);
  return `Property of ${events}${isSampled ? ` of the sampled ${rows}` : ` ${rows}`}${shown}.`;
}

/** What has a property, in the plural. */
function rowsOf(path: readonly string[]): string {
  return path.includes(eachValue) ? 'values in lists' : 'events';
}

const labels: Readonly<Record<string, string>> = {
  sum: 'Sum of',
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  median: 'Median',
  distinct: 'Different values of',
};

function toMeasure(cube: Cube, profile: PropertyProfile, compute: string, isSampled: boolean): Measure {
  const { path } = profile;
  if (compute === 'distinct')
    return {
      ...namedMeasure(cube, { compute, path }, isSampled),
      type: 'count_distinct',
      sql: propertyValue(profile),
      description: `Number of different values of ${writePropertyName(path)}.`,
    };
  const number = propertyNumber(path, profile.scale);
  return numberMeasure(cube, { compute, path }, { number, isPresent: isThere(path), isSampled });
}

/** A measure of the products of two properties. A plain property of a product with values of a list is that of their event. */
function toProduct(cube: Cube, member: PropertyMember, factors: readonly PropertyProfile[]): Measure {
  const ofList = listsOf(member).length > 0;
  const own = (path: readonly string[], template: Template): Template =>
    ofList && !path.includes(eachValue)
      ? template.map((part) => (part.kind === 'cube' ? { kind: 'joined-cube', cube: cube.name } : part))
      : template;
  // Decimals of 38 digits hold any product of two numbers of `mostWholeDigits`, with 8 more digits.
  const scales = factors.reduce((sum, { scale = Number.NaN }) => sum + scale, 0);
  const numbers = factors.map(({ path, scale }) => own(path, propertyNumber(path, scales <= 8 ? scale : undefined)));
  // An event with an empty list has no values that could be multiplied.
  const present = factors.filter(({ path }) => !ofList || path.includes(eachValue)).map(({ path }) => isThere(path));
  return numberMeasure(cube, member, {
    number: inBrackets(numbers, ' * '),
    isPresent: inBrackets(present, ' OR '),
    isSampled: false,
  });
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

function namedMeasure(cube: Cube, member: PropertyMember, isSampled: boolean) {
  const { compute = '', path, times } = member;
  const factors = [path, ...(times ? [times] : [])].map(spellPath).join(' × ');
  const shortTitle = `${labels[compute] ?? compute.toUpperCase()} ${factors}`;
  return {
    name: writePropertyMember(member),
    title: `${cube.title} ${shortTitle}`,
    shortTitle,
    filters: [],
    drillMembers: [],
    public: true,
    ...(isSampled && { sampled: true }),
  };
}

interface NumberSource {
  readonly number: Template;
  /** Whether there is a value, which may be no number. */
  readonly isPresent: Template;
  readonly isSampled: boolean;
}

function numberMeasure(cube: Cube, member: PropertyMember, { number, isPresent, isSampled }: NumberSource): Measure {
  const { compute = '', path, times = [] } = member;
  const rows = rowsOf([...path, ...times]);
  const property = [path, ...(member.times ? [times] : [])].map(writePropertyName).join(' * ');
  const isNoNumber: Template = [
    ...inBrackets([isPresent], ''),
    { kind: 'text', text: ' AND (' },
    ...number,
    { kind: 'text', text: ') IS NULL' },
  ];
  const measure = {
    ...namedMeasure(cube, member, isSampled),
    description: `Over the ${rows} where it is a number.`,
    uncounted: [{ sql: isNoNumber, what: `${rows} whose ${property} is not a number` }],
  };
  if (compute === 'sum' || compute === 'avg' || compute === 'min' || compute === 'max')
    return { ...measure, type: compute, sql: number };
  const part = compute === 'median' ? 0.5 : Number(compute.slice(1)) / 100;
  const sql: Template = [
    { kind: 'text', text: 'quantile_cont(CAST(' },
    ...number,
    { kind: 'text', text: ` AS DOUBLE), ${part})` },
  ];
  return { ...measure, type: 'number', sql };
}

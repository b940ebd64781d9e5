import { quote } from '../../ask/text.ts';
import {
  eachValue,
  factorsOf,
  productFunctions,
  propertyFunctions,
  type PropertyMember,
  spellPath,
  splitAtList,
  writePropertyMember,
  writePropertyName,
} from '../../ask/query/property-name.ts';
import { madeFrom } from './made-from.ts';
import type { Cube, Dimension, LeftOut, Measure, Model, Template } from './model.ts';
import { isComputable, listsOf, type PropertyProfile, toDimension, toMeasure, toProduct } from './property-members.ts';

/** The known properties of the events. */
export interface KnownProperties {
  /** Properties found by reading all events; properties that no event has are missing. */
  readonly read: readonly PropertyProfile[];
  /** Properties found in a sample of the events; undefined if none was looked at. */
  readonly sampled?: readonly PropertyProfile[] | undefined;
  /** See `Model`. */
  readonly searched?: Model['searched'];
}

/** Measures over properties that are only made if they are used. */
interface UsedMembers {
  /** `p95` */
  readonly percentiles?: readonly string[];
  readonly products?: readonly PropertyMember[];
}

/**
 * Adds properties to the cubes of events. Each becomes a dimension `props.NAME` with `distinct(…)`; numeric ones also
 * get `sum(…)`, `avg(…)`, `min(…)`, `max(…)`, `median(…)` and `p90(…)`. `used`: further percentiles and products that
 * are used. Definitions of analyses may use properties as well. Always start from the model without properties.
 */
export function withProperties(model: Model, known: KnownProperties, used: UsedMembers = {}): Model {
  const { read, sampled = [], searched = model.searched } = known;
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
          if (isComputable(profile, compute)) return [toMeasure(cube, profile, compute, isSampled)];
          leftOut.push(noNumbers(cube, { compute, path: profile.path }, profile));
          return [];
        }),
      ),
      ...products.flatMap((member): readonly Measure[] => {
        const [one, other] = factorsOf(member).map((path) => profileOf.get(writePropertyName(path)));
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
  /** A part with the name of its cube, if it is one, made from the part without properties. */
  const from = <Part extends Cube | Model>(part: Part, before: Cube | Model): Part =>
    madeFrom(part, ['name' in part ? part.name : '', before, read, sampled, percentiles, products]);
  const eventsOf = new Map<Model, Model>();
  const cubes = model.cubes.flatMap((cube): readonly Cube[] => {
    const { source } = cube;
    if (source.kind === 'computed') {
      const events = eventsOf.get(source.events) ?? withProperties(source.events, { read, sampled }, used);
      eventsOf.set(source.events, events);
      return [from({ ...cube, source: { ...source, events } }, cube)];
    }
    if (source.kind !== 'events') return [cube];
    const own = membersOf(cube, plain);
    const lists = Map.groupBy(ofLists, ({ profile }) => writePropertyName(splitAtList(profile.path)!.list));
    const listCubes = [...lists].map(([list, found]) =>
      withMembers(toListCube(cube, splitAtList(found[0]!.profile.path)!.list), membersOf(cube, found, list)),
    );
    const whole = listCubes.reduce((events, values) => joinList(events, values), withMembers(cube, own));
    return [from(whole, cube), ...listCubes.map((list) => from(list, cube))];
  });
  return from({ ...model, cubes, searched, leftOut: [...(model.leftOut ?? []), ...leftOut] }, model);
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

function noNumbers(cube: Cube, member: PropertyMember, { path, example = '', times = 0 }: PropertyProfile): LeftOut {
  const property = writePropertyName(path);
  if (times > 0)
    return {
      name: `${cube.name}.${writePropertyMember(member)}`,
      reason:
        `${quote(property)} is a time. ` +
        `Write \`min(${property})\` for the earliest, or \`max(${property})\` for the latest.`,
    };
  if (/^\d{1,2}[./-]\d{1,2}[./-]\d{4}\b/.test(example))
    return {
      name: `${cube.name}.${writePropertyMember(member)}`,
      reason:
        `${quote(property)} is text, such as ${quote(example)}. To read a column of a CSV file as times, declare its ` +
        `format in sluice.yaml: \`sources: [{files: …, timeFormat: {${spellPath(path)}: day-first}}]\`.`,
    };
  const comma = /^-?\d(?:[\d.]*,[\d.,]+|\d?\d?(?:\.\d{3}){2,})$/.test(example)
    ? ` ${quote(example)} is text: ` +
      "declare the decimal mark of the file in sluice.yaml, `decimal: ','` or `decimal: '.'`."
    : /\d/.test(example) && /^-?\p{Sc}|(?:\p{Sc}|%)$/u.test(example)
      ? ` ${quote(example)} is text: ` +
        'a CSV column is read as numbers if all of its values are numbers with the same unit.'
      : '';
  return {
    name: `${cube.name}.${writePropertyMember(member)}`,
    reason:
      `No value of ${quote(property)} is a number.${comma}` +
      ` Count its values with \`distinct(${property})\`, or group by it.`,
  };
}

function ofTwoLists(cube: Cube, member: PropertyMember): LeftOut {
  return { name: `${cube.name}.${writePropertyMember(member)}`, reason: 'It multiplies the values of two lists.' };
}

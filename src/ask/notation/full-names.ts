import { isPlainObject } from '../document/check-argument.ts';
import { tooDeepPath } from '../document/depth.ts';
import type { Span } from '../outcome.ts';
import {
  asProperty,
  cubeOf,
  defaultCube,
  isShortName,
  readColumn,
  readComputedName,
  shortNameOf,
  usualTime,
} from '../query/member-name.ts';
import { columnProperty, readPropertyMember } from '../query/property-name.ts';
import type { Query } from '../query/query.ts';
import { readTimeSpan, writeTimeSpan } from '../query/time-span.ts';
import { readMade } from './find-names.ts';
import { type NameScope, openScope } from './name-scope.ts';
import { asTimeSpan } from './tokens.ts';
import type { NotationOptions } from './read-notation.ts';
import type { ResolvedName } from './wrong-kind.ts';

type Wanted = 'measure' | 'group' | 'segment';

/** Replaces a name of a query. */
type Rename = (name: string, wanted?: Wanted) => string;

/** Undefined: the name has another form. */
type PartialRename = (name: string, wanted?: Wanted) => string | undefined;

/**
 * Whether a query has names without their cube (`count`, `props.plan`, `customer.tier`), or figures of what may be a
 * dimension or a property (`Cube.sum(price)`), or columns of events by their own names (`Plan (x)`). Accepts any value,
 * as JavaScript may pass one.
 */
function hasShortNames(query: unknown, { members }: NotationOptions): boolean {
  let found = false;
  renamed(query, (name) => {
    found ||=
      isShortName(name) ||
      readComputedName(name) !== undefined ||
      readColumn(name) !== undefined ||
      readTimeSpan(asTimeSpan(name)) !== undefined ||
      beginsWithNoCube(name, members);
    return name;
  });
  return found;
}

/** Whether a name with dots is not that of a cube's member: `customer.tier`, `firstTouch.country`. */
function beginsWithNoCube(name: string, members: NotationOptions['members']): boolean {
  const cube = cubeOf(name);
  return members !== undefined && cube !== name && members.names().every((each) => cubeOf(each) !== cube);
}

/**
 * Replaces the short names of a query by full ones. They are looked up as in a line: in the cube of the first measure,
 * then in any other cube, if only one has such a member. Among the groups, a granularity is a bucket of the cube's
 * usual time. Unknown short names become members of the cube, so that reading the query reports them. Values that are
 * no names stay. Never throws.
 */
export function withFullNames(query: Query, options: NotationOptions): Query {
  const scope = openScope(options.defaultCube ?? defaultCube, options.members);
  enterCubeOf(query, scope, options);
  const own = new Map(
    (isPlainObject(query.formulas) ? Object.keys(query.formulas) : []).map((name) => [
      name,
      isShortName(name) ? `${scope.cube()}.${name}` : name,
    ]),
  );
  for (const name of own.values()) scope.define(name);
  const complete = openCompletion(scope, options, (name, wanted) => rename(name, wanted));
  const rename: Rename = (written, wanted) => {
    const defined = own.get(written);
    if (defined !== undefined) return defined;
    const bucket = wanted === undefined ? bucketOf(query, written) : undefined;
    return bucket ? `${rename(bucket.dimension, 'group')}.${bucket.granularity}` : complete(written, wanted);
  };
  return renamed(query, rename) as Query;
}

/** Enters the cube of the first name of a query, in which its short names are looked up. */
function enterCubeOf(query: Query, scope: NameScope, { members }: NotationOptions): void {
  const named = [
    ...listed(query.measures),
    ...listed(query.dimensions),
    ...timesOf(query).map((time) => time['dimension']),
  ].find((name) => typeof name === 'string');
  if (named === undefined) return;
  const first = readColumn(named)?.property ?? named;
  const isShort = isShortName(first) || beginsWithNoCube(first, members);
  scope.enterCube(cubeOf(isShort ? (find(scope, first)?.name ?? scope.cube()) : first));
}

/** What a name means, if it means one thing. */
function find(scope: NameScope, text: string, wanted?: Wanted): ResolvedName | undefined {
  return scope.kindOf(text, wanted) === undefined ? undefined : scope.resolve({ text, span: nowhere }, wanted);
}

/** The bucket of a time of the query, found by its granularity or by both short names. */
function bucketOf(query: Query, name: string) {
  return timesOf(query)
    .map(({ dimension, granularity }) => ({ dimension: String(dimension), granularity: String(granularity) }))
    .find(({ dimension, granularity }) => name === granularity || name === `${dimension}.${granularity}`);
}

/**
 * Completes single names: columns by their own names, figures and times made of others, and short names. `rename`
 * completes the names that others are made of.
 */
function openCompletion(scope: NameScope, { members }: NotationOptions, rename: Rename): Rename {
  const isMember = (name: string) => members?.find(name) !== undefined;
  /** Only the events show whether a column is a property. */
  const inEvents = (text: string) => (members?.mayHave?.(text) ? `${scope.cube()}.${columnProperty(text)}` : undefined);

  /** A column by its own name: `Plan (x)`, `customer.tier`. */
  const renameColumn: PartialRename = (written, wanted) => {
    const isDotted = wanted !== 'measure' && !isShortName(written) && beginsWithNoCube(written, members);
    const text = columnIn(written, wanted)?.bare ?? (isDotted ? written : undefined);
    if (text === undefined) return undefined;
    return scope.resolve({ text, span: nowhere, quoted: true }, wanted)?.name ?? inEvents(text);
  };

  /** An attribution, a figure of each user, or the time between two times. */
  const renameMade = (written: string): string | undefined => {
    if (isMember(written)) return undefined;
    const made = readMade(written);
    if (made) return made.write(rename(made.of, made.wanted));
    const span = readTimeSpan(asTimeSpan(written));
    if (!span) return undefined;
    const [from = '', to = ''] = [span.from, span.to].map((end) => {
      const full = rename(span.cube ? `${span.cube}.${end}` : end, 'group');
      if (isMember(full)) return full;
      // Only the events show whether a column is a property.
      return `${cubeOf(full)}.${end.startsWith('props.') ? end : (columnProperty(end) ?? end)}`;
    });
    return writeTimeSpan({ ...span, cube: cubeOf(from), from: shortNameOf(from), to: shortNameOf(to) });
  };

  const renameShort = (name: string, wanted?: Wanted): string => {
    if (name === usualTime && !isMember(`${scope.cube()}.${name}`)) return scope.timeMember();
    const found = find(scope, name, wanted);
    if (found) return found.granularity === undefined ? found.name : `${found.name}.${found.granularity}`;
    const isPlain = wanted !== 'measure' && wanted !== 'segment' && /^\w+$/.test(name);
    const property = isPlain ? inEvents(name) : undefined;
    if (property !== undefined) return property;
    return readPropertyMember(name) || !name.includes('.') ? `${scope.cube()}.${asProperty(name)}` : name;
  };

  return (written, wanted) => {
    const column = columnIn(written, wanted);
    if (column && !column.compute && wanted === 'measure') return written;
    const found = renameColumn(written, wanted) ?? renameMade(written);
    if (found !== undefined) return found;
    const name = column?.property ?? written;
    if (isShortName(name)) return renameShort(name, wanted);
    return isMember(name) ? name : asProperty(name);
  };
}

/** No segment is a column. */
const columnIn = (written: string, wanted?: Wanted) => (wanted === 'segment' ? undefined : readColumn(written));

/** Completes the names of a query of which nothing is checked yet, if some of them are short. Never throws. */
export function completeNames(query: unknown, options: NotationOptions): unknown {
  return hasShortNames(query, options) ? withFullNames(query as Query, options) : query;
}

/** Not shown: reading the query reports the issues of names. */
const nowhere: Span = { start: 0, end: 0, line: 1, column: 1 };

function renamed(query: unknown, rename: Rename): unknown {
  if (!isPlainObject(query) || tooDeepPath(query)) return query;
  const name = (value: unknown, wanted?: Wanted) => (typeof value === 'string' ? rename(value, wanted) : value);
  const each = (value: unknown, change: (item: unknown) => unknown) =>
    Array.isArray(value) ? value.map(change) : value;
  const filter = (value: unknown): unknown => {
    if (!isPlainObject(value)) return value;
    if ('and' in value) return { ...value, and: each(value['and'], filter) };
    if ('or' in value) return { ...value, or: each(value['or'], filter) };
    return { ...value, member: name(value['member']) };
  };
  const changes: Readonly<Record<string, (value: unknown) => unknown>> = {
    measures: (value) => each(value, (item) => name(item, 'measure')),
    formulas: (value) =>
      isPlainObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, formula]) => [rename(key, 'measure'), formula]))
        : value,
    dimensions: (value) => each(value, (item) => name(item, 'group')),
    timeDimensions: (value) =>
      each(value, (item) => (isPlainObject(item) ? { ...item, dimension: name(item['dimension'], 'group') } : item)),
    columns: (value) => each(value, (item) => name(item)),
    segments: (value) => each(value, (item) => name(item, 'segment')),
    filters: (value) => each(value, filter),
    order: (value) =>
      isPlainObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, direction]) => [rename(key), direction]))
        : each(value, (pair) => (Array.isArray(pair) ? [name(pair[0]), ...pair.slice(1)] : pair)),
  };
  return Object.fromEntries(
    Object.entries(query).map(([key, value]) => [key, Object.hasOwn(changes, key) ? changes[key]!(value) : value]),
  );
}

const timesOf = (query: Query) => listed(query.timeDimensions).filter(isPlainObject);

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

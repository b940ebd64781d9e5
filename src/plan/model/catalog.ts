import { cubeOf, readCohortMember, readComputedName, shortNameOf } from '../../ask/query/member-name.ts';
import type { Filter } from '../../ask/query/query.ts';
import { readPerUserName } from '../../ask/query/per-user-name.ts';
import { readTimeSpan } from '../../ask/query/time-span.ts';
import { type Touch, readTouchName } from '../../ask/query/touch-name.ts';
import { nearest } from '../../ask/suggest.ts';
import { otherSpellings } from './event-fields.ts';
import {
  type Cube,
  type Dimension,
  type EventName,
  isPerUser,
  type Measure,
  type Model,
  type Segment,
  type Template,
  isOfModel,
} from './model.ts';
import { withinSentence } from '../../ask/text.ts';
import { memberLabel } from './member-label.ts';
import { functionLabel, numberForm } from './property-members.ts';
import { toRowColumns } from './row-columns.ts';
import { spanMeasure } from './span-measure.ts';

/** Names of the cubes that `sluice sync` fetches or derives. They are known before the first sync. */
export const syncedNames = [
  'Commits',
  'Tags',
  'ReleaseUsage',
  'Milestones',
  'MilestoneIssues',
  'MilestoneBurndown',
  'ActivityEvents',
  'WebhookDeliveries',
  'Labels',
  'Epics',
  'ProjectInvitations',
  'GroupInvitations',
  'FlagChanges',
  'ProtectedBranches',
  'PackageRules',
] as const;

/** The member behind a full name. */
export type Found =
  | { readonly kind: 'measure'; readonly cube: Cube; readonly member: Measure }
  | { readonly kind: 'dimension'; readonly cube: Cube; readonly member: Dimension }
  | { readonly kind: 'segment'; readonly cube: Cube; readonly member: Segment };

/** A lookup of a model's names. */
export interface Catalog {
  readonly model: Model;
  cube(name: string): Cube | undefined;
  /** By full name, `TrackedEvents.count`, including hidden members. */
  find(name: string): Found | undefined;
  /** Full names of all listed members by cube: measures, dimensions, segments. */
  names(kind?: Found['kind']): readonly string[];
  /** Full name of the time dimension that a bare date range filters. */
  timeMemberOf(cube: string): string | undefined;
  /** Whether a cube is that of a definition, such as a funnel. */
  isDefined(cube: string): boolean;
  /** Whether joins lead from one cube to both of these. */
  canJoin(cube: string, other: string): boolean;
  /** Full names of the default columns of a cube's rows, given their conditions. */
  rowColumns(cube: string, filters: readonly Filter[]): readonly string[];
  /** The short name of the member that a column of the event files fills. */
  filledBy(column: string): string | undefined;
  /** The most frequent names of events, for hints. */
  eventNames(): readonly EventName[];
  /** The member with this name in another vocabulary of the platform. */
  otherName(name: string): string | undefined;
  /** Why the member with this full name, or its cube, is missing although the model's text declares it. */
  whyLeftOut(name: string): string | undefined;
  /**
   * The most likely correction of an unknown name. For a name without a cube, the first member with that short name.
   */
  suggest(name: string, kind?: Found['kind']): string | undefined;
}

const known = new WeakMap<Model, Catalog>();

/** Looks up the names of a model; made once for each model, in time that grows with its members. */
export function toCatalog(model: Model): Catalog {
  let catalog = known.get(model);
  if (!catalog) known.set(model, (catalog = makeCatalog(model)));
  return catalog;
}

function makeCatalog(model: Model): Catalog {
  const cubes = new Map(model.cubes.map((cube) => [cube.name, cube]));
  const members = new Map<string, Found>();
  for (const cube of model.cubes) {
    for (const member of cube.measures) members.set(`${cube.name}.${member.name}`, { kind: 'measure', cube, member });
    for (const member of cube.dimensions)
      members.set(`${cube.name}.${member.name}`, { kind: 'dimension', cube, member });
    for (const member of cube.segments) members.set(`${cube.name}.${member.name}`, { kind: 'segment', cube, member });
  }
  // These members are made when they are first used, and never listed.
  const made = (name: string, found: Found | undefined): Found | undefined => {
    if (found) members.set(name, found);
    return found;
  };
  const dimensionOf = (cube: Cube, member: Dimension | undefined): Found | undefined =>
    member && { kind: 'dimension', cube, member };
  const findTouch = (name: string): Found | undefined => {
    const read = readTouchName(name);
    const of = read && members.get(read.of);
    if (of?.kind !== 'dimension') return undefined;
    return made(name, dimensionOf(of.cube, touchDimension(of.cube, read!.touch, of.member)));
  };
  const findComputed = (name: string): Found | undefined => {
    const read = readComputedName(name);
    const of = read && members.get(`${read.cube}.${read.dimension}`);
    if (of?.kind !== 'dimension') return undefined;
    const member = computedMeasure(of.cube, of.member, read!.compute);
    return made(name, member && { kind: 'measure', cube: of.cube, member });
  };
  const findSpan = (name: string): Found | undefined => {
    const span = readTimeSpan(name);
    const [from, to] = span ? [span.from, span.to].map((end) => members.get(`${span.cube}.${end}`)) : [];
    if (from?.kind !== 'dimension' || to?.kind !== 'dimension') return undefined;
    const member = spanMeasure(from.cube, span!, from.member, to.member);
    return made(name, member && { kind: 'measure', cube: from.cube, member });
  };
  const findPerUser = (name: string): Found | undefined => {
    const read = readPerUserName(name);
    const of = read && (members.get(read.of) ?? findComputed(read.of));
    return of?.kind === 'measure' ? made(name, dimensionOf(of.cube, perUserDimension(of.cube, of.member))) : undefined;
  };
  const listed = [...members].filter(([, found]) => found.cube.public && found.member.public);
  const all = listed.map(([name]) => name);
  const names = (kind?: Found['kind']) =>
    kind === undefined ? all : listed.filter(([, found]) => found.kind === kind).map(([name]) => name);
  const leftOut = new Map(model.leftOut?.map((part) => [part.name, part.reason]));
  const find = (name: string) =>
    members.get(name) ?? findTouch(name) ?? findPerUser(name) ?? findComputed(name) ?? findSpan(name);
  const timeMemberOf = (name: string) => {
    const member = cubes.get(name)?.timeMember;
    return member === undefined ? undefined : `${name}.${member}`;
  };
  const otherName = (name: string) => otherSpellings(name).find((other) => members.has(other));
  return {
    model,
    cube: (name) => cubes.get(name),
    find,
    names,
    timeMemberOf,
    isDefined: (cube) => cubes.get(cube)?.source.kind === 'computed',
    canJoin: (cube, other) =>
      model.cubes.some((root) => {
        const reached = reachedBy(root, cubes);
        return reached.has(cube) && reached.has(other);
      }),
    rowColumns: (cube, filters) => toRowColumns(cube, filters, { find, names, timeMemberOf }),
    filledBy: (column) => model.columns?.get(column.toLowerCase()),
    eventNames: () => model.eventNames ?? [],
    otherName,
    whyLeftOut: (name) =>
      leftOut.get(name) ??
      leftOut.get(readCohortMember(name)?.member ?? cubeOf(name)) ??
      whyNotSynced(cubeOf(name), cubes),
    suggest: (name, kind) => {
      // A name with a known cube means a member of that cube.
      const near = cubes.has(cubeOf(name)) ? nearestInCube : suggest;
      return otherName(name) ?? near(name, names(kind)) ?? near(name, names());
    },
  };
}

function whyNotSynced(cube: string, cubes: ReadonlyMap<string, Cube>): string | undefined {
  if (cubes.has(cube) || !(syncedNames as readonly string[]).includes(cube)) return undefined;
  return `Its rows are fetched from the platform. Run \`sluice sync ${cube}\` first.`;
}

/** A catalog that follows a changing model, for example when more properties become known. */
export function liveCatalog(present: () => Model): Catalog {
  const now = () => toCatalog(present());
  return {
    get model() {
      return now().model;
    },
    cube: (name) => now().cube(name),
    find: (name) => now().find(name),
    names: (kind) => now().names(kind),
    timeMemberOf: (cube) => now().timeMemberOf(cube),
    isDefined: (cube) => now().isDefined(cube),
    canJoin: (cube, other) => now().canJoin(cube, other),
    rowColumns: (cube, filters) => now().rowColumns(cube, filters),
    filledBy: (column) => now().filledBy(column),
    eventNames: () => now().eventNames(),
    otherName: (name) => now().otherName(name),
    whyLeftOut: (name) => now().whyLeftOut(name),
    suggest: (name, kind) => now().suggest(name, kind),
  };
}

/** A cube and all to which its joins lead. */
function reachedBy({ name }: Cube, cubes: ReadonlyMap<string, Cube>): ReadonlySet<string> {
  const reached = new Set([name]);
  for (const each of reached) for (const { cube } of cubes.get(each)?.joins ?? []) reached.add(cube);
  return reached;
}

function suggest(name: string, names: readonly string[]): string | undefined {
  if (name.includes('.')) return nearest(name, names);
  const near = nearest(name, names.map(shortNameOf));
  return near === undefined ? undefined : names.find((full) => shortNameOf(full) === near);
}

/** The cube's name must not affect the edit distance. */
function nearestInCube(name: string, names: readonly string[]): string | undefined {
  const prefix = name.slice(0, name.indexOf('.') + 1);
  const own = names.filter((full) => full.startsWith(prefix)).map((full) => full.slice(prefix.length));
  const near = nearest(name.slice(prefix.length), own);
  return near === undefined ? undefined : prefix + near;
}

const titles: Readonly<Record<Touch, string>> = { firstTouch: 'First-touch', lastTouch: 'Last-touch' };

/** True if a cube's rows have users and times, so that its dimensions can be attributed. */
function hasUsers({ source }: Pick<Cube, 'source'>): boolean {
  return source.kind === 'events' || source.kind === 'sessions';
}

/** The attributed form of a dimension; undefined for times, for cohorts, and for cubes without users. */
function touchDimension(cube: Cube, touch: Touch, of: Dimension): Dimension | undefined {
  if (
    !hasUsers(cube) ||
    of.of !== undefined ||
    of.type === 'time' ||
    of.cohort ||
    of.expression.kind === 'touch' ||
    of.expression.kind === 'time-part' ||
    isPerUser(of)
  )
    return undefined;
  const own = memberLabel(of);
  const label = `${titles[touch]} ${own === undefined ? of.shortTitle : withinSentence(own)}`;
  const { format, sampled, local } = of;
  return {
    name: `${touch}.${of.name}`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    label,
    description:
      touch === 'firstTouch'
        ? `${of.shortTitle} when the user first had one; empty before that.`
        : `${of.shortTitle} when the user last had one, up to that time.`,
    type: of.type,
    expression: { kind: 'touch', touch, of },
    primaryKey: false,
    public: false,
    format,
    sampled,
    local,
  };
}

/** A measure as a dimension: each user's own number. undefined for windows, and for cubes without users. */
function perUserDimension(cube: Cube, of: Measure): Dimension | undefined {
  const isNumber = of.type !== 'time' && of.type !== 'string' && of.type !== 'boolean';
  if (!hasUsers(cube) || !isNumber || of.of !== undefined || of.rollingWindow || of.stage) return undefined;
  const label = `${memberLabel(of) ?? of.shortTitle} per user`;
  return {
    name: `perUser.${of.name}`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    label,
    description: `${of.shortTitle} of each user, in each group of the other dimensions.`,
    type: 'number',
    expression: { kind: 'per-user', of },
    primaryKey: false,
    public: false,
    format: of.format,
    sampled: of.sampled,
    local: true,
  };
}

/**
 * The number of a dimension's different values, or the sum, average, smallest, largest, median or a percentile of its
 * numbers, or the earliest or latest of its times. undefined for cohorts, where the dimension has no such values, and
 * where cubes have measures of a special form.
 */
function computedMeasure(cube: Cube, of: Dimension, compute: string): Measure | undefined {
  const { kind } = cube.source;
  if (kind === 'computed' || kind === 'list' || of.cohort) return undefined;
  const form = formOf(compute, cube, of);
  if (!form) return undefined;
  const first = form.type === 'time' ? timeLabels[compute] : undefined;
  const label = `${first ?? functionLabel(compute)} ${withinSentence(memberLabel(of) ?? of.shortTitle)}`;
  return {
    name: `${compute}(${of.name})`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    label,
    description: `${first ?? functionLabel(compute)} ${of.name}.`,
    ...form,
    filters: [],
    drillMembers: [],
    public: false,
    ...(of.of && { of: { path: of.of.path, member: `${compute}(${of.of.member})` } }),
    ...(of.sampled && { sampled: true }),
  };
}

const timeLabels: Readonly<Record<string, string>> = { min: 'Earliest', max: 'Latest' };

function formOf(
  compute: string,
  cube: Cube,
  { name, type, expression }: Dimension,
): ReturnType<typeof numberForm> | undefined {
  const own: Template = [{ kind: 'member', cube: cube.name, member: name }];
  const isPart = expression.kind === 'time-part';
  const isOfRows = expression.kind === 'case' || expression.kind === 'sub-query';
  if (compute === 'distinct')
    return isPart || isOfRows || expression.kind === 'sql' ? { type: 'count_distinct', sql: own } : undefined;
  if (type === 'time' && expression.kind === 'sql' && timeLabels[compute]) {
    // Texts of a model's table are in no order of time: one may have another offset.
    const isPlain = isOfModel(cube) && expression.sql.every(({ kind }) => kind === 'text' || kind === 'cube');
    const time: Template = isPlain
      ? [{ kind: 'member', cube: cube.name, member: name, asInstant: true }]
      : expression.sql;
    return { type, sql: [{ kind: 'text', text: `${compute}(` }, ...time, { kind: 'text', text: ')' }] };
  }
  if (type !== 'number') return undefined;
  // The zone of the query is known when the SQL is written. Nobody adds up hours of the day.
  if (isPart) return compute === 'sum' ? undefined : numberForm(compute, own);
  if (isOfRows) return numberForm(compute, own);
  return expression.kind === 'sql' ? numberForm(compute, expression.sql) : undefined;
}

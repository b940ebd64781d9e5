import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import { type Touch, readTouchName } from '../../ask/query/touch-name.ts';
import { nearest } from '../../ask/suggest.ts';
import { otherSpellings } from './event-fields.ts';
import type { Cube, Dimension, Measure, Model, Segment } from './model.ts';
import { withinSentence } from '../../ask/text.ts';
import { memberLabel } from './member-label.ts';

/** Names of the cubes that `sluice sync` fetches, or makes of what it fetched: known before anything was. */
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

/** What a full name means. */
export type Found =
  | { readonly kind: 'measure'; readonly cube: Cube; readonly member: Measure }
  | { readonly kind: 'dimension'; readonly cube: Cube; readonly member: Dimension }
  | { readonly kind: 'segment'; readonly cube: Cube; readonly member: Segment };

/** The names of a model, looked up. */
export interface Catalog {
  readonly model: Model;
  cube(name: string): Cube | undefined;
  /** By full name, `TrackedEvents.count`, hidden members too. */
  find(name: string): Found | undefined;
  /** Full names of all members that are listed, cube by cube: measures, dimensions, segments. */
  names(kind?: Found['kind']): readonly string[];
  /** Full name of the time dimension that a bare date range filters. */
  timeMemberOf(cube: string): string | undefined;
  /** The member that others call by this name: the platform's vocabularies differ. */
  otherName(name: string): string | undefined;
  /** Why a member of this full name, or its cube, is not there although the model's text has it. */
  whyLeftOut(name: string): string | undefined;
  /** The name that an unknown one most likely meant; for a name without a cube, the first member so called. */
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
  /** Attributed dimensions are made when they are first asked for; none is listed. */
  const findTouch = (name: string): Found | undefined => {
    const read = readTouchName(name);
    const of = read && members.get(read.of);
    const member = of?.kind === 'dimension' ? touchDimension(of.cube, read!.touch, of.member) : undefined;
    if (!of || !member) return undefined;
    const found: Found = { kind: 'dimension', cube: of.cube, member };
    members.set(name, found);
    return found;
  };
  const listed = [...members].filter(([, found]) => found.cube.public && found.member.public);
  const all = listed.map(([name]) => name);
  const names = (kind?: Found['kind']) =>
    kind === undefined ? all : listed.filter(([, found]) => found.kind === kind).map(([name]) => name);
  const leftOut = new Map(model.leftOut?.map((part) => [part.name, part.reason]));
  const otherName = (name: string) => otherSpellings(name).find((other) => members.has(other));
  return {
    model,
    cube: (name) => cubes.get(name),
    find: (name) => members.get(name) ?? findTouch(name),
    names,
    timeMemberOf: (name) => {
      const member = cubes.get(name)?.timeMember;
      return member === undefined ? undefined : `${name}.${member}`;
    },
    otherName,
    whyLeftOut: (name) => leftOut.get(name) ?? leftOut.get(cubeOf(name)) ?? whyNotSynced(cubeOf(name), cubes),
    suggest: (name, kind) => {
      // Whoever names a cube means it, and no member of another one.
      const near = cubes.has(cubeOf(name)) ? nearestInCube : suggest;
      return otherName(name) ?? near(name, names(kind)) ?? near(name, names());
    },
  };
}

function whyNotSynced(cube: string, cubes: ReadonlyMap<string, Cube>): string | undefined {
  if (cubes.has(cube) || !(syncedNames as readonly string[]).includes(cube)) return undefined;
  return `Its rows are fetched from the platform. Run \`sluice sync ${cube}\` first.`;
}

/** The names of a model that may be another one later, such as one that knows more properties. */
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
    otherName: (name) => now().otherName(name),
    whyLeftOut: (name) => now().whyLeftOut(name),
    suggest: (name, kind) => now().suggest(name, kind),
  };
}

function suggest(name: string, names: readonly string[]): string | undefined {
  if (name.includes('.')) return nearest(name, names);
  const near = nearest(name, names.map(shortNameOf));
  return near === undefined ? undefined : names.find((full) => shortNameOf(full) === near);
}

/** The cube's name does not stretch the distance. */
function nearestInCube(name: string, names: readonly string[]): string | undefined {
  const prefix = name.slice(0, name.indexOf('.') + 1);
  const own = names.filter((full) => full.startsWith(prefix)).map((full) => full.slice(prefix.length));
  const near = nearest(name.slice(prefix.length), own);
  return near === undefined ? undefined : prefix + near;
}

const titles: Readonly<Record<Touch, string>> = { firstTouch: 'First-touch', lastTouch: 'Last-touch' };

/** Whether the rows of a cube are those of users at known times, so that its dimensions can be attributed. */
function hasTouches({ source }: Pick<Cube, 'source'>): boolean {
  return source.kind === 'events' || source.kind === 'sessions';
}

/**
 * A dimension of a cube, attributed; undefined if that makes no sense: of times, of cohorts, and of cubes without
 * users.
 */
function touchDimension(cube: Cube, touch: Touch, of: Dimension): Dimension | undefined {
  if (
    !hasTouches(cube) ||
    of.type === 'time' ||
    of.cohort ||
    of.expression.kind === 'touch' ||
    of.expression.kind === 'time-part'
  )
    return undefined;
  const label = `${titles[touch]} ${withinSentence(memberLabel(of) ?? of.shortTitle)}`;
  const { format, sampled, local } = of;
  return {
    name: `${touch}.${of.name}`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    description:
      touch === 'firstTouch'
        ? `${of.shortTitle} where the user first had one; empty before that.`
        : `${of.shortTitle} where the user last had one, up to then.`,
    type: of.type,
    expression: { kind: 'touch', touch, of },
    primaryKey: false,
    public: false,
    format,
    sampled,
    local,
  };
}

import { shortNameOf } from '../../../ask/query/member-name.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import type { Catalog, Found } from '../catalog.ts';
import { titleize, withoutBraces } from '../identifier.ts';
import type { Cube, Dimension, Group, Measure, Origin, Segment } from '../model.ts';
import type { Unread, WrittenView } from './read-file.ts';
import { isListed } from './read-context.ts';
import { readFormat } from './read-format.ts';
import { below, type Findings, leaveOut, partKey, reportError, type Site, type Sited } from './site.ts';

/** The members that a view includes from one cube. */
type Included = NonNullable<WrittenView['cubes']>[number];

interface ViewContext {
  readonly view: WrittenView;
  readonly title: string;
  readonly catalog: Catalog;
  readonly unread: Unread;
  readonly findings: Findings;
  /** Members so far, in order, by short name. */
  readonly members: Map<string, Found>;
  /** Hierarchies of the cubes, which `includes` may also name. */
  readonly hierarchies: Group[];
}

/**
 * The views of a model as cubes. Each member refers to a member of a cube, reached over the joins in the view's
 * `join_path`. Source of the rules: Cube's data model reference.
 */
export function readViews(
  views: readonly Sited<WrittenView>[],
  catalog: Catalog,
  unread: Unread,
  findings: Findings,
): readonly Cube[] {
  const byName = new Map(views.map((view) => [view.value.name, view]));
  return views.map(({ value: view, site }) => {
    const title = view.title ?? titleize(view.name);
    const context: ViewContext = { view, title, catalog, unread, findings, members: new Map(), hierarchies: [] };
    for (const each of familyOf({ value: view, site }, byName, findings)) {
      (each.value.cubes ?? []).forEach((included, index) =>
        includeCube(included, below(each.site, 'cubes', index), context),
      );
      includePaths(each, context);
    }
    const found = [...context.members.values()];
    const dimensions = found.flatMap((each) => (each.kind === 'dimension' ? [each.member] : []));
    return {
      name: view.name,
      title,
      description: view.description ?? undefined,
      source: { kind: 'view' },
      joins: [],
      measures: found.flatMap((each) => (each.kind === 'measure' ? [each.member] : [])),
      dimensions,
      segments: found.flatMap((each) => (each.kind === 'segment' ? [each.member] : [])),
      timeMember: dimensions.find(({ type }) => type === 'time')?.name,
      public: isListed(view),
      folders: readFolders(view, context),
      hierarchies: context.hierarchies,
    };
  });
}

/** A view, after all views that it extends. */
function familyOf(
  view: Sited<WrittenView>,
  byName: ReadonlyMap<string, Sited<WrittenView>>,
  findings: Findings,
): readonly Sited<WrittenView>[] {
  const family: Sited<WrittenView>[] = [];
  for (let each: Sited<WrittenView> | undefined = view; each; ) {
    if (family.includes(each)) {
      const message = `The view "${view.value.name}" extends itself.`;
      reportError(findings, below(view.site, 'extends'), 'circular-extends', message);
      break;
    }
    family.unshift(each);
    const parent: string | undefined = each.value.extends == null ? undefined : withoutBraces(each.value.extends);
    const next: Sited<WrittenView> | undefined = byName.get(parent ?? '');
    if (parent !== undefined && !next) {
      const message = `There is no view "${parent}" to extend.`;
      reportError(findings, below(each.site, 'extends'), 'unknown-cube', message, didYouMean(parent, byName.keys()));
    }
    each = next;
  }
  return family;
}

function includeCube(included: Included, site: Site, context: ViewContext): void {
  const path = withoutBraces(included.join_path ?? included.joinPath ?? '')
    .split('.')
    .map((step) => step.trim());
  const named = includedOf(included.includes);
  const cube = checkPath(path, site, context, named);
  if (!cube) return;
  const last = path.at(-1) ?? '';
  const nameOf = (name: string) => (included.prefix ? `${included.alias ?? last}_${name}` : name);
  if (named === 'all') {
    const excluded = new Set(included.excludes ?? []);
    for (const member of [...cube.measures, ...cube.dimensions, ...cube.segments]) {
      if (!excluded.has(member.name) && !excluded.has(nameOf(member.name)))
        add({ name: member.name }, nameOf(member.name), path, site, context);
    }
    takeHierarchies(cube, nameOf, context);
    return;
  }
  for (const [index, each] of named.entries()) {
    if (cube.hierarchies?.some(({ name }) => name === each.name)) continue;
    const at = Array.isArray(included.includes) ? below(site, 'includes', index) : below(site, 'includes');
    add(each, nameOf(each.alias ?? each.name), path, at, context);
  }
  takeHierarchies(cube, nameOf, context);
}

interface Name {
  readonly name: string;
  readonly alias?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly format?: unknown;
}

function includedOf(includes: Included['includes']): readonly Name[] | 'all' {
  if (includes === '*') return 'all';
  return [includes ?? []].flat().map((each) => (typeof each === 'string' ? { name: each } : each));
}

/** The older syntax: `includes: [orders.count, orders.users.city]`. */
function includePaths({ value: view, site }: Sited<WrittenView>, context: ViewContext): void {
  const named = includedOf(view.includes);
  if (named === 'all') return;
  const excluded = new Set(view.excludes ?? []);
  for (const each of named) {
    const steps = withoutBraces(each.name).split('.');
    const name = steps.pop() ?? '';
    if (excluded.has(each.name) || excluded.has(name)) continue;
    if (checkPath(steps, below(site, 'includes'), context, [{ name }]))
      add({ ...each, name }, each.alias ?? name, steps, below(site, 'includes'), context);
  }
}

/** The cube at the end of a path, if the model's joins connect it. Otherwise its members are left out. */
function checkPath(
  path: readonly string[],
  site: Site,
  { view, catalog, unread, findings }: ViewContext,
  named: readonly Name[] | 'all',
): Cube | undefined {
  const cubes = path.map((step) => catalog.cube(step));
  const missing = path.find((_, index) => cubes[index] === undefined);
  const broken = path.findIndex(
    (step, index) => index > 0 && !(cubes[index - 1]?.joins.some(({ cube }) => cube === step) ?? false),
  );
  if (missing === undefined && broken < 0) return cubes.at(-1);
  const wholeReason =
    missing === undefined
      ? `No join leads from "${path[broken - 1]}" to "${path[broken]}".`
      : unread.cubes.has(missing) || catalog.whyLeftOut(missing) !== undefined
        ? `It uses "${missing}", which is left out.`
        : `There is no cube "${missing}".`;
  const hint =
    missing === undefined
      ? undefined
      : didYouMean(
          missing,
          catalog.model.cubes.map(({ name }) => name),
        );
  if (named === 'all') {
    leaveOut(
      findings,
      site,
      `${view.name}.*`,
      `What the view "${view.name}" takes from "${path.join('.')}"`,
      wholeReason,
      hint,
    );
  } else {
    for (const { name, alias } of named) {
      const shown = alias ?? name;
      leaveOut(
        findings,
        site,
        partKey(view.name, shown),
        `The member "${shown}" of the view "${view.name}"`,
        wholeReason,
        hint,
      );
    }
  }
  return undefined;
}

function add(written: Name, name: string, path: readonly string[], site: Site, context: ViewContext): void {
  const { view, catalog, findings, members } = context;
  const full = `${path.at(-1)}.${written.name}`;
  const found = catalog.find(full);
  const leave = (reason: string, hint?: string) =>
    leaveOut(findings, site, partKey(view.name, name), `The member "${name}" of the view "${view.name}"`, reason, hint);
  if (!found) {
    const reason = catalog.whyLeftOut(full) ?? (context.unread.members.has(full) ? 'unread' : undefined);
    if (reason !== undefined) leave(`It uses "${full}", which is left out.`);
    else leave(`There is no member "${full}".`, didYouMean(full, catalog.names()));
    return;
  }
  const before = members.get(name);
  if (before) {
    const { of } = before.member;
    if (of?.member === written.name && of.path.join('.') === path.join('.')) return;
    const hint = 'Give one of them an `alias`, or exclude it.';
    reportError(findings, site, 'duplicate-name', `The view "${view.name}" has two members named "${name}".`, hint);
    return;
  }
  members.set(name, asMember(found, written, name, { path, member: written.name }, site, context));
}

/** The member under its name in the view. */
function asMember(found: Found, written: Name, name: string, of: Origin, site: Site, context: ViewContext): Found {
  const { member } = found;
  const ownTitle = member.shortTitle === titleize(member.name) ? titleize(name) : member.shortTitle;
  const shortTitle = written.title ?? ownTitle;
  const changes = {
    of,
    name,
    shortTitle,
    label: written.title == null && name === member.name && 'label' in member ? member.label : undefined,
    title: `${context.title} ${shortTitle}`,
    description: written.description ?? member.description,
  };
  const format =
    written.format == null ? undefined : readFormat(written.format, below(site, 'format'), context.findings);
  const ofView = (full: string) => viewName(full, of, context);
  const cube = { ...found.cube, name: context.view.name };
  if (found.kind === 'measure') {
    const changed: Measure = {
      ...found.member,
      ...changes,
      format: format ?? found.member.format,
      drillMembers: found.member.drillMembers.map(ofView).filter((drill) => drill !== undefined),
    };
    return { kind: 'measure', cube, member: changed };
  }
  if (found.kind === 'dimension') {
    const changed: Dimension = { ...found.member, ...changes, format: format ?? found.member.format };
    return { kind: 'dimension', cube, member: changed };
  }
  const changed: Segment = { ...found.member, ...changes };
  return { kind: 'segment', cube, member: changed };
}

/** The view's name for a member of a cube, if the view includes it so far. */
function viewName(full: string, of: Origin, { view, members }: ViewContext): string | undefined {
  for (const [name, { member }] of members) {
    if (member.of && `${member.of.path.at(-1)}.${member.of.member}` === full && member.of.path[0] === of.path[0])
      return `${view.name}.${name}`;
  }
  return undefined;
}

function takeHierarchies(cube: Cube, nameOf: (name: string) => string, { view, members, hierarchies }: ViewContext) {
  for (const { name, title, members: levels } of cube.hierarchies ?? []) {
    const own = levels
      .map(shortNameOf)
      .map(nameOf)
      .filter((level) => members.has(level));
    if (own.length > 0)
      hierarchies.push({ name: nameOf(name), title, members: own.map((level) => `${view.name}.${level}`) });
  }
}

/** Folders contain members by name. Nested folders are flattened. */
function readFolders({ name: view, folders }: WrittenView, { members }: ViewContext): readonly Group[] {
  return (folders ?? []).map(({ name, includes }) => {
    const names = [...members.keys()];
    const isIn = namesIn(includes);
    return {
      name,
      title: name,
      members: names.filter((each) => includes === '*' || isIn.has(each)).map((each) => `${view}.${each}`),
    };
  });
}

function namesIn(includes: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of [includes].flat()) {
    if (typeof each === 'string') names.add(each);
    else if (each !== null && typeof each === 'object' && 'includes' in each)
      for (const name of namesIn(each.includes)) names.add(name);
  }
  return names;
}

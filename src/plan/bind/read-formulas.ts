import {
  type Change,
  type Conditional,
  conditionalsIn,
  type Formula,
  isPercentile,
  mapConditionals,
  mapNames,
  type Part,
  partsOf,
  type PerUser,
} from '../../ask/notation/formula.ts';
import { writeChange, writeFormula } from '../../ask/notation/write-formula.ts';
import { readFormula } from '../../ask/notation/parse-formula.ts';
import { errorCount, errorIssue, type IssuePath } from '../../ask/outcome.ts';
import { asProperty, cubeOf, memberPattern, shortNameOf } from '../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../ask/query/query.ts';
import { quote } from '../../ask/text.ts';
import type { Catalog, Found } from '../model/catalog.ts';
import { userKeyColumn } from '../model/event-fields.ts';
import { madeFrom } from '../model/made-from.ts';
import { titleize } from '../model/identifier.ts';
import {
  type Cube,
  isAggregate,
  isCount,
  type Measure,
  type Model,
  type RollingWindow,
  type Template,
} from '../model/model.ts';
import type { BindContext, Binding } from './bind-context.ts';
import { findMember, memberOfColumn } from './find-member.ts';
import { userDimension } from './user-dimension.ts';

/** The formulas of a query by full name, and the model with the measures that they add. */
export interface Formulas {
  readonly model: Model;
  readonly byName: ReadonlyMap<string, Formula>;
}

type FoundMeasure = Extract<Found, { kind: 'measure' }>;

/**
 * Reads the formulas of a query. The model gets a measure for each formula, and one for each window that it lacks.
 * Returns undefined and adds issues if one is invalid.
 */
export function readFormulas(
  query: CanonicalQuery,
  model: Model,
  binding: Binding,
  { reach = 'local' }: Pick<BindContext, 'reach'>,
): Formulas | undefined {
  const before = errorCount(binding.issues);
  const written = new Map<string, Formula>();
  for (const [name, text] of Object.entries(query.formulas ?? {})) {
    const path = ['formulas', name];
    checkName(name, path, binding);
    const read = readFormula(text, cubeOf(name));
    // Spans refer to the formula's text, which is only a part of the query's text.
    binding.issues.push(...read.issues.map((issue) => ({ ...issue, span: undefined, path })));
    if (!read.ok) continue;
    // `sum(price)` is a figure of a dimension, or else of a property, and `price = 1` a condition on one.
    const formula = mapConditionals(
      mapNames<string, string>(read.value, (part, change) => ({
        kind: 'measure',
        name: binding.catalog.find(part) ? part : asProperty(part),
        ...(change && { change }),
      })),
      (conditional) => resolveColumns(conditional, binding.catalog),
    );
    written.set(name, formula);
  }
  if (errorCount(binding.issues) > before) return undefined;
  const added = new Map<string, Measure[]>();
  const add = (cube: string, measure: Measure) => {
    const own = added.get(cube) ?? [];
    if (!own.some(({ name }) => name === measure.name)) own.push(measure);
    added.set(cube, own);
  };
  const byName = new Map<string, Formula>();
  for (const [name, formula] of written) {
    const path = ['formulas', name];
    const whole = withFormulas(formula, written, [name], path, binding);
    const parts = partsOf(whole);
    if (parts.length === 0)
      binding.issues.push(
        errorIssue('formula-without-measure', `${quote(shortNameOf(name))} uses no measure.`, { path }),
      );
    for (const part of parts) {
      const found = findMember(part.name, ['measure'], path, binding);
      if (!found || !checkPart(part, found, reach, path, binding) || !rolls(part, found)) continue;
      for (const [cube, measure] of toMeasures(part, found)) add(cube, measure);
    }
    byName.set(name, whole);
    const cube = cubeOf(name);
    const addComputed = (short: string, title: string, of: Formula, isPublic: boolean) =>
      add(cube, {
        name: short,
        title: `${binding.catalog.cube(cube)?.title ?? ''} ${title}`.trim(),
        shortTitle: title,
        description: writeFormula(of),
        type: 'number',
        filters: [],
        drillMembers: [],
        public: isPublic,
      });
    addComputed(shortNameOf(name), titleize(shortNameOf(name)), whole, true);
    for (const conditional of conditionalsIn(whole)) {
      const short = shortNameOf(keyOfConditional(conditional, cube));
      addComputed(short, short, conditional.of, false);
    }
  }
  if (errorCount(binding.issues) > before) return undefined;
  const cubes = model.cubes.map((cube): Cube => {
    const measures = added.get(cube.name);
    if (!measures) return cube;
    const whole = { ...cube, measures: [...cube.measures, ...measures] };
    const ofUsers = measures.some(({ stage }) => stage?.addGroupBy) ? [userDimension] : [];
    return madeFrom({ ...whole, dimensions: [...whole.dimensions, ...ofUsers] }, [cube, measures]);
  });
  return { model: { ...model, cubes }, byName };
}

/** The formulas over a whole range: instead of averages and sums of buckets, the measures themselves. */
export function overRange({ model, byName }: Formulas): Formulas {
  const whole = (formula: Formula) =>
    mapNames<string, string>(formula, (name, change) => ({
      kind: 'measure',
      name,
      ...(change && change.kind !== 'average' && change.kind !== 'cumulative' && { change }),
    }));
  return { model, byName: new Map([...byName].map(([name, formula]) => [name, whole(formula)])) };
}

function checkName(name: string, path: IssuePath, { catalog, issues }: Binding): void {
  if (!memberPattern().test(name) || !/^[a-zA-Z_]\w*$/.test(shortNameOf(name))) {
    issues.push(
      errorIssue('not-a-name', `${quote(name)} is not a valid name for a formula.`, {
        path,
        hint: 'Write `Cube.name`.',
      }),
    );
  } else if (!catalog.cube(cubeOf(name))) {
    issues.push(
      errorIssue('unknown-member', `There is no cube ${quote(cubeOf(name))}.`, {
        path,
        hint: 'Start the name with the cube of the first measure.',
      }),
    );
  }
  const known = catalog.find(name);
  if (known)
    issues.push(
      errorIssue('formula-shadows', `${quote(name)} is a ${known.kind} of the model.`, {
        path,
        hint: 'Choose another name for the formula.',
      }),
    );
}

/** Replaces names of other formulas by their formulas. */
function withFormulas(
  formula: Formula,
  written: ReadonlyMap<string, Formula>,
  above: readonly string[],
  path: IssuePath,
  binding: Binding,
): Formula {
  return mapNames<string, string>(formula, (name, change): Formula => {
    const inner = written.get(name);
    const part: Part = { kind: 'measure', name, ...(change && { change }) };
    if (!inner) return part;
    if (above.includes(name) || change) {
      const message = change
        ? `${quote(shortNameOf(name))} is a formula, and "${writeChange(change)}" needs a measure.`
        : `${quote(shortNameOf(name))} refers to itself.`;
      binding.issues.push(
        errorIssue('formula-of-formula', message, { path, hint: 'Use the measures that it is computed from.' }),
      );
      return { kind: 'number', text: '0' };
    }
    return withFormulas(inner, written, [...above, name], path, binding);
  });
}

/**
 * True if a part needs a measure of its own, because it covers other rows or groups. A running sum of an additive
 * measure needs none.
 */
export function rolls({ change }: Part, { member }: FoundMeasure): boolean {
  return change?.kind === 'rolling' || change?.kind === 'perUser' || (change?.kind === 'cumulative' && !addsUp(member));
}

function addsUp({ type, rollingWindow, stage }: Measure): boolean {
  return !rollingWindow && !stage && (type === 'count' || type === 'sum');
}

function checkPart(
  part: Part,
  found: FoundMeasure,
  reach: 'local' | 'remote',
  path: IssuePath,
  { issues }: Binding,
): boolean {
  const { change, name } = part;
  const refuse = (code: string, message: string, hint: string): false => {
    issues.push(errorIssue(code, message, { path, hint }));
    return false;
  };
  const { type } = found.member;
  if (type === 'time' || type === 'string' || type === 'boolean')
    return refuse(
      'unfit-formula',
      `A formula computes with numbers, and the values of "${shortNameOf(name)}" have the type ${type}.`,
      'Query the measure itself.',
    );
  if (!change) return true;
  const said = `"${shortNameOf(name)} ${writeChange(change)}"`;
  if (found.cube.source.kind === 'computed')
    return refuse(
      'unfit-change',
      `${said} needs a measure of events, and "${name}" is computed.`,
      'Query the measure itself.',
    );
  if (!rolls(part, found)) return true;
  if (reach === 'remote')
    return refuse(
      'window-not-remote',
      `${said} counts events again for each bucket, which the server does not support.`,
      'Export the events with `sluice export` and query them locally, ' +
        'or add a measure with `rolling_window` to the model of the server.',
    );
  const { member } = found;
  if (change.kind === 'perUser' && found.cube.source.kind !== 'events' && found.cube.source.kind !== 'sessions')
    return refuse(
      'unfit-change',
      `${said} needs rows with a user, such as those of "TrackedEvents" and "Sessions".`,
      'Use a measure of one of these cubes.',
    );
  if (isPercentile(/^(\w+)\(/.exec(shortNameOf(name))?.[1] ?? ''))
    return refuse(
      'unfit-change',
      `${said} needs a measure that counts or adds up rows, and "${name}" is a median or percentile.`,
      'Use `avg`, or leave out the change and group by longer periods, such as `by week`.',
    );
  if (member.rollingWindow || member.stage || (!isAggregate(member.type) && !member.of))
    return refuse(
      'unfit-change',
      `${said} needs a measure that counts or adds up rows, and "${name}" is computed from other measures.`,
      'Write it with the measures that it is computed from, ' +
        `such as \`a ${writeChange(change)} / b ${writeChange(change)}\`.`,
    );
  return true;
}

/** The measures that a part needs in addition to those of the model, each with the name of its cube. */
function toMeasures(part: Part, found: FoundMeasure): readonly (readonly [string, Measure])[] {
  return part.change?.kind === 'perUser' ? ofEachUser(part, part.change.compute, found) : toWindows(part, found);
}

/**
 * A measure over groups of one user each, and the measure of each group, in the cube whose rows it counts. Leaves out
 * events without a user, and users whose count is 0.
 */
function ofEachUser(part: Part, compute: PerUser, { cube, member }: FoundMeasure): ReturnType<typeof toMeasures> {
  const counted = {
    cube: member.of?.path.at(-1) ?? cube.name,
    name: `${member.of?.member ?? member.name} of each user`,
  };
  const value = { kind: 'member' as const, cube: counted.cube, member: counted.name };
  const sql: Template = isCount(member.type)
    ? [{ kind: 'text', text: 'nullif(' }, value, { kind: 'text', text: ', 0)' }]
    : [value];
  // A user without a value has no sum.
  const own = { ...member, of: undefined, emptyIsZero: false, public: false };
  const stage = {
    addGroupBy: [`${cube.name}.${userDimension.name}`],
    skipsNull: true,
    ...(isPercentile(compute) && { percentile: compute }),
  };
  const nobody = {
    sql: [{ kind: 'cube' as const }, { kind: 'text' as const, text: `.${userKeyColumn} IS NULL` }],
    what: `${cube.source.kind} without a user`,
  };
  // Values of lists have no user of their own.
  const uncounted = [...(member.of ? [] : [nobody]), ...(member.uncounted ?? [])];
  return [
    [counted.cube, { ...own, name: counted.name, uncounted }],
    [
      cube.name,
      {
        ...own,
        name: shortNameOf(keyOf(part)),
        type: isPercentile(compute) ? 'number' : compute,
        sql,
        filters: [],
        stage,
      },
    ],
  ];
}

/** The measure with its window. For a view's measure, that of its cube as well. */
function toWindows(part: Part, { cube, member }: FoundMeasure): readonly (readonly [string, Measure])[] {
  const { change } = part;
  const rollingWindow: RollingWindow = {
    trailing: change?.kind === 'rolling' ? { amount: change.amount, unit: change.unit } : 'range',
    offset: 'end',
    clipped: true,
  };
  const name = shortNameOf(keyOf(part));
  const window: Measure = { ...member, name, rollingWindow, public: false };
  if (!member.of) return [[cube.name, window]];
  const own = `${member.of.member} ${writeChange(change as Change)}`;
  return [
    [member.of.path.at(-1)!, { ...window, of: undefined, name: own }],
    [cube.name, { ...member, name, of: { ...member.of, member: own }, public: false }],
  ];
}

/** The part with columns of files in its conditions as the members that they are. */
function resolveColumns(conditional: Conditional, catalog: Catalog): Conditional {
  const rename = (filter: CanonicalFilter): CanonicalFilter => {
    if ('and' in filter) return { and: filter.and.map(rename) };
    if ('or' in filter) return { or: filter.or.map(rename) };
    const { member } = filter;
    return { ...filter, member: catalog.find(member) ? member : (memberOfColumn(member, catalog) ?? member) };
  };
  const of = mapConditionals(conditional.of, (each) => resolveColumns(each, catalog));
  return { kind: 'where', of, where: conditional.where.map(rename) };
}

/** The key of the column of a part with conditions: `TrackedEvents.(TrackedEvents.count where …)`. */
export function keyOfConditional(conditional: Conditional, cube: string): string {
  return `${cube}.${writeFormula(conditional)}`;
}

/** Whether a key is that of a part with conditions. No member's name begins with a bracket. */
export function isConditionalKey(key: string): boolean {
  return shortNameOf(key).startsWith('(');
}

/** The key of a part's column. */
export function keyOf(part: Part): string {
  return writeFormula(part);
}

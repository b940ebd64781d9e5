import type { Cohort } from '../../../ask/cohort/cohort.ts';
import { cohortMembers } from '../../../ask/query/member-name.ts';
import { quote } from '../../../ask/text.ts';
import { userKeyColumn } from '../../model/event-fields.ts';
import type { ComputedSource, Cube, Dimension, Model } from '../../model/model.ts';
import type { Plan } from '../../plan.ts';

/** Values of a cohort's dimension; null for events without a user. */
export const inCohort = 'in';
export const notInCohort = 'not in';

/** The end of the events that count at the present of a plan. As in ranges until now, those at the present do. */
export function endAtPresent({ now }: Pick<Plan, 'now'>): number {
  return now + 1;
}

/** The relation of a cohort's users at an instant, before which their events lie. */
export function cohortTableAt(plan: Pick<Plan, 'now'>, name: string, at: number): string {
  return cohortTable(name, at === endAtPresent(plan) ? undefined : at);
}

/**
 * The relation of a cohort's users in statements. `at`: members by the events before this instant instead of those
 * until the question's present.
 */
export function cohortTable(name: string, at?: number): string {
  return `cohort: ${name}${at === undefined ? '' : ` @${at}`}`;
}

/**
 * The dimension `cohorts.power_users` of a cube whose rows have users. Its values are in, not in, and null for rows
 * without a user.
 */
export function cohortDimension(cube: Cube, { name, title }: NamedCohort, table = cohortTable(name)): Dimension {
  const label = `Cohort ${title ?? name}`;
  // A slug needs no quoting.
  const member = `{CUBE}.${userKeyColumn} IN (SELECT ${userKeyColumn} FROM "${table}")`;
  const text = `CASE WHEN ${member} THEN '${inCohort}' WHEN {CUBE}.${userKeyColumn} IS NOT NULL THEN '${notInCohort}' END`;
  return {
    name: `${cohortMembers}.${name}`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    description: `Whether the user is in the cohort ${quote(name)}: ${inCohort}, ${notInCohort}, or null without a user.`,
    type: 'string',
    expression: {
      kind: 'sql',
      sql: text
        .split('{CUBE}')
        .flatMap((part, index) => [
          ...(index === 0 ? [] : [{ kind: 'cube' as const }]),
          { kind: 'text' as const, text: part },
        ]),
    },
    primaryKey: false,
    public: true,
    cohort: { name, among: [name] },
  };
}

type NamedCohort = Pick<Cohort, 'name'> & { readonly title?: string | undefined };

/** The dimension `cohorts`, which filters compare with cohort names. Queries cannot group by it. */
function cohortsFilter(cube: Cube, among: readonly string[]): Dimension {
  return {
    name: cohortMembers,
    title: `${cube.title} Cohorts`,
    shortTitle: 'Cohorts',
    description: 'For filters only: names of cohorts that the user is, or is not, a member of.',
    type: 'string',
    expression: { kind: 'sql', sql: [{ kind: 'text', text: 'NULL' }] },
    primaryKey: false,
    public: true,
    cohort: { name: undefined, among },
  };
}

/**
 * Adds cohort members to a model, for filters and breakdowns. Cubes of events, sessions and users get a dimension for
 * each cohort. Cubes computed from events can be limited to the events of a cohort's users. `others`: names of further
 * cubes that a server has.
 */
export function withCohortMembers(
  model: Model,
  cohorts: readonly NamedCohort[],
  others: ReadonlySet<string> = new Set(),
): Model {
  if (cohorts.length === 0) return model;
  const names = cohorts.map(({ name }) => name);
  const cubes = model.cubes.map((cube): Cube => {
    const { kind } = cube.source;
    if (kind === 'computed')
      return isCohortCube(cube) ? cube : { ...cube, dimensions: [...cube.dimensions, cohortsFilter(cube, names)] };
    if (kind !== 'events' && kind !== 'sessions' && kind !== 'users' && !others.has(cube.name)) return cube;
    const own = [cohortsFilter(cube, names), ...cohorts.map((cohort) => cohortDimension(cube, cohort))];
    return { ...cube, dimensions: [...cube.dimensions, ...own] };
  });
  return { ...model, cubes };
}

/** True if each row of the cube is a user of a cohort. */
export function isCohortCube(cube: Cube): cube is Cube & { readonly source: ComputedSource<Cohort> } {
  return cube.source.kind === 'computed' && cube.source.analysis.name === 'cohort';
}

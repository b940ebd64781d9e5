import type { Cohort } from '../../../ask/cohort/cohort.ts';
import { cohortMembers } from '../../../ask/query/member-name.ts';
import { quote } from '../../../ask/text.ts';
import { userKeyColumn } from '../../model/event-fields.ts';
import type { ComputedSource, Cube, Dimension, Model } from '../../model/model.ts';

/** The values of a cohort's dimension. Events without a user have none. */
export const inCohort = 'in';
export const notInCohort = 'not in';

/**
 * What statements call the relation of a cohort's users; `at`: as of this instant, not as of the question's present.
 */
export function cohortTable(name: string, at?: number): string {
  return `cohort: ${name}${at === undefined ? '' : ` @${at}`}`;
}

/** `cohorts.power_users` of a cube whose rows have users: in, not in, or nothing if a row has no user. */
export function cohortDimension(cube: Cube, { name, title }: NamedCohort, table = cohortTable(name)): Dimension {
  const label = `Cohort ${title ?? name}`;
  // A slug holds nothing that would have to be quoted.
  const member = `{CUBE}.${userKeyColumn} IN (SELECT ${userKeyColumn} FROM "${table}")`;
  const text = `CASE WHEN ${member} THEN '${inCohort}' WHEN {CUBE}.${userKeyColumn} IS NOT NULL THEN '${notInCohort}' END`;
  return {
    name: `${cohortMembers}.${name}`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    description: `Whether the user is in the cohort ${quote(name)}: ${inCohort}, ${notInCohort}, or nothing without a user.`,
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

/** `cohorts`, which compares with names of cohorts and is nothing to group by. */
function cohortsFilter(cube: Cube, among: readonly string[]): Dimension {
  return {
    name: cohortMembers,
    title: `${cube.title} Cohorts`,
    shortTitle: 'Cohorts',
    description: 'Only to filter by: the names of cohorts of which the user is, or is not, a member.',
    type: 'string',
    expression: { kind: 'sql', sql: [{ kind: 'text', text: 'NULL' }] },
    primaryKey: false,
    public: true,
    cohort: { name: undefined, among },
  };
}

/**
 * The model in which cohorts filter and split: the cubes of events, sessions and users tell members apart, and what is
 * computed from events can be limited to the events of members. `others`: names of further cubes that a server has.
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

/** Whether a cube's rows are the users of a cohort. */
export function isCohortCube(cube: Cube): cube is Cube & { readonly source: ComputedSource<Cohort> } {
  return cube.source.kind === 'computed' && cube.source.analysis.name === 'cohort';
}

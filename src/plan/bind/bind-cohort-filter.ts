import { toDefinitionSlug } from '../../ask/analysis/definition-slug.ts';
import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import { cohortMembers } from '../../ask/query/member-name.ts';
import type { CanonicalMemberFilter } from '../../ask/query/query.ts';
import { oneOfHint } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { cohortDimension, inCohort } from '../analysis/cohort/cohort-members.ts';
import { partsOf } from '../list-conditions.ts';
import type { Cube } from '../model/model.ts';
import type { Condition } from '../plan.ts';
import type { Binding } from './bind-context.ts';

const operators: ReadonlyMap<string, 'in' | 'out'> = new Map([
  ['equals', 'in'],
  ['in', 'in'],
  ['notEquals', 'out'],
  ['notIn', 'out'],
]);

/**
 * Binds `cohorts` compared with names: users of at least one of these cohorts, or of none. A row without a user is in
 * no cohort. Returns undefined and adds issues if the filter is invalid.
 */
export function bindCohortFilter(
  { cube, among }: { readonly cube: Cube; readonly among: readonly string[] },
  { member, operator, values = [] }: CanonicalMemberFilter,
  path: IssuePath,
  binding: Binding,
): Condition | undefined {
  const side = operators.get(operator);
  if (!side) {
    binding.issues.push(
      errorIssue('wrong-operator', `"${operator}" does not compare ${quote(member)}, which takes names of cohorts.`, {
        path: [...path, 'operator'],
        hint: 'Use equals or notEquals.',
      }),
    );
    return undefined;
  }
  const conditions = values.flatMap((value, index): readonly Condition[] => {
    const name = toDefinitionSlug(value ?? '');
    if (!among.includes(name)) {
      binding.issues.push(
        errorIssue('unknown-cohort', `There is no cohort ${quote(value ?? 'null')}.`, {
          path: [...path, 'values', index],
          hint: binding.catalog.whyLeftOut(`cohorts.${name}`) ?? oneOfHint(name, among),
        }),
      );
      return [];
    }
    binding.cohorts?.add(name);
    const operand = { kind: 'dimension', cube, dimension: cohortDimension(cube, { name }) } as const;
    const test =
      side === 'in'
        ? ({ kind: 'one-of', values: [inCohort], orNull: false } as const)
        : ({ kind: 'none-of', values: [inCohort], orNull: true } as const);
    return [{ kind: 'test', operand, test }];
  });
  if (conditions.length < values.length) return undefined;
  if (values.length === 0) {
    binding.issues.push(errorIssue('values-required', `"${operator}" compares with names of cohorts.`, { path }));
    return undefined;
  }
  return { kind: side === 'in' ? 'or' : 'and', conditions };
}

/** The issue if a query groups by `cohorts` instead of one named cohort. */
export function cohortsToName(name: string, { dimensions }: Cube, path: IssuePath): Issue {
  const known = dimensions.flatMap(({ cohort }) => cohort?.name ?? []);
  return errorIssue(
    'cohort-to-name',
    `${quote(name)} cannot be grouped by, because a user may be in several cohorts.`,
    {
      path,
      hint:
        known.length === 0
          ? 'Filter by it, or set a breakdown in the file.'
          : `Name one, such as ${quote(`${cohortMembers}.${known[0]}`)}.`,
    },
  );
}

/**
 * Sorts conditions on rows of a computed cube. Conditions about cohorts apply to the events that it is computed from.
 * Adds an issue if a condition mixes cohorts with other members.
 */
export function sortCohortConditions(
  conditions: readonly Condition[],
  issues: Issue[],
): { readonly events: readonly Condition[]; readonly rows: readonly Condition[] } {
  const flat = conditions.flatMap(partsOf);
  const events = flat.filter((condition) => isAboutCohorts(condition, 'every'));
  const rows = flat.filter((condition) => !events.includes(condition));
  if (rows.some((condition) => isAboutCohorts(condition, 'some')))
    issues.push(
      errorIssue('cohort-choice', 'A cohort selects the events, so it cannot be part of an "or".', {
        path: ['filters'],
        hint: 'Move it out of the "or".',
      }),
    );
  return { events, rows };
}

function isAboutCohorts(condition: Condition, which: 'some' | 'every'): boolean {
  if (condition.kind === 'test')
    return condition.operand.kind === 'dimension' && condition.operand.dimension.cohort !== undefined;
  return condition.conditions.length > 0 && condition.conditions[which]((one) => isAboutCohorts(one, which));
}

import { writeLocal } from '../../ask/time/local-time.ts';
import { testsOf } from '../list-conditions.ts';
import type { FilterUse } from '../model/model.ts';
import type { Condition, OpenRange, Plan, Test } from '../plan.ts';
import { conditionExpression } from './condition-expression.ts';
import { allOf, boundText, type Expression, joined, trusted } from './expression.ts';
import type { MemberScope } from './member-expression.ts';

/**
 * The query's conditions on the named members, inside a cube's own SQL; true if there are none. Conditions that also
 * test other members are skipped, because they are applied to the cube's rows later. `unfitFilter` reports cases where
 * skipping changes the result.
 */
export function filterPart(uses: readonly FilterUse[], plan: Plan, scope: MemberScope): Expression {
  return allOf(
    conditionsOn(plan)
      .filter((condition) => isAbout(condition, uses))
      .map((condition) => conditionExpression(withTargets(condition, uses), { ...scope, rowAs: calledWith(uses) })),
  );
}

/** Why a plan's filters cannot be used in a cube's own SQL; undefined if they can. */
export function unfitFilter(uses: readonly FilterUse[], plan: Plan): string | undefined {
  for (const condition of conditionsOn(plan)) {
    if (
      condition.kind !== 'test' &&
      !isAbout(condition, uses) &&
      testsOf(condition).some((test) => isAbout(test, uses))
    )
      return 'They are in an "or" with other filters.';
    for (const each of testsOf(condition)) {
      const use = targetOf(each, uses);
      if (use?.parameters && valuesOf(each.test, use.parameters.length) === undefined)
        return (
          `The function takes the ${use.parameters.length} values of a range or a list, ` +
          'and this filter has a different number.'
        );
    }
  }
  return undefined;
}

/**
 * Conditions of filters and of time ranges; all must hold. A shifted range is about other rows. Conditions that select
 * groups are left out, so that the rows of a group are those that it has beside all others.
 */
function conditionsOn(plan: Plan): readonly Condition[] {
  const ranges = plan.times.flatMap(({ cube, dimension, range, shift }): Condition[] =>
    range && !shift
      ? [
          {
            kind: 'test',
            operand: { kind: 'dimension', cube, dimension },
            test: { kind: 'within', ranges: [range], orNull: false },
          },
        ]
      : [],
  );
  const flat = (condition: Condition): readonly Condition[] =>
    condition.kind === 'and' ? condition.conditions.flatMap(flat) : [condition];
  return [...ranges, ...plan.rowConditions.filter(({ selects }) => !selects).flatMap(flat)];
}

function isAbout(condition: Condition, uses: readonly FilterUse[]): boolean {
  const tests = testsOf(condition);
  return tests.length > 0 && tests.every((test) => targetOf(test, uses) !== undefined);
}

function targetOf(condition: Condition, uses: readonly FilterUse[]): FilterUse | undefined {
  if (condition.kind !== 'test' || condition.operand.kind !== 'dimension') return undefined;
  const { cube, dimension } = condition.operand;
  return uses.find((use) => use.cube === cube.name && use.member === dimension.name);
}

/** The condition, applied to the SQL that the model names instead of the member. */
function withTargets(condition: Condition, uses: readonly FilterUse[]): Condition {
  if (condition.kind !== 'test')
    return { ...condition, conditions: condition.conditions.map((each) => withTargets(each, uses)) };
  const use = targetOf(condition, uses);
  if (!use || use.parameters || condition.operand.kind !== 'dimension') return condition;
  const expression = { kind: 'sql', sql: [{ kind: 'text', text: `(${use.sql})` }] } as const;
  return { ...condition, operand: { ...condition.operand, dimension: { ...condition.operand.dimension, expression } } };
}

/** Writes a test of a member for which the model has a function of the filter's values. */
function calledWith(uses: readonly FilterUse[]): MemberScope['rowAs'] {
  return (condition) => {
    const use = targetOf(condition, uses);
    const values =
      use?.parameters && condition.kind === 'test' ? valuesOf(condition.test, use.parameters.length) : undefined;
    if (!use?.parameters || !values) return undefined;
    const parts = use.sql.split(/\$?\{\s*(\w+)\s*\}/).map((part, index): Expression => {
      const value = index % 2 === 0 ? undefined : values[use.parameters?.indexOf(part) ?? -1];
      return value === undefined ? trusted(part) : boundText(value);
    });
    return joined([trusted('('), ...parts, trusted(')')], '');
  };
}

function valuesOf(test: Test, count: number): readonly string[] | undefined {
  if (test.kind === 'one-of' && !test.orNull && test.values.length === count) return test.values.map(String);
  const [range, ...others] = test.kind === 'within' ? test.ranges : [];
  if (!range || others.length > 0 || count !== 2) return undefined;
  return toEnds(range);
}

/** First and last millisecond, UTC. */
function toEnds({ start, end }: OpenRange): readonly string[] | undefined {
  return start === undefined || end === undefined ? undefined : [writeLocal(start), writeLocal(end - 1)];
}

import { type Conditional, type Formula, mapConditionals, partsOf } from '../../ask/notation/formula.ts';
import { writeConditions } from '../../ask/notation/write-condition.ts';
import { errorIssue, type Issue } from '../../ask/outcome.ts';
import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import { readPropertyMember, spellPath } from '../../ask/query/property-name.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../ask/query/query.ts';
import { quote } from '../../ask/text.ts';
import type { FurtherPlan, Plan } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { keyOfConditional } from './read-formulas.ts';

/** Puts measures in the place of the parts that have conditions, and adds these to `taken` by their keys. */
export function takeConditionals(formula: Formula, name: string, taken: Map<string, Conditional>): Formula {
  return mapConditionals(formula, (conditional): Formula => {
    const key = keyOfConditional(conditional, cubeOf(name));
    taken.set(key, conditional);
    return { kind: 'measure', name: key };
  });
}

/** A measure that is cheap to compute for each group: the number of rows if the cube has it. */
export function anyMeasure({ of }: Conditional, { catalog }: Binding): string {
  const [{ name } = { name: '' }] = partsOf(of);
  const count = `${cubeOf(name)}.count`;
  const found = catalog.find(count);
  return found?.kind === 'measure' && found.member.type === 'count' ? count : name;
}

/**
 * Binds the parts that have conditions: a plan for those of the same conditions, which its query then has as well.
 * `bindNarrowed` binds a query with such parts as its formulas.
 */
export function bindConditionals(
  conditionals: ReadonlyMap<string, Conditional>,
  asked: CanonicalQuery,
  baseFilters: readonly { readonly filter: CanonicalFilter; readonly index: number }[],
  binding: Binding,
  bindNarrowed: (query: CanonicalQuery, formulas: ReadonlyMap<string, Formula>, issues: Issue[]) => Plan | undefined,
): readonly FurtherPlan[] {
  const kept = baseFilters.filter(({ filter }) => !isOnGroups(filter, binding));
  const groups = Map.groupBy(conditionals, ([, { where }]) => JSON.stringify(where));
  return [...groups.values()].flatMap((group): readonly FurtherPlan[] => {
    const { where } = group[0]![1];
    const onGroups = where
      .filter((filter) => isOnGroups(filter, binding))
      .flatMap(namesIn)
      .find((name) => binding.catalog.find(name)?.kind === 'measure');
    if (onGroups !== undefined) {
      const message = `${quote(onGroups)} is a measure, and a condition in brackets selects rows.`;
      const hint = 'Use a dimension there. To select groups, write the condition outside the brackets.';
      binding.issues.push(errorIssue('unfit-condition', message, { path: ['formulas'], hint }));
      return [];
    }
    const keys = group.map(([key]) => key);
    const filters = [...kept.map(({ filter }) => filter), ...where];
    const issues: Issue[] = [];
    const plan = bindNarrowed(
      { ...asked, measures: keys, filters, order: [] },
      new Map(group.map(([key, { of }]) => [key, of])),
      issues,
    );
    binding.issues.push(
      ...issues.map((issue) => {
        const [key, index, ...rest] = issue.path;
        if (key === 'filters' && typeof index === 'number' && kept[index])
          return { ...issue, path: ['filters', kept[index].index, ...rest] };
        return key === 'filters' || key === 'measures' ? { ...issue, path: ['formulas'] } : issue;
      }),
    );
    const columns = keys.map((key) => ({ from: key, to: key }));
    return plan ? [{ kind: 'where', plan, columns, where: writeConditions(where, nameInLabel) }] : [];
  });
}

/** `plan` for a property, or else the short name. */
function nameInLabel(member: string): string {
  const short = shortNameOf(member);
  const property = readPropertyMember(short);
  return property ? spellPath(property.path) : short;
}

/** `measureFilter` filters rows, not groups. */
export function isOnGroups(filter: CanonicalFilter, binding: Binding): boolean {
  if ('member' in filter)
    return filter.operator !== 'measureFilter' && binding.catalog.find(filter.member)?.kind === 'measure';
  return ('and' in filter ? filter.and : filter.or).some((part) => isOnGroups(part, binding));
}

/** The members that a filter tests. */
export function namesIn(filter: CanonicalFilter): readonly string[] {
  if ('member' in filter) return [filter.member];
  return ('and' in filter ? filter.and : filter.or).flatMap(namesIn);
}

import { shortNameOf } from '../../ask/query/member-name.ts';
import { isPropertyName } from '../../ask/query/property-name.ts';
import type { CanonicalFilter, CanonicalMemberFilter, FilterOperator } from '../../ask/query/query.ts';
import { didYouMean, quoteSome } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { renamedBy } from '../../plan/model/event-fields.ts';
import { enginePlans } from '../../plan/groups.ts';
import type { Plan } from '../../plan/plan.ts';
import { reachOf } from '../../run/backend.ts';
import { findValues, mostOffered, valuesOf, type Within } from '../workspace/find-values.ts';
import type { Session } from '../workspace/session.ts';

/** `whole`: the answer has no rows, or only zeros. `partly`: one of its measures has only zeros. */
export type Emptiness = 'whole' | 'partly' | 'none';

/** Maximum number of values to check. Longer lists were not typed by hand. */
const mostAsked = 20;

/**
 * Returns a sentence for each filter text that no row ever has, because figures for a typo look like any others. Values
 * that the answer's own rows prove are not looked up. Errors of the lookups are ignored.
 */
export async function tellUnknownValues(
  session: Session,
  plan: Plan,
  emptiness: Emptiness,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const isEmpty = emptiness === 'whole';
  // Further queries to a server or another analysis are expensive.
  const isCheap = reachOf(session.settings.backend.value) === 'local' && !plan.computed;
  if (emptiness === 'none' && !isCheap) return [];
  const unknownProject = isEmpty && isCheap ? await tellUnknownProject(session, plan.project, signal) : undefined;
  if (unknownProject !== undefined) return [unknownProject];
  const within = { project: plan.project, signal };
  const sentences: string[] = [];
  let asked = 0;
  const filters = plan.query.filters ?? [];
  // A row of the answer has figures of many conditions, and proves none of them.
  const ofFigures = conditionsOfFigures(plan).map((each) => ({ ...each, proven: false, isVain: emptiness !== 'none' }));
  const tests = [...testsOf(filters).map((each) => ({ ...each, isVain: isEmpty })), ...ofFigures];
  for (const { test, proven, isVain } of tests) {
    if (!isVain && !isCheap) continue;
    const { member, operator } = test;
    const values = (test.values ?? []).filter((value): value is string => typeof value === 'string' && value !== '');
    asked += values.length;
    if (values.length === 0 || (proven && !isVain) || asked > mostAsked) continue;
    try {
      if (namesValues(operator)) {
        const known = await valuesOf(
          session,
          { dimensions: [member], filters: [{ ...test, operator: 'equals' }] },
          within,
        );
        for (const value of values)
          if (known && !known.includes(value)) sentences.push(await tellUnknown(session, member, value, within));
      } else if (isVain) {
        const known = await valuesOf(session, { dimensions: [member], filters: [test], limit: 1 }, within);
        const texts = values.map(quote).join(' or ');
        if (known?.length === 0) sentences.push(`No ${shortNameOf(member)} ${verbs[operator]} ${texts}.`);
      }
    } catch (error) {
      if (signal?.aborted) throw error;
    }
  }
  return [...new Set(sentences)];
}

/** The tests in conditions of single figures: `(count where plan = pro)`. */
function conditionsOfFigures(plan: Plan): readonly MemberTest[] {
  const own = new Set((plan.query.filters ?? []).map((filter) => JSON.stringify(filter)));
  const all = enginePlans(plan).flatMap(({ query }) => query.filters ?? []);
  const byText = new Map(all.map((filter) => [JSON.stringify(filter), filter] as const));
  return testsOf([...byText].flatMap(([text, filter]) => (own.has(text) ? [] : [filter])));
}

async function tellUnknownProject(
  session: Session,
  project: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (project === undefined) return undefined;
  const query = { dimensions: ['TrackedEvents.projectId'], limit: mostOffered };
  const known = await valuesOf(session, query, { project: null, signal }).catch(() => undefined);
  signal?.throwIfAborted();
  if (!known || known.length === mostOffered || known.includes(project)) return undefined;
  const others = known.filter((one) => one !== '');
  return `No event is of project ${quote(project)}.${others.length === 0 ? '' : ` Projects are ${quoteSome(others)}.`}`;
}

const verbs: Partial<Record<FilterOperator, string>> = {
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  matches: 'matches',
};

const namesValues = (operator: FilterOperator) => ['equals', 'notEquals', 'in', 'notIn'].includes(operator);

interface MemberTest {
  readonly test: CanonicalMemberFilter;
  /** Rows of the answer prove that the value exists. */
  readonly proven: boolean;
}

function testsOf(filters: readonly CanonicalFilter[], holds = true): readonly MemberTest[] {
  return filters.flatMap((filter): readonly MemberTest[] => {
    if ('and' in filter) return testsOf(filter.and, holds);
    if ('or' in filter) return testsOf(filter.or, false);
    if (!namesValues(filter.operator) && !(filter.operator in verbs)) return [];
    return [{ test: filter, proven: holds && filter.operator === 'equals' && filter.values?.length === 1 }];
  });
}

async function tellUnknown(session: Session, member: string, value: string, within: Within): Promise<string> {
  const { backend } = await session.openedBackend();
  const ofFiles = backend.reach === 'local' ? await backend.renames?.() : undefined;
  const renamed = renamedBy([session.model.renames, ofFiles], shortNameOf(member), value);
  if (renamed !== undefined)
    return `${shortNameOf(member)} has no value ${quote(value)}: the mapping reads it as ${quote(renamed)}.`;
  const alike = await findValues(session, member, within, [{ member, operator: 'contains', values: [value] }]);
  const common = await findValues(session, member, within);
  const near = didYouMean(value, [...alike, ...common]);
  const others = common.length === 0 ? '' : ` Values are ${quoteSome(common)}.`;
  if (isPropertyName(member) && common.some((each) => /^\[.*\]$/s.test(each)))
    return (
      `${shortNameOf(member)} has no value ${quote(value)}.${others} To compare each value of a list, ` +
      `write ${shortNameOf(member)}[].`
    );
  return `${shortNameOf(member)} has no value ${quote(value)}.${near === undefined ? others : ` ${near}`}`;
}

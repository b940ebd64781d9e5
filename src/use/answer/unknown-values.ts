import { cubeOf, shortNameOf } from '../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalMemberFilter, FilterOperator, Query } from '../../ask/query/query.ts';
import { didYouMean, quoteSome } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Plan } from '../../plan/plan.ts';
import { reachOf } from '../../run/backend.ts';
import type { Settings } from '../config/settings.ts';
import type { Session } from '../workspace/session.ts';

/** Where to look for values. */
interface Within {
  /** Only events of this project; null: of all projects. Defaults to the configured project. */
  readonly project?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of suggested values. */
const mostOffered = 200;

/** Maximum number of values to check. Longer lists were not typed by hand. */
const mostAsked = 20;

/** Returns the most frequent values of a dimension in descending order; none if its cube has no count. */
export async function findValues(
  session: Session,
  member: string,
  within: Within = {},
  filters: readonly CanonicalFilter[] = [],
): Promise<readonly string[]> {
  const cube = session.model.cubes.find(({ name }) => name === cubeOf(member));
  const measure = cube?.measures.find(({ type }) => type === 'count');
  if (!cube || !measure) return [];
  const count = `${cube.name}.${measure.name}`;
  const order = [[count, 'desc']] as const;
  const query = { measures: [count], dimensions: [member], order, limit: mostOffered, filters };
  return ((await valuesOf(session, query, within)) ?? []).filter((value) => value !== '');
}

/**
 * Returns a sentence for each filter text that no row ever has, because figures for a typo look like any others. Values
 * that the answer's own rows prove are not looked up. `isEmpty`: the answer has no rows, or only zeros. Errors of the
 * lookups are ignored.
 */
export async function tellUnknownValues(
  session: Session,
  plan: Plan,
  isEmpty: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  // Further queries to a server or another analysis are expensive.
  const isCheap = reachOf(session.settings.backend.value) === 'local' && !plan.computed;
  if (!isEmpty && !isCheap) return [];
  const unknownProject = isEmpty && isCheap ? await tellUnknownProject(session, plan.project, signal) : undefined;
  if (unknownProject !== undefined) return [unknownProject];
  const within = { project: plan.project, signal };
  const sentences: string[] = [];
  let asked = 0;
  for (const { test, proven } of testsOf(plan.query.filters ?? [])) {
    const { member, operator } = test;
    const values = (test.values ?? []).filter((value): value is string => typeof value === 'string' && value !== '');
    asked += values.length;
    if (values.length === 0 || (proven && !isEmpty) || asked > mostAsked) continue;
    try {
      if (operator === 'equals' || operator === 'notEquals') {
        const known = await valuesOf(
          session,
          { dimensions: [member], filters: [{ ...test, operator: 'equals' }] },
          within,
        );
        for (const value of values)
          if (known && !known.includes(value)) sentences.push(await tellUnknown(session, member, value, within));
      } else if (isEmpty) {
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
};

interface MemberTest {
  readonly test: CanonicalMemberFilter;
  /** Rows of the answer prove that the value exists. */
  readonly proven: boolean;
}

function testsOf(filters: readonly CanonicalFilter[], holds = true): readonly MemberTest[] {
  return filters.flatMap((filter): readonly MemberTest[] => {
    if ('and' in filter) return testsOf(filter.and, holds);
    if ('or' in filter) return testsOf(filter.or, false);
    if (!(filter.operator === 'equals' || filter.operator === 'notEquals' || filter.operator in verbs)) return [];
    return [{ test: filter, proven: holds && filter.operator === 'equals' && filter.values?.length === 1 }];
  });
}

async function tellUnknown(session: Session, member: string, value: string, within: Within): Promise<string> {
  const renamed = renamedIn(session.settings, shortNameOf(member), value);
  if (renamed !== undefined)
    return `${shortNameOf(member)} has no value ${quote(value)}: the mapping in sluice.yaml reads it as ${quote(renamed)}.`;
  const alike = await findValues(session, member, within, [{ member, operator: 'contains', values: [value] }]);
  const common = await findValues(session, member, within);
  const near = didYouMean(value, [...alike, ...common]);
  const others = common.length === 0 ? '' : ` Values are ${quoteSome(common)}.`;
  return `${shortNameOf(member)} has no value ${quote(value)}.${near === undefined ? others : ` ${near}`}`;
}

/** The value that a mapping puts in the place of one that the files have. */
function renamedIn({ columns, sources }: Settings, field: string, value: string): string | undefined {
  const mapped = [columns.value, ...sources.value.map(({ mapping }) => mapping.columns)];
  for (const source of mapped.flatMap((one) => one[field] ?? [])) {
    const values = typeof source === 'object' && 'values' in source ? (source.values ?? {}) : {};
    if (Object.hasOwn(values, value)) return values[value] ?? undefined;
  }
  return undefined;
}

/** Returns the distinct values of a text dimension; undefined if it is not text, or cannot be queried alone. */
async function valuesOf(
  session: Session,
  query: Query,
  { project, signal }: Within,
): Promise<readonly string[] | undefined> {
  const bound = session.bind(query, { project });
  const [plan] = bound.ok ? bound.value : [];
  const [of] = plan?.dimensions ?? [];
  // No row holds the name of a cohort, and binding already reports unknown names.
  if (!plan || of?.dimension.type !== 'string' || of.dimension.cohort) return undefined;
  const result = await session.run(plan, { signal, fill: 'none' });
  return Array.from(result.values(plan.columns[of.column]!.key)).filter((value) => typeof value === 'string');
}

import type { Outcome } from '../../ask/outcome.ts';
import { cubeOf } from '../../ask/query/member-name.ts';
import type { CanonicalFilter, Query } from '../../ask/query/query.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Result } from '../../shape/result/result.ts';

/** Where to look for values. */
export interface Within {
  /** Only events of this project; null: of all projects. Defaults to the configured project. */
  readonly project?: string | null | undefined;
  /** Reference time of relative ranges; see `BindOptions`. */
  readonly asOf?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a session does to look up values. */
export interface Answering {
  readonly model: Model;
  readonly bind: (query: Query, options: Pick<Within, 'project' | 'asOf'>) => Outcome<readonly Plan[]>;
  readonly run: (
    plan: Plan,
    options: { readonly signal?: AbortSignal | undefined; readonly fill: 'none' },
  ) => Promise<Result>;
}

/** Maximum number of suggested values. */
export const mostOffered = 200;

/** Returns the most frequent values of a dimension in descending order; none if its cube has no count. */
export async function findValues(
  session: Answering,
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

/** Returns the distinct values of a text dimension; undefined if it is not text, or cannot be queried alone. */
export async function valuesOf(
  session: Answering,
  query: Query,
  { signal, ...within }: Within,
): Promise<readonly string[] | undefined> {
  const bound = session.bind(query, within);
  const [plan] = bound.ok ? bound.value : [];
  const [of] = plan?.dimensions ?? [];
  // No row holds the name of a cohort, and binding already reports unknown names.
  if (!plan || of?.dimension.type !== 'string' || of.dimension.cohort) return undefined;
  const result = await session.run(plan, { signal, fill: 'none' });
  return Array.from(result.values(plan.columns[of.column]!.key)).filter((value) => typeof value === 'string');
}

import { cubeOf, shortNameOf } from '../../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../../ask/query/query.ts';
import { nearest, offer } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import type { Session } from '../../workspace/session.ts';

/** So many values are offered. */
const mostValues = 200;

/** The commonest values of a dimension, the commonest first; none where nothing can count them. */
export async function findValues(
  session: Session,
  member: string,
  signal: AbortSignal,
  filters: readonly CanonicalFilter[] = [],
): Promise<readonly string[]> {
  const cube = session.model.cubes.find(({ name }) => name === cubeOf(member));
  const measure = cube?.measures.find(({ type }) => type === 'count');
  if (!cube || !measure) return [];
  const count = `${cube.name}.${measure.name}`;
  const bound = session.bind({
    measures: [count],
    dimensions: [member],
    order: [[count, 'desc']],
    limit: mostValues,
    ...(filters.length > 0 && { filters }),
  });
  const [plan] = bound.ok ? bound.value : [];
  if (!plan) return [];
  const result = await session.run(plan, { signal, fill: 'none' });
  return Array.from(result.values(member), (value) => value).flatMap((value) =>
    value === null || value === '' ? [] : [String(value)],
  );
}

/** Sentences about values that the filters of a question without rows name and no row has: the nearest that exists. */
export async function offerNearValues(
  session: Session,
  { filters = [] }: CanonicalQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const filter of filters) {
    if (!('member' in filter) || filter.operator !== 'equals') continue;
    const { member, values = [] } = filter;
    for (const value of values.slice(0, mostOffered)) {
      if (value === null || value === '') continue;
      const alike = await findValues(session, member, signal, [{ member, operator: 'contains', values: [value] }]);
      if (alike.includes(value)) continue;
      const near = nearest(value, [...alike, ...(await findValues(session, member, signal))]);
      if (near !== undefined) sentences.push(`${shortNameOf(member)} has no value ${quote(value)}. ${offer(near)}`);
    }
  }
  return sentences;
}

/** Each costs two questions. */
const mostOffered = 3;

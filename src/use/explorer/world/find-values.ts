import { cubeOf } from '../../../ask/query/member-name.ts';
import type { Session } from '../../session.ts';

/** So many values are offered. */
const mostValues = 200;

/** The commonest values of a dimension, the commonest first; none where nothing can count them. */
export async function findValues(session: Session, member: string, signal: AbortSignal): Promise<readonly string[]> {
  const cube = session.model.cubes.find(({ name }) => name === cubeOf(member));
  const measure = cube?.measures.find(({ type }) => type === 'count');
  if (!cube || !measure) return [];
  const count = `${cube.name}.${measure.name}`;
  const bound = session.bind({ measures: [count], dimensions: [member], order: [[count, 'desc']], limit: mostValues });
  const [plan] = bound.ok ? bound.value : [];
  if (!plan) return [];
  const result = await session.run(plan, { signal, fill: 'none' });
  return Array.from(result.values(member), (value) => value).flatMap((value) => (value === null || value === '' ? [] : [String(value)]));
}

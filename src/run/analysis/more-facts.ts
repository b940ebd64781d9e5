import type { AnswerFacts } from '../backend.ts';

/** The facts with further rows that no figure counts, if there are any, and further missing fields or values. */
export function withMore(
  facts: AnswerFacts,
  { uncounted = [], lacking = [] }: Partial<Pick<AnswerFacts, 'uncounted' | 'lacking'>>,
): AnswerFacts {
  return {
    ...facts,
    uncounted: [...facts.uncounted, ...uncounted.filter(({ rows }) => rows > 0)],
    ...(lacking.length > 0 && { lacking: [...(facts.lacking ?? []), ...lacking] }),
  };
}

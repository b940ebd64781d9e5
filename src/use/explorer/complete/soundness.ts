import { readNotation } from '../../../ask/query/notation/read-notation.ts';
import type { CompletionWorld } from './completion.ts';

/** How many things are wrong with a line for other reasons than that it is not at its end yet. */
export function countMistakes(line: string, { catalog, home }: Pick<CompletionWorld, 'catalog' | 'home'>): number {
  const end = line.trimEnd().length;
  return readNotation(line, { members: catalog, defaultCube: home }).issues
    .filter(({ severity, span, code }) => severity === 'error' && !(span && span.start >= end) && !unfinished.has(code)).length;
}

/** What an open bracket, an open quote or a measure that is still to come says. */
const unfinished: ReadonlySet<string> = new Set(['notation-bracket', 'unclosed-quote', 'nothing-to-rank', 'nothing-asked']);

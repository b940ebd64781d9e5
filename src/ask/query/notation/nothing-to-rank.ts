import { errorIssue, type Issue } from '../../outcome.ts';
import { cubeOf, shortNameOf } from '../member-name.ts';
import type { NameScope } from '../name-scope.ts';
import type { Places } from '../places.ts';
import type { PickNode } from './syntax.ts';

/** The issue about `top 5 pages` in a line without measures. Its hint is the line with a measure. */
export function nothingToRank(pick: PickNode, text: string, dimensions: readonly string[], scope: NameScope, places: Places): Issue {
  const line = withMeasure(pick, text, dimensions, scope, places);
  const hint = line === undefined ? `Write \`limit ${pick.value}\`, or start with a measure.` : `Write \`${line}\`.`;
  return errorIssue('nothing-to-rank', '"top" and "bottom" need a measure to rank by.', { span: pick.span, hint });
}

function withMeasure({ value, direction, clause }: PickNode, text: string, dimensions: readonly string[], scope: NameScope, places: Places): string | undefined {
  const cube = dimensions[0] === undefined ? scope.cube() : cubeOf(dimensions[0]);
  const measure = ['pageViewsCount', 'count'].map((short) => `${cube}.${short}`).find((name) => scope.kindOf(name) === 'measure');
  if (measure === undefined) return undefined;
  const ranked = dimensions.filter((_, index) => {
    const span = places.locate(['dimensions', index]);
    return span && span.start >= clause.start && span.end <= clause.end;
  });
  const parts = [
    cube === scope.cube() ? shortNameOf(measure) : measure,
    text.slice(0, clause.start).trim(),
    ranked.length === 0 ? '' : `by ${ranked.map((name) => (cubeOf(name) === cube ? shortNameOf(name) : name)).join(', ')}`,
    `${direction === 'desc' ? 'top' : 'bottom'} ${value}`,
    text.slice(clause.end).trim(),
  ];
  return parts.filter(Boolean).join(' ');
}

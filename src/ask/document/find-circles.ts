import { type Document, isNode, visit } from 'yaml';
import { errorIssue, type Issue } from '../outcome.ts';
import { toSpan } from './span.ts';

/**
 * The aliases of a document that stand inside what they stand for: `&a [*a]`.
 * An alias only reaches back, so that every circle has one of these.
 */
export function findCircles(document: Document.Parsed, text: string): readonly Issue[] {
  const issues: Issue[] = [];
  visit(document, {
    Alias: (_key, alias, above) => {
      const around = above.filter((node) => isNode(node) && 'anchor' in node && node.anchor === alias.source);
      if (around.length === 0 || !around.some((node) => node === alias.resolve(document))) return;
      const [start, end] = alias.range ?? [0, 0];
      issues.push(errorIssue('yaml-alias', 'This alias leads in a circle: it stands inside of what it stands for.', {
        span: toSpan(text, start, end), hint: 'Write the value out.',
      }));
    },
  });
  return issues;
}

import { type Document, isMap, isNode, isScalar, visit } from 'yaml';
import { errorIssue, type Issue } from '../outcome.ts';
import { toSpan } from './span.ts';

/** Resolving takes time that grows with the square of their number; nobody writes a thousand. */
const mostAliases = 1000;

/**
 * Keys that a mapping has twice, and aliases that stand for nothing or stand inside what they stand for (`&a [*a]`),
 * in one walk over the document. The parser's own search for duplicate keys compares each key with all others.
 */
export function checkNodes(document: Document.Parsed, text: string): readonly Issue[] {
  const issues: Issue[] = [];
  const anchors = new Map<string, unknown>();
  let aliases = 0;
  const complain = (code: string, message: string, range: readonly number[] | null | undefined, hint: string) => {
    const [start = 0, end = start] = range ?? [];
    issues.push(errorIssue(code, message, { span: toSpan(text, start, end), hint }));
  };
  visit(document, {
    Value(_key, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (!isMap(node)) return;
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) complain('duplicate-key', 'This key stands twice in the same mapping.', key.range, 'Keep one of them.');
        seen.add(key.value);
      }
    },
    Alias(_key, alias, above) {
      aliases += 1;
      if (aliases === mostAliases + 1) {
        complain('yaml-alias', `There are more than ${mostAliases} aliases.`, alias.range, 'Write the values out.');
        return visit.BREAK;
      }
      const target = anchors.get(alias.source);
      if (target === undefined) {
        complain('yaml-alias', 'This alias has no anchor.', alias.range, 'An alias `*name` needs `&name` before it.');
      } else if (above.some((node) => isNode(node) && node === target)) {
        complain('yaml-alias', 'This alias leads in a circle: it stands inside of what it stands for.', alias.range, 'Write the value out.');
      }
      return undefined;
    },
  });
  return issues;
}

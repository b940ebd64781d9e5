import type { ConditionNode } from './syntax.ts';
import { type NameReach, takeName } from './parse-name.ts';
import { parseTest, type TestOptions } from './parse-test.ts';
import { describeToken, type TokenReader } from './token-reader.ts';

/** Brackets within brackets, before the line is refused. */
const maxDepth = 50;

/** Conditions joined by `and` and `or`, `and` first; undefined where they cannot be understood, which is then told. */
export function parseCondition(reader: TokenReader, names: NameReach, options: TestOptions, depth = 0): ConditionNode | undefined {
  return parseJoined(reader, 'or', () => parseJoined(reader, 'and', () => parsePart(reader, names, options, depth)));
}

function parseJoined(reader: TokenReader, word: 'and' | 'or', parse: () => ConditionNode | undefined): ConditionNode | undefined {
  const parts: ConditionNode[] = [];
  do {
    const part = parse();
    if (!part) return undefined;
    parts.push(part);
  } while (reader.skip(word));
  return parts.length === 1 ? parts[0] : { kind: word, parts };
}

function parsePart(reader: TokenReader, names: NameReach, options: TestOptions, depth: number): ConditionNode | undefined {
  const token = reader.peek();
  if (reader.skip('(')) {
    if (depth >= maxDepth) return reader.complain('too-deep', 'The brackets are nested too deeply.', undefined, token.span);
    const inner = parseCondition(reader, names, options, depth + 1);
    if (!inner) return undefined;
    if (reader.skip(')')) return inner.kind === 'test' ? inner : { ...inner, grouped: true };
    return reader.complain('notation-bracket', 'This bracket is not closed.', 'Write ")" behind the condition.', token.span);
  }
  if (token.kind !== 'word') {
    return reader.complain('notation-name', `A member is expected here, not ${describeToken(token)}.`, 'Such as `where eventType = pageview`.');
  }
  return parseTest(reader, takeName(reader, names, 'condition'), options);
}

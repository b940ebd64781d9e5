import { type NameReach, startsName, takeName } from './parse-name.ts';
import type { BucketOwner, GroupNode } from './syntax.ts';
import { describeToken, type TokenReader } from './token-reader.ts';
import { isClauseWord, toGranularity } from './words.ts';

/** `by`, and what stands behind it. */
export function parseGroups(reader: TokenReader, names: NameReach, groups: GroupNode[]): boolean {
  const after = nameRightBefore(reader, groups, true);
  reader.take();
  return parseGroupList(reader, names, groups, after);
}

/** Names and buckets that follow each other with a comma, with `and`, or with nothing between them. */
export function parseGroupList(reader: TokenReader, names: NameReach, groups: GroupNode[], owner?: BucketOwner): boolean {
  let after = owner;
  do {
    const token = reader.peek();
    if (token.kind !== 'word' || isClauseWord(token.text)) {
      const message = `A dimension or a bucket of time is expected here, not ${describeToken(token)}.`;
      reader.complain('notation-name', message, 'Such as `by docPath`, or `by day`.');
      return false;
    }
    const granularity = toGranularity(token.text);
    if (granularity) {
      reader.take();
      groups.push({ kind: 'bucket', granularity, span: token.span, after });
    } else takeGroup(reader, names, groups);
    after = undefined;
  } while (reader.skip(',') || reader.skip('and') || startsName(reader, names));
  return true;
}

/** A bucket that no `by` stands before: `daily`, or `day` behind a name. */
export function parseBucket(reader: TokenReader, names: NameReach, groups: GroupNode[]): boolean {
  const token = reader.peek();
  const granularity = toGranularity(token.text);
  if (!granularity) return false;
  groups.push({ kind: 'bucket', granularity, span: token.span, after: nameRightBefore(reader, groups, false) });
  reader.take();
  while (startsName(reader, names)) takeGroup(reader, names, groups);
  return true;
}

function takeGroup(reader: TokenReader, names: NameReach, groups: GroupNode[]): void {
  const name = takeName(reader, names);
  groups.push({ kind: 'name', name, next: reader.position() });
}

/** The name that ends where the reader stands: a bucket that follows may belong to it. */
function nameRightBefore(reader: TokenReader, groups: readonly GroupNode[], joined: boolean): BucketOwner | undefined {
  const last = groups.at(-1);
  return last?.kind === 'name' && last.next === reader.position() ? { group: groups.length - 1, joined } : undefined;
}

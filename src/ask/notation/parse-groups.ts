import {
  clauseNameAhead,
  isClauseNameAlone,
  type NameReach,
  startsName,
  takeName,
  timePartAhead,
} from './parse-name.ts';
import { skipComma } from './parse-range.ts';
import type { BucketOwner, GroupNode } from './syntax.ts';
import type { Token, TokenReader } from './tokens.ts';
import { isClauseWord, toGranularity } from './words.ts';

/** Parses `by` and its groups. */
export function parseGroups(reader: TokenReader, names: NameReach, groups: GroupNode[]): boolean {
  const after = nameRightBefore(reader, groups, true);
  reader.take();
  return parseGroupList(reader, names, groups, after);
}

/** Parses names and buckets, separated by commas, by `and`, or not at all. */
export function parseGroupList(
  reader: TokenReader,
  names: NameReach,
  groups: GroupNode[],
  owner?: BucketOwner,
): boolean {
  let after = owner;
  do {
    const token = reader.peek();
    if (!mayBeName(token) && clauseNameAhead(reader) === 0 && !isClauseNameAlone(reader)) {
      const next = reader.peek(1);
      const hint =
        token.kind === 'word' && next.kind === 'word'
          ? `Quote a name of several words: \`by "${token.text} ${next.text}"\`.`
          : 'Write, for example, `by docPath` or `by day`.';
      reader.miss('notation-name', 'A dimension or a granularity', hint);
      return false;
    }
    const granularity = token.kind === 'text' || timePartAhead(reader) ? undefined : toGranularity(token.text);
    if (granularity) {
      takeBucket(reader, names, groups, { granularity, after });
    } else takeGroup(reader, names, groups);
    after = undefined;
  } while (skipComma(reader) || reader.skip('and') || startsName(reader, names));
  return true;
}

/** Parses a bucket without `by`: `daily`, or `day` after a name. */
export function parseBucket(reader: TokenReader, names: NameReach, groups: GroupNode[]): boolean {
  const token = reader.peek();
  const granularity = toGranularity(token.text);
  if (!granularity) return false;
  takeBucket(reader, names, groups, { granularity, after: nameRightBefore(reader, groups, false) });
  while (startsName(reader, names)) takeGroup(reader, names, groups);
  return true;
}

/** Takes `day`, or `day of finished_at`. */
function takeBucket(
  reader: TokenReader,
  names: NameReach,
  groups: GroupNode[],
  { granularity, after }: Pick<Extract<GroupNode, { kind: 'bucket' }>, 'granularity' | 'after'>,
): void {
  const { span } = reader.take();
  if (!reader.isWord('of') || !mayBeName(reader.peek(1)) || toGranularity(reader.peek(1).text) !== undefined) {
    groups.push({ kind: 'bucket', granularity, span, after });
    return;
  }
  reader.take();
  takeGroup(reader, names, groups);
  groups.push({ kind: 'bucket', granularity, span, after: { group: groups.length - 1, joined: true, of: true } });
}

function takeGroup(reader: TokenReader, names: NameReach, groups: GroupNode[]): void {
  const name = takeName(reader, names, 'list');
  groups.push({ kind: 'name', name, next: reader.position() });
}

/** The name that ends directly before the next token: a bucket that follows may belong to it. */
function nameRightBefore(reader: TokenReader, groups: readonly GroupNode[], joined: boolean): BucketOwner | undefined {
  const last = groups.at(-1);
  return last?.kind === 'name' && last.next === reader.position() ? { group: groups.length - 1, joined } : undefined;
}

/** Whether a token can begin a name in a list. */
export function mayBeName({ kind, text }: Token): boolean {
  return kind === 'text' || (kind === 'word' && !isClauseWord(text));
}

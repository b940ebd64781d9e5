import { errorIssue, type Issue } from '../outcome.ts';
import { isDayOrInstant, parseEarlier, parseRange, startsRange } from './parse-range.ts';
import type { RangeNode } from './syntax.ts';
import type { TokenReader } from './tokens.ts';

/** Parses the ranges after `compare` into `ranges`. `ends`: whether another clause begins with the next word. */
export function parseComparison(
  reader: TokenReader,
  ranges: RangeNode[],
  ends: (reader: TokenReader) => boolean = () => false,
): boolean {
  const isWith = ranges.length === 0 && (reader.skip('with') || reader.skip('to'));
  do {
    if (reader.isWord('the') && startsRange(reader, 1)) reader.take();
    const range =
      parseEarlier(reader) ?? parseDayToDay(reader, ranges.length > 0) ?? parseRange(reader, { isCompared: true });
    if (!range) return false;
    ranges.push(isWith ? { ...range, earlier: true } : range);
  } while (!ends(reader) && ['with', 'vs', 'versus', 'to', 'and', ','].some((word) => reader.skip(word)));
  // A single range is compared with the previous one.
  const [only, ...others] = ranges;
  if (only && !only.earlier && others.length === 0) ranges.push({ range: 'previous', span: only.span });
  return true;
}

/**
 * Parses `2024-03-04 to 2024-03-10 with …`. The two days form one range if another range follows or precedes them.
 * Otherwise, they are compared with each other.
 */
function parseDayToDay(reader: TokenReader, isLater: boolean): RangeNode | undefined {
  const [from, to, until, next] = [0, 1, 2, 3].map((ahead) => reader.peek(ahead).text);
  if (!isDayOrInstant(from ?? '') || !/^to$/i.test(to ?? '') || !isDayOrInstant(until ?? '')) return undefined;
  if (!isLater && !/^(?:with|vs|versus)$/i.test(next ?? '')) return undefined;
  const first = reader.take();
  reader.take();
  reader.take();
  return { range: [from!, until!], span: reader.spanFrom(first) };
}

/** The ranges of a line: the one to ask for, or those to compare. Reports a missing range, and one too many. */
export function resolveRanges(
  own: RangeNode | undefined,
  compared: readonly RangeNode[],
  report: (issue: Issue) => void,
): { readonly range: RangeNode | undefined; readonly compare: readonly RangeNode[] } {
  const [first] = compared;
  if (!first) return { range: own, compare: [] };
  if (first.earlier) {
    if (own) return { range: undefined, compare: [own, ...compared] };
    report(
      errorIssue('no-range', 'Without a range there is nothing to compare with.', {
        span: first.span,
        hint: 'Add a range, such as `last 7 days compare previous`.',
      }),
    );
  } else if (own) {
    report(
      errorIssue('two-ranges', 'The line has more than one time range.', {
        span: own.span,
        hint: 'Keep one of them, or compare them with `compare … with …`.',
      }),
    );
    return { range: own, compare: compared };
  }
  return { range: undefined, compare: compared };
}

import { nearestHint } from '../document/word-issue.ts';
import { errorIssue, type Issue } from '../outcome.ts';
import { granularities } from '../time/granularity.ts';
import { type FlagPart, type FlagValue, splitAtColon } from './flag-line.ts';
import type { NameScope, ResolvedName } from './name-scope.ts';
import { warnOfStars } from './notation/literal-stars.ts';
import { parseCondition } from './notation/parse-condition.ts';
import { toConjunction } from './notation/parse-notation.ts';
import { isDayOrInstant, parseRange, startsRange } from './notation/parse-range.ts';
import { quoteHint } from './notation/parse-test.ts';
import { resolveCondition } from './notation/resolve-condition.ts';
import { readTokens } from './notation/token-reader.ts';
import { tokenize } from './notation/tokenize.ts';
import { toGranularity } from './notation/words.ts';
import type { Places } from './places.ts';
import type { DateRangeText, Filter, OrderPair, TimeDimension } from './query.ts';
import { quote } from '../quote.ts';

/** What reading a flag's value needs; every issue goes into `issues` or the scope's. */
export interface FlagContext {
  readonly scope: NameScope;
  readonly places: Places;
  readonly issues: Issue[];
}

export type TimeFlag = Pick<TimeDimension, 'dimension' | 'granularity'>;

/** `utcTime:day`, `utcTime.day`, `utcTime`, or `day` for the cube's usual time. */
export function readTimeFlag(value: FlagValue, { scope, issues }: FlagContext): TimeFlag | undefined {
  const { name, option } = splitAtColon(value);
  const granularity = option && toGranularity(option.text);
  if (option && !granularity) issues.push(unknown('unknown-granularity', 'granularity', option, granularities));
  const bare = option ? undefined : toGranularity(name.text);
  const found: ResolvedName | undefined = bare ? { name: scope.timeMember(), kind: 'time', granularity: bare } : scope.resolve(name, 'group');
  return found && { dimension: found.name, granularity: granularity ?? found.granularity };
}

/** `count:desc`, `day`, `utcTime.day:asc`. A bucket stands for the time of the query that is cut so. */
export function readOrderFlag(value: FlagValue, times: readonly TimeFlag[], { scope, issues }: FlagContext): OrderPair | undefined {
  const { name, option } = splitAtColon(value);
  const direction = option?.text.toLowerCase() ?? 'asc';
  if (option && direction !== 'asc' && direction !== 'desc') issues.push(unknown('unknown-direction', 'direction', option, ['desc', 'asc']));
  const bucket = toGranularity(name.text);
  const dimension = times.find(({ granularity }) => granularity === bucket)?.dimension ?? scope.timeMember();
  const found: ResolvedName | undefined = bucket ? { name: dimension, kind: 'time', granularity: bucket } : scope.resolve(name);
  return found && [found.granularity ? `${found.name}.${found.granularity}` : found.name, direction === 'desc' ? 'desc' : 'asc'];
}

/** A whole number from 0. */
export function readNumberFlag(value: FlagValue, { issues }: FlagContext): number | undefined {
  const number = Number(value.text);
  if (/^\d+$/.test(value.text) && Number.isSafeInteger(number)) return number;
  issues.push(errorIssue('not-a-number', `\`${value.flag}\` takes a whole number, not ${quote(value.text)}.`, { span: value.span, hint: `Such as \`${value.flag} 10\`.` }));
  return undefined;
}

/** Two days or instants (`A..B`, `A,B`, `from A to B`) are a pair; everything else is a phrase, and read when the query is bound. */
export function readRangeFlag(value: FlagValue, { issues }: FlagContext): DateRangeText {
  const ends = value.text.split(/\.\.|,/).map((end) => end.trim());
  const [from, to] = ends;
  if (from !== undefined && to !== undefined && ends.length === 2 && ends.every(isDayOrInstant)) return [from, to];
  if (value.text.trim() === '') {
    const hint = 'Such as `last 7 days`, `2024-03`, or `2024-03-01..2024-03-31`.';
    issues.push(errorIssue('empty-range', 'The range is empty.', { span: value.span, hint }));
  }
  const reader = readTokens(value.line, tokenize(value.line, value.span.start).tokens, []);
  const parsed = startsRange(reader) ? parseRange(reader) : undefined;
  return parsed && reader.peek().kind === 'end' && typeof parsed.range !== 'string' ? parsed.range : value.text.trim();
}

/**
 * `docPath = /a or docPath equals /b /c`: as behind `where` in a line, but that an operator's name takes several values.
 * `first` is the index of the first filter in the query.
 */
export function readWhereFlag(value: FlagValue, first: number, { scope, places, issues }: FlagContext): readonly Filter[] {
  const { tokens, issues: found } = tokenize(value.line, value.span.start);
  const reader = readTokens(value.line, tokens, found);
  const condition = parseCondition(reader, scope, { manyValues: true });
  const rest = reader.peek();
  if (condition && rest.kind !== 'end') {
    reader.complain('notation-unexpected', `${quote(rest.text)} is not expected behind the condition.`, quoteHint);
  }
  issues.push(...reader.issues);
  if (!condition || reader.issues.length > 0) return [];
  issues.push(...warnOfStars([condition]));
  return toConjunction(condition).flatMap((node, index) => resolveCondition(node, ['filters', first + index], scope, places) ?? []);
}

function unknown(code: string, what: string, { text, span }: FlagPart, allowed: readonly string[]): Issue {
  return errorIssue(code, `${quote(text)} is no ${what}.`, { span, hint: nearestHint(text, allowed) });
}

import { attachSpans, type Located, openPlaces, toSpan } from '../document/located.ts';
import { bad, errorIssue, type Issue, sayIssue, settle } from '../outcome.ts';
import type { MemberCatalog } from '../query/member-catalog.ts';
import { defaultCube } from '../query/member-name.ts';
import type { Query } from '../query/query.ts';
import { openScope } from './name-scope.ts';
import { warnOfStars } from './parse-condition.ts';
import { parseNotation } from './parse-notation.ts';
import { resolveNotation } from './resolve-notation.ts';
import { looksLikeSql, questionOfSql } from './sql-question.ts';
import { readTokens, tokenize } from './tokens.ts';

/** How to read names in a question. */
export interface NotationOptions {
  /** The cube of short names; defaults to `TrackedEvents`. */
  readonly defaultCube?: string | undefined;
  /** The names that exist. Without it, every name is accepted. */
  readonly members?: MemberCatalog | undefined;
}

/**
 * Reads a question in one line:
 *
 * ```
 * pageViewsCount by docPath day last 30 days where eventType = pageview top 10
 * uniqueUsersCount by day from 2024-03-01 to 2024-03-31 in Europe/Berlin
 * Sessions.count by agentName where (osName = Linux or osName ^= Mac) and averageDurationMinutes > 2
 *   order by count desc limit 5
 * count compare this month with last month
 * count / uniqueUsersCount as eventsPerUser, uniqueUsersCount rolling 28 days by day last 90 days
 * (count where eventType = purchase) / (count where eventType = pageview) as rate by week
 * count by docPath last 7 days compare with previous top 5 with other
 * events where eventType = purchase last 7 days
 * raw events docPath, userId today limit 50
 * ```
 *
 * Measures and formulas come first, then clauses in any order: `by`, a range of time, `where`, `segment`, `top`,
 * `bottom`, `order by`, `limit`, `offset`, `in` a time zone, `compare`. Short names belong to the cube of the first
 * measure, and may be written as people say them (`page views per day`). `events where` and `raw events` list raw rows,
 * latest first. Returns all issues with their places in the line; `locate` finds the parts of the query in it. Never
 * throws.
 */
export function readNotation(text: string, options: NotationOptions = {}): Located<Query> {
  const { tokens, issues } = tokenize(text);
  const reader = readTokens(text, tokens, issues);
  const scope = openScope(options.defaultCube ?? defaultCube, options.members);
  const places = openPlaces(toSpan(text, 0, text.length));
  const syntax = parseNotation(reader, scope);
  const resolved = resolveNotation(syntax, text, scope, places);
  const all = attachSpans(
    [
      ...reader.issues,
      ...scope.issues,
      ...(reader.issues.length === 0 ? resolved.issues : []),
      ...warnOfStars(syntax.conditions),
    ],
    places.locate,
  );
  const read = settle(resolved.query, all);
  const told = read.ok || !looksLikeSql(text) ? read : bad([sqlIssue(text, options)]);
  return { ...told, source: text, file: undefined, locate: places.locate };
}

/** Offers the line that asks the same. `name` is the first unknown name in it. */
function sqlIssue(text: string, options: NotationOptions): Issue {
  const line = questionOfSql(text);
  const read = line === undefined ? undefined : readNotation(line, options);
  const wrong = read?.issues.find(({ severity }) => severity === 'error');
  const hint =
    line === undefined
      ? 'Write the figures, then clauses: `count, sum(amount) by plan where eventType = signup last 30 days`.'
      : wrong
        ? `Write \`${line}\`, with names that exist. ${sayIssue(wrong)}`
        : `Did you mean "${line}"?`;
  return errorIssue('notation-sql', 'This is SQL. Questions have a notation of their own.', {
    span: toSpan(text, 0, text.length),
    hint,
    name: wrong?.name,
  });
}

/** Whether a text of unknown form is one line of notation: neither a mapping or list in YAML or JSON, nor a comment. */
export function looksLikeNotation(text: string): boolean {
  const line = text.replace(/^\ufeff/, '').trim();
  return line !== '' && !/[\r\n]/.test(line) && !/^[{[#&*!|>%-]|^(?:[^\s:]+|"[^"]*"|'[^']*')\s*:(?:\s|$)/.test(line);
}

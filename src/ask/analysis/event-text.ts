import { readQueryFlags } from '../notation/read-flags.ts';
import { bad, errorIssue, good, type Outcome } from '../outcome.ts';
import { defaultCube } from '../query/member-name.ts';
import type { Filter } from '../query/query.ts';
import type { Matching } from './event-match.ts';

/**
 * Events in one line: a type (`signup`, or `any`), or a page's path, `*` for any text in it (`/docs/*`), and behind
 * `where` a condition as in a question (`pageview where docPath ^= /docs and agentName = Firefox`). Names are looked up
 * when the definition is bound. Spans point into the text.
 */
export function readEventText(text: string): Outcome<Matching> {
  const [, named = '', condition] = /^(.*?)(?:(?:^|\s+)where\s+(.*))?$/is.exec(text.trim()) ?? [];
  if (named === '')
    return bad([
      errorIssue('no-events', 'This does not say which events count.', {
        hint: 'Name a type of event, or a path: `signup`, `any where docHost = a.example.com`, `/cart`.',
      }),
    ]);
  const events = named.startsWith('/') ? { any_of: [named] } : { event: named };
  if (condition === undefined) return good(events);
  const filter = readConditionText(condition);
  return filter.ok ? good({ ...events, where: [filter.value] }, filter.issues) : filter;
}

/** A condition on events in one line, as behind `where` in a question: `docHost = a.example.com`. */
export function readConditionText(text: string): Outcome<Filter> {
  const read = readQueryFlags({ where: [text] }, { over: { measures: [`${defaultCube}.count`] } });
  if (!read.ok) return bad(read.issues);
  const filters = read.value.filters ?? [];
  const [only] = filters;
  return good(only && filters.length === 1 ? only : { and: filters }, read.issues);
}

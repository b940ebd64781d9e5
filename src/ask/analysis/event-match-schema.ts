import { z } from 'zod';
import { filterSchema } from '../query/query-schema.ts';
import { quote } from '../text.ts';
import type { EventMatch, PathTarget } from './event-match.ts';

export const pageView = 'pageview';

export interface Matching {
  readonly target?: string | undefined;
  readonly any_of?: readonly string[] | undefined;
  readonly where?: EventMatch['where'] | undefined;
}

/** `any_of` stands in for `target`, which the platform reads. */
export function toMatch({ target, any_of: anyOf, where = [] }: Matching, event: string): EventMatch {
  const exact = target === undefined ? [] : [{ path: target, isPattern: false }];
  return { event: event === 'any' ? undefined : event, targets: anyOf?.map(toTarget) ?? exact, where };
}

function toTarget(path: string): PathTarget {
  return { path, isPattern: path.includes('*') };
}

export const target = z.string().check((context) => {
  const fault = targetFault(context.value);
  if (fault !== undefined)
    context.issues.push({ code: 'custom', input: context.value, message: fault, params: { code: 'not-a-path' } });
});

/** What is wrong with a target, and below it what to do; undefined where it is a path. */
function targetFault(text: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(text);
  if (url) return `A target is a path, not a full URL.\nWrite only the path: ${quote(url[1] || '/')}.`;
  if (text.trim() !== text)
    return `A target must match exactly, and this one has a space at its ${text.trimStart() === text ? 'end' : 'start'}.\nRemove the space.`;
  if (!text.startsWith('/')) return `A target is a path and begins with a slash.\nWrite ${quote(`/${text}`)}.`;
  const part = /[?#]/.exec(text)?.[0];
  if (part !== undefined)
    return `A target is only a path, without ${quote(part)} and what follows it.\nWrite ${quote(text.slice(0, text.indexOf(part)))}.`;
  return undefined;
}

export const targets = z
  .array(target)
  .min(1)
  .describe('Any of these paths; * matches any text without a slash, ** any text.');
export const event = z.string().min(1).describe('The event type, such as link_click; any for every type.');
export const where = z
  .array(filterSchema)
  .describe('Only events that match all of these filters, written as in a query.');

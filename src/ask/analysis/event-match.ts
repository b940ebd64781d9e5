import { z } from 'zod';
import type { Filter } from '../query/query.ts';
import { bad, badWith, good, type Outcome } from '../outcome.ts';
import { filterSchema, memberSchema } from '../query/query-schema.ts';
import { quote } from '../text.ts';
import { readQueryFlags } from '../notation/read-flags.ts';
import { defaultCube, isShortName, readCohortMember, readColumn } from '../query/member-name.ts';
import { isPlainObject } from '../document/check-argument.ts';
import { tooDeepPath } from '../document/depth.ts';

/** Selects events that have the type, one of the paths, and match all filters. */
export interface EventMatch {
  /** Value of `eventType`; undefined for any type. */
  readonly event: string | undefined;
  /** An event must match one of these. Empty for any path. */
  readonly targets: readonly PathTarget[];
  readonly where: readonly Filter[];
}

/** An exact path, or a pattern: `*` matches any text without a slash, `**` matches any text. */
export interface PathTarget {
  readonly path: string;
  readonly isPattern: boolean;
}

/** An event match as written in a file. `any_of` overrides `target`, which the platform reads. */
export interface Matching {
  /** `any` for every type. */
  readonly event?: string | undefined;
  readonly target?: string | undefined;
  readonly any_of?: readonly string[] | undefined;
  readonly where?: readonly Filter[] | undefined;
}

/**
 * Reads events in one line: a type (`signup`, or `any`), or a page path or pattern (`/docs/*`). `where` adds a
 * condition as in a query (`pageview where docPath ^= /docs and agentName = Firefox`). Names are resolved when the
 * definition is bound. Spans point into the text.
 */
function readEventText(text: string): Outcome<Matching> {
  const [, named = '', condition] = /^(.*?)(?:(?:^|\s+)where\s+(.*))?$/is.exec(text.trim()) ?? [];
  if (named === '')
    return badWith('no-events', 'This does not say which events count.', {
      hint: 'Name a type of event, or a path: `signup`, `any where docHost = a.example.com`, `/cart`.',
    });
  const isPlace = named.startsWith('/') || /^[a-z][a-z0-9+.-]*:\/\//i.test(named);
  const events = isPlace ? { any_of: [named] } : { event: named };
  if (condition === undefined) return good(events);
  const filter = readConditionText(condition);
  return filter.ok ? good({ ...events, where: [filter.value] }, filter.issues) : filter;
}

/** Reads a condition on events, as after `where` in a query: `docHost = a.example.com`. */
export function readConditionText(text: string): Outcome<Filter> {
  const read = readQueryFlags({ where: [text] }, { over: { measures: [`${defaultCube}.count`] } });
  if (!read.ok) return bad(read.issues);
  const filters = (read.value.filters ?? []).map(ofCohorts);
  const [only] = filters;
  return good(only && filters.length === 1 ? only : { and: filters }, read.issues);
}

/** Writes cohort members as full names, so that `cohort = NAME` works as in questions. */
function ofCohorts(filter: Filter): Filter {
  if ('or' in filter) return { or: filter.or.map(ofCohorts) };
  if ('and' in filter) return { and: filter.and.map(ofCohorts) };
  const { cube = defaultCube, member } = readCohortMember(filter.member) ?? {};
  return member === undefined ? filter : { ...filter, member: `${cube}.${member}` };
}

export const pageView = 'pageview';

/** Converts a written match. `event` sets its type; the type in the match is ignored. */
export function toMatch({ target, any_of: anyOf, where = [] }: Matching, event: string): EventMatch {
  const exact = target === undefined ? [] : [{ path: target, isPattern: false }];
  return { event: event === 'any' ? undefined : event, targets: anyOf?.map(toTarget) ?? exact, where };
}

function toTarget(path: string): PathTarget {
  return { path, isPattern: path.includes('*') };
}

/** The full name of a dimension of events, of a cohort, or of a column by its own name. Other names stay. */
function toEventMember(name: string): string {
  const { cube = defaultCube, member = '' } = readCohortMember(name) ?? {};
  if (member.includes('.')) return `${cube}.${member}`;
  const own = readColumn(name)?.property ?? name;
  return isShortName(own) ? `${defaultCube}.${own}` : own;
}

/** A dimension of events, or a column by its own name, with or without its cube. */
export const eventDimension = z.string().transform(toEventMember).pipe(memberSchema);

/** See `Followed`. */
export const follow = eventDimension
  .optional()
  .describe('A dimension whose values are followed in place of users, such as props.company.');

/** A filter as in a query. Its members may be named as `eventDimension`. */
export const eventFilter = z.preprocess(withEventMembers, filterSchema);

function withEventMembers(filter: unknown): unknown {
  if (!isPlainObject(filter) || tooDeepPath(filter)) return filter;
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) => {
      if (key === 'and' || key === 'or') return [key, Array.isArray(value) ? value.map(withEventMembers) : value];
      const isName = (key === 'member' || key === 'dimension') && typeof value === 'string';
      return [key, isName ? toEventMember(value) : value];
    }),
  );
}

export const target = z.string().check((context) => {
  const fault = targetFault(context.value);
  if (fault !== undefined)
    context.issues.push({ code: 'custom', input: context.value, message: fault, params: { code: 'not-a-path' } });
});

/** Describes the error in a target, with a hint on a second line; undefined if the target is a valid path. */
function targetFault(text: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(text);
  if (url) return `A target is a path, not a full URL.\nWrite only the path: ${quote(url[1] || '/')}.`;
  if (text.trim() !== text)
    return (
      'A target must match exactly, and this one has a space at its ' +
      (text.trimStart() === text ? 'end' : 'start') +
      '.\nRemove the space.'
    );
  if (!text.startsWith('/')) return `A target is a path and begins with a slash.\nWrite ${quote(`/${text}`)}.`;
  const part = /[?#]/.exec(text)?.[0];
  if (part !== undefined)
    return (
      `A target is only a path, without ${quote(part)} and what follows it.\n` +
      `Write ${quote(text.slice(0, text.indexOf(part)))}.`
    );
  return undefined;
}

export const targets = z
  .array(target)
  .min(1)
  .describe('Any of these paths; * matches any text without a slash, ** any text.');
export const event = z.string().min(1).describe('The event type, such as link_click; any for every type.');

/** Text that another reader parses; the schema reports the reader's errors as its own. */
function textOf(read: (text: string) => Outcome<unknown>, example: string) {
  return z
    .string()
    .check((context) => {
      for (const { code, message, hint, severity } of read(context.value).issues)
        if (severity === 'error')
          context.issues.push({
            code: 'custom',
            input: context.value,
            message: hint === undefined ? message : `${message}\n${hint}`,
            params: { code },
          });
    })
    .describe(example);
}

const condition = textOf(
  readConditionText,
  'A condition as in a question, such as docHost = www.example.com.',
).transform((text) => {
  const read = readConditionText(text);
  return read.ok ? read.value : z.NEVER;
});

export const where = z
  .array(z.union([condition, eventFilter]))
  .describe('Only events that match all of these: filters as in a query, or conditions as in a one-line query.');

/** Events in one line. */
export const eventText = textOf((text) => {
  const read = readEventText(text);
  const path = read.ok ? read.value.any_of?.[0] : undefined;
  const fault = path === undefined ? undefined : targetFault(path);
  if (fault === undefined) return read;
  const [message = '', hint] = fault.split('\n', 2);
  return badWith('not-a-path', message, { hint });
}, 'Events in one line: signup, any, /cart, or pageview where docPath ^= /docs.').transform((text): Matching => {
  const read = readEventText(text);
  return read.ok ? read.value : z.NEVER;
});

import { z } from 'zod';
import { heading } from '../activity/activity-schema.ts';
import { event, eventFilter, pageView, target, targets, toMatch, where } from '../analysis/event-match.ts';
import { toDefinitionSlug } from '../analysis/definition-slug.ts';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import { good, type IssuePath } from '../outcome.ts';
import type { Cohort, CohortDid, CohortRule } from './cohort.ts';

const during = z
  .union([z.string(), z.tuple([z.string(), z.string()])])
  .describe(
    'A time range as in queries, such as last 30 days, 2026-09 or [2026-09-01, 2026-09-14]. ' +
      'Phrases are relative to the reference time of the query.',
  );

const times = z.int().min(0);

const did = z
  .strictObject({
    event: event.optional(),
    target: target.optional().describe('The exact path of the page, such as /cart.'),
    any_of: targets.optional(),
    where: where.optional(),
    at_least: times.optional().describe('The minimum number of times (default: 1).'),
    at_most: times.optional().describe('The maximum number of times. Includes users who never did it.'),
    exactly: times.optional().describe('The exact number of times; 0 for users who never did it.'),
    during: during.optional(),
  })
  .check(({ value, issues }) => {
    const counts = counters.filter((key) => value[key] !== undefined);
    if (counts.length > 1)
      issues.push({
        code: 'custom',
        input: value,
        path: [counts[1]!],
        message:
          `"${counts[0]}" and "${counts[1]}" cannot be used together.\n` +
          'Put two conditions under "all": one with each.',
        params: { code: 'two-counts' },
      });
  })
  .describe('Which events users did, page views by default, and how often.');

const counters = ['at_least', 'at_most', 'exactly'] as const;

const rules = z.array(z.lazy((): z.ZodType<RuleInFile> => rule)).min(1);

const setKeys = ['all', 'any', 'except'] as const;
const conditionKeys = ['did', 'has', 'first_seen', 'reached', 'cohort'] as const;

interface RuleInFile {
  readonly all?: readonly RuleInFile[] | undefined;
  readonly any?: readonly RuleInFile[] | undefined;
  readonly except?: readonly RuleInFile[] | undefined;
  readonly did?: z.infer<typeof did> | undefined;
  readonly has?: z.infer<typeof eventFilter> | undefined;
  readonly first_seen?: { readonly during: z.infer<typeof during> } | undefined;
  readonly reached?: z.infer<typeof reached> | undefined;
  readonly cohort?: string | undefined;
}

const reached = z
  .strictObject({
    funnel: z.string().min(1).describe('The name of a funnel.'),
    step: z
      .union([z.string(), z.int().min(1)])
      .optional()
      .describe('Name or number of the step; the last one by default.'),
    during: during.optional(),
  })
  .describe('Users who reached the step of a funnel.');

const rule: z.ZodType<RuleInFile> = z
  .strictObject({
    all: rules.optional().describe('Users who match all of these.'),
    any: rules.optional().describe('Users who match at least one of these.'),
    except: rules.optional().describe('Leaves out users who match any of these.'),
    did: did.optional(),
    has: eventFilter.optional().describe('Users with an event that matches this filter, written as in a query.'),
    first_seen: z.strictObject({ during }).optional().describe('Users whose first event of any kind lies in a range.'),
    reached: reached.optional(),
    cohort: z.string().min(1).optional().describe('Users of another cohort.'),
  })
  .check(({ value, issues }) => {
    const conditions = conditionKeys.filter((key) => value[key] !== undefined);
    const sets = setKeys.filter((key) => value[key] !== undefined);
    const refuse = (code: string, message: string, path: readonly string[]) =>
      issues.push({ code: 'custom', input: value, path: [...path], message, params: { code } });
    const [first, second] = [...conditions, ...sets];
    // An unknown key is probably a typo of a condition.
    if (first === undefined && issues.length === 0)
      refuse('no-condition', `A condition is missing.\nWrite one of ${[...conditionKeys, ...setKeys].join(', ')}.`, []);
    else if (conditions.length > 0 && second !== undefined)
      refuse(
        'two-conditions',
        `"${first}" and "${second}" cannot be used in one condition.\n` +
          'Put each in a separate entry under "all" or "any".',
        [second],
      );
  })
  .meta({ id: 'condition', description: 'Which users belong.' });

const cohortSchema = z
  .strictObject({ ...heading, cohort: rule })
  .meta({ title: 'Cohort file', description: 'A named set of users, to filter and split by.' });

function toRule(written: RuleInFile, path: IssuePath): CohortRule {
  if (written.did) return { path: [...path, 'did'], ...toDid(written.did) };
  if (written.has)
    return {
      path: [...path, 'has'],
      kind: 'did',
      match: { event: undefined, targets: [], where: [written.has] },
      times: { operator: '>=', events: 1 },
      during: undefined,
    };
  if (written.first_seen)
    return { path: [...path, 'first_seen'], kind: 'first_seen', during: written.first_seen.during };
  if (written.reached) {
    const { funnel, step, during: range } = written.reached;
    return { path: [...path, 'reached'], kind: 'reached', funnel: toDefinitionSlug(funnel), step, during: range };
  }
  if (written.cohort !== undefined)
    return { path: [...path, 'cohort'], kind: 'cohort', name: toDefinitionSlug(written.cohort) };
  const nested = (key: (typeof setKeys)[number]) =>
    (written[key] ?? []).map((one, index) => toRule(one, [...path, key, index]));
  return { path, kind: 'group', all: nested('all'), any: nested('any'), except: nested('except') };
}

function toDid(written: z.infer<typeof did>): CohortDid {
  const { at_most: most, exactly, at_least: least = 1 } = written;
  const count =
    most !== undefined
      ? ({ operator: '<=', events: most } as const)
      : exactly !== undefined
        ? ({ operator: '=', events: exactly } as const)
        : ({ operator: '>=', events: least } as const);
  return { kind: 'did', match: toMatch(written, written.event ?? pageView), times: count, during: written.during };
}

const form: DefinitionForm<z.infer<typeof cohortSchema>, Cohort> = {
  noun: 'cohort',
  example: 'power_users',
  schema: cohortSchema,
  toDefinition: ({ title, cohort }, name) => good({ name, title, rule: toRule(cohort, ['cohort']) }),
};

/** Reads cohort files, `{cohort: {did: …}}`. */
export const cohortReader: DefinitionReader<Cohort> = toDefinitionReader(form);

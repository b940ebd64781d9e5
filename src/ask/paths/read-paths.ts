import { z } from 'zod';
import { heading } from '../activity/activity-schema.ts';
import { eventDimension, pageView, where } from '../analysis/event-match.ts';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import { errorIssue, type Issue, settle } from '../outcome.ts';
import { quote } from '../text.ts';
import { occursIn, type PathAnchor, type Paths, type StepName, withoutTrailingSlash } from './paths.ts';

const name = z.string().min(1);
const point = name.describe('The name of a step, such as /cart.');

const pathsSchema = z
  .strictObject({
    ...heading,
    paths: z.strictObject({
      events: z
        .array(name)
        .min(1)
        .optional()
        .describe(
          'Types of events that are steps, such as [pageview, link_click]; [any] for all. ' +
            'Default [pageview], or [any] if step is event.',
        ),
      where: where.optional(),
      step: z
        .union([z.enum(['page', 'event']), eventDimension], {
          error: '"step" must be page, event, or a dimension such as pageTitle.',
        })
        .optional()
        .describe(
          'What steps are called: page (default; ' +
            'page views by path, other events by name), event (the name of the event), or a dimension.',
        ),
      groups: z
        .array(name)
        .optional()
        .describe('Steps whose name contains one of these patterns become one step; * stands for any text.'),
      exclude: z.array(name).optional().describe('Steps to leave out, by name, after grouping.'),
      session_gap_minutes: z
        .number()
        .positive()
        .max(525_600)
        .optional()
        .describe('The number of minutes without a step after which a session ends (default: 30).'),
      from: point.optional().describe('Paths begin at the first step of this name. Sessions without it do not count.'),
      to: point.optional().describe('Paths end with the first step of this name. Sessions without it do not count.'),
      through: point
        .optional()
        .describe('Paths lead through the first step of this name. Sessions without it do not count.'),
      steps_before: z.int().min(1).max(49).optional().describe('With through: steps to show before it.'),
      max_steps: z.int().min(2).max(50).optional().describe('How many steps of each session to show; 5 by default.'),
      keep: z
        .enum(['first', 'last'])
        .optional()
        .describe('With to: which steps of longer paths to keep; the first by default.'),
      edge_limit: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('How many edges to keep, those of most sessions. Default 50; with both from and to, all.'),
      min_sessions: z.int().min(1).optional().describe('Leave out edges of fewer sessions; 1 by default.'),
    }),
  })
  .meta({ title: 'Paths file', description: 'The steps that users take one after the other, session by session.' });

type Written = z.infer<typeof pathsSchema>['paths'];

const form: DefinitionForm<z.infer<typeof pathsSchema>, Paths> = {
  noun: 'paths',
  example: 'user_paths',
  schema: pathsSchema,
  toDefinition: ({ paths: written }, slug) => {
    const issues: Issue[] = [];
    const step = toStep(written.step ?? 'page');
    const anchor = toAnchor(written, step, issues);
    const { events = [step.kind === 'event' ? 'any' : pageView], groups = [], exclude = [] } = written;
    checkPoints(anchor, { groups, exclude }, issues);
    const isBetween = anchor.kind === 'ends' && anchor.from !== undefined && anchor.to !== undefined;
    const paths: Paths = {
      name: slug,
      events: events.includes('any') ? undefined : events,
      where: written.where ?? [],
      step,
      groups,
      exclude,
      gapMinutes: written.session_gap_minutes ?? 30,
      anchor,
      maxSteps: written.max_steps ?? 5,
      edgeLimit: written.edge_limit ?? (isBetween ? undefined : 50),
      leastSessions: written.min_sessions ?? 1,
    };
    return settle(paths, issues);
  },
};

function toStep(written: string): StepName {
  return written === 'page' || written === 'event' ? { kind: written } : { kind: 'dimension', dimension: written };
}

function toAnchor(written: Written, step: StepName, issues: Issue[]): PathAnchor {
  const { from, to, through, keep, steps_before: before, max_steps: most = 5 } = written;
  const toPoint = (text: string) => (step.kind === 'page' ? withoutTrailingSlash(text) : text);
  const fail = (key: string, message: string, hint: string) =>
    issues.push(errorIssue('path-anchor', message, { path: ['paths', key], hint }));
  if (before !== undefined && through === undefined)
    fail('steps_before', '"steps_before" requires "through".', 'Add "through".');
  if (keep !== undefined && (to === undefined || from !== undefined))
    fail(
      'keep',
      '"keep" requires "to", and cannot be used with "from".',
      to === undefined ? 'Add "to".' : 'Leave "keep" or "from" out.',
    );
  if (through !== undefined && (from ?? to) !== undefined)
    fail('through', '"through" cannot be used with "from" or "to".', 'Leave one of them out.');
  if (before !== undefined && before >= most)
    fail(
      'steps_before',
      `"steps_before" must be less than "max_steps", which is ${most}.`,
      `Specify at most ${most - 1}, or raise "max_steps".`,
    );
  if (from !== undefined && to !== undefined && toPoint(from) === toPoint(to))
    fail('to', `"from" and "to" name the same step, ${quote(toPoint(to))}.`, 'Name two different steps.');
  if (through !== undefined)
    return { kind: 'through', point: toPoint(through), before: before ?? Math.floor((most - 1) / 2) };
  if (from === undefined && to === undefined) return { kind: 'none' };
  return {
    kind: 'ends',
    from: from === undefined ? undefined : toPoint(from),
    to: to === undefined ? undefined : toPoint(to),
    keep: keep ?? 'first',
  };
}

/** Reports a point that grouping or exclusion removes from the steps. */
function checkPoints(
  anchor: PathAnchor,
  { groups, exclude }: Pick<Paths, 'groups' | 'exclude'>,
  issues: Issue[],
): void {
  const points =
    anchor.kind === 'through'
      ? { through: anchor.point }
      : anchor.kind === 'ends'
        ? { from: anchor.from, to: anchor.to }
        : {};
  for (const [key, named] of Object.entries(points)) {
    if (named === undefined) continue;
    const group = groups.find((pattern) => occursIn(pattern, named));
    const called = group ?? named;
    if (called !== named)
      issues.push(
        errorIssue('path-anchor', `No step is called ${quote(named)}: it is grouped as ${quote(called)}.`, {
          path: ['paths', key],
          hint: `Write ${quote(called)}, or change the group.`,
        }),
      );
    else if (exclude.includes(named))
      issues.push(
        errorIssue('path-anchor', `No step is called ${quote(named)}: it is excluded.`, {
          path: ['paths', key],
          hint: 'Remove it from "exclude".',
        }),
      );
  }
}

/** Reads paths files, `{paths: {step?, from?, to?, max_steps?, …}}`. */
export const pathsReader: DefinitionReader<Paths> = toDefinitionReader(form);

import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { dropOff, type Paths } from '../../../ask/paths/paths.ts';
import type { Analysis } from '../../analysis.ts';
import { askedDates } from '../../computed/asked-dates.ts';
import { checkSpan } from '../../computed/asked-periods.ts';
import { checkComputed, isApart, isGroupedBy } from '../../computed/check-computed.ts';
import { defineCube } from '../../model/define-cube.ts';
import type { ComputedSource, Cube } from '../../model/model.ts';
import type { BoundComputation, BoundDimension, Condition, Plan } from '../../plan.ts';

/** Paths with their members resolved. All conditions must hold. */
export interface BoundPaths {
  readonly where: readonly Condition[];
  /** The dimension that names steps, if there is one. */
  readonly step: Omit<BoundDimension, 'column'> | undefined;
}

/** The steps that users take one after another, session by session. */
export const pathsAnalysis: Analysis<Paths, BoundPaths> = {
  name: 'paths',
  onServers: false,
  loadReader: async () => (await import('../../../ask/paths/read-paths.ts')).pathsReader,
  toCube: toPathsCube,
  toUsualQuestion: ({ name }) => ({
    query: {
      measures: ['sessions', 'users', 'average_seconds', 'source_users', 'target_users', 'total'].map(
        (measure) => `${name}.${measure}`,
      ),
      dimensions: ['step', 'source', 'target'].map((dimension) => `${name}.${dimension}`),
    },
    chart: 'sankey',
  }),
  bind: ({ where, step }, tools) => ({
    where: tools.bindFilters(where, ['paths', 'where']),
    step: step.kind === 'dimension' ? tools.findDimension(step.dimension, ['paths', 'step']) : undefined,
  }),
  check: checkPaths,
  // The total counts all users with a path, whichever edges they take.
  whoseUsers: ({ root, measures }) =>
    measures.some(({ measure }) => measure.name !== 'total')
      ? [{ member: `${root.name}.source`, operator: 'set' }]
      : [],
  openPartialJudge(plan, known) {
    const { to } = askedDates(plan);
    return () => (to !== undefined && to > known ? 'by-present' : undefined);
  },
};

/** The paths that a plan asks for; undefined if there are none. */
export function pathsOf({ computed }: Plan): BoundComputation<Paths, BoundPaths> | undefined {
  return computed?.analysis === 'paths' ? (computed as BoundComputation<Paths, BoundPaths>) : undefined;
}

/** Paths as a cube of their name: `sessions`, `users` and `average_seconds` by `step`, `source` and `target`. */
function toPathsCube(paths: Paths, place: Pick<ComputedSource, 'computed' | 'events' | 'inline'>): Cube {
  return defineCube({
    name: paths.name,
    description: `Paths: from step to step, session by session, for ${paths.maxSteps} steps. One row per edge.`,
    source: { kind: 'computed', analysis: pathsAnalysis, definition: paths, ...place },
    timeMember: 'date',
    measures: {
      sessions: {
        description: 'Sessions that went from the source to the target. By step, source or target.',
        type: 'number',
        sql: 'CAST(sum({CUBE}.sessions) AS BIGINT)',
      },
      users: {
        description: 'Distinct users who went from the source to the target. By source and target.',
        type: 'number',
        sql: 'CAST(sum({CUBE}.users) AS BIGINT)',
      },
      average_seconds: {
        label: 'Mean time',
        description: 'Mean time from the source to the target, in seconds; null for drop-offs.',
        type: 'number',
        format: 'seconds',
        sql: 'CAST(sum({CUBE}.microseconds) AS DOUBLE) / nullif(1000000 * sum({CUBE}.timed), 0)',
      },
      source_users: {
        label: 'Users at the source',
        description: 'Distinct users who reached the source, whatever they did next. By source.',
        type: 'max',
        sql: '{CUBE}.source_users',
      },
      continued_users: {
        label: 'Users who went on',
        description: 'Distinct users who went on from the source to another step. By source.',
        type: 'max',
        sql: '{CUBE}.continued_users',
      },
      target_users: {
        label: 'Users at the target',
        description: 'Distinct users who reached the target, wherever they came from. By target.',
        type: 'max',
        sql: '{CUBE}.target_users',
      },
      total: { label: 'All sessions', description: 'Sessions that have a path.', type: 'max', sql: '{CUBE}.total' },
    },
    dimensions: {
      step: { description: 'Number of the step that the edge begins with.', type: 'number', sql: '{CUBE}.step' },
      source: { description: 'Number and name of the step, such as 1_/cart.', sql: '{CUBE}.source' },
      target: {
        description: `Number and name of the next step, such as 2_/thanks, or ${dropOff} if the session ended.`,
        sql: '{CUBE}.target',
      },
      date: { description: 'When the events happened. For filters only.', type: 'time', sql: '{CUBE}.date' },
    },
    segments: {},
  });
}

/** The dimensions that a measure must be grouped by, because its values do not add up. */
const neededBy: Readonly<Record<string, readonly string[]>> = {
  users: ['source', 'target'],
  source_users: ['source'],
  continued_users: ['source'],
  target_users: ['target'],
};

function checkPaths(plan: Plan, source: ComputedSource<Paths>, issues: Issue[]): void {
  const { name } = plan.root;
  checkComputed(plan, source, 'date', issues);
  const { from = Number.NEGATIVE_INFINITY, to = plan.now + 1 } = askedDates(plan);
  checkSpan(plan, { start: from, end: to }, 'day', issues);
  if (isGroupedBy(plan, 'date') || plan.times.some(({ granularity }) => granularity !== undefined))
    issues.push(
      errorIssue('paths-by-time', `"${name}.date" only filters: the rows of paths have no date.`, {
        path: ['timeDimensions'],
        hint: `Group by "${name}.source" and "${name}.target".`,
      }),
    );
  for (const { measure } of plan.measures) {
    const needed = neededBy[measure.name] ?? [];
    const missing = needed.filter((each) => !isApart(plan, each));
    if (measure.name === 'sessions' && !['step', 'source', 'target'].some((each) => isApart(plan, each)))
      issues.push(
        errorIssue('paths-without-step', `"${name}.sessions" has one value per step.`, {
          path: ['measures'],
          hint:
            `Add the dimensions "${name}.source" and "${name}.target", or "${name}.step"; ` +
            `"${name}.total" is all sessions.`,
        }),
      );
    else if (missing.length > 0)
      issues.push(
        errorIssue(
          'paths-without-step',
          `"${name}.${measure.name}" has one value per ${needed.join(' and ')}, because each user counts once.`,
          { path: ['measures'], hint: `Add ${missing.map((each) => `"${name}.${each}"`).join(' and ')}.` },
        ),
      );
  }
}

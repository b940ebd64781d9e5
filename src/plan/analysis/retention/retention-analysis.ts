import type { Retention } from '../../../ask/activity/retention.ts';
import { followedWords } from '../../../ask/analysis/followed.ts';
import type { Analysis, UsualQuestion } from '../../analysis.ts';
import { askedRange } from '../../computed/asked-periods.ts';
import { type BoundRetention, bindRetention, checkRetention } from './bind-retention.ts';
import { judgeRetention } from './retention-frame.ts';
import { defineCube } from '../../model/define-cube.ts';
import { eventLabel } from '../../model/member-label.ts';
import type { ComputedSource, Cube } from '../../model/model.ts';

/** The rate of ended periods; if none has ended, the rate so far. */
const rate = (share: (which: string) => string) =>
  `CASE WHEN count(*) FILTER (WHERE {CUBE}.ended) > 0 THEN ${share('ended')} ELSE ${share('inside')} END`;

/** A retention analysis as a cube of its name: `users`, `size` and `rate` by `cohort` and `period`. */
function toRetentionCube(retention: Retention, place: Pick<ComputedSource, 'analysis' | 'computed' | 'events'>): Cube {
  const { name, period, breakdown, window, value } = retention;
  const unit = window === '24h' ? '24 hours' : period;
  const { many, title } = followedWords(retention);
  return defineCube({
    name,
    description:
      `Retention: ${many} by the ${period} in which they started, and who came back. ` +
      'One row per cohort and period.',
    source: { kind: 'computed', definition: retention, ...place },
    timeMember: 'cohort',
    measures: {
      users: {
        label: title,
        description:
          `${title} of the cohort who came back in the period. Period 0: the whole cohort. ` +
          'Several cohorts are added up.',
        type: 'number',
        sql: 'CAST(sum({CUBE}.users) AS BIGINT)',
      },
      size: {
        description: `${title} in the cohort. Several cohorts are added up.`,
        type: 'number',
        sql: 'CAST(coalesce(cohort_sizes({CUBE}.cohort, {CUBE}.breakdown, {CUBE}.size), 0) AS BIGINT)',
      },
      rate: {
        description:
          `${title} who came back, as a percentage of the cohort. ` +
          'Across several cohorts, only those whose period has ended count.',
        type: 'number',
        format: 'percent',
        sql: rate(
          (which) =>
            `100 * CAST(sum({CUBE}.users) FILTER (WHERE {CUBE}.${which}) AS DOUBLE) / nullif(sum({CUBE}.size) FILTER (WHERE {CUBE}.${which}), 0)`,
        ),
      },
      ...(value && {
        value: {
          label:
            (value.compute === 'sum' ? 'Sum' : 'Average') + ` of ${value.property.replaceAll(/(^|\*)props\./g, '$1')}`,
          description:
            `${value.property} of the ${many} in the period, added up` +
            `${value.compute === 'sum' ? '' : ' and divided by their number'}. Period 0: of their starts.`,
          type: 'number' as const,
          sql:
            value.compute === 'sum'
              ? 'sum({CUBE}.amount)'
              : 'CAST(sum({CUBE}.amount) AS DOUBLE) / nullif(sum({CUBE}.users), 0)',
        },
      }),
    },
    dimensions: {
      cohort: { description: `The ${period} in which ${many} started.`, type: 'time', sql: '{CUBE}.cohort' },
      period: {
        description: `Number of the period since the start, of one ${unit} each; 0 is the start.`,
        type: 'number',
        sql: '{CUBE}.period',
      },
      ended: {
        description: 'Whether the period is over and inside the range.',
        type: 'boolean',
        sql: '{CUBE}.ended',
      },
      ...(breakdown && {
        breakdown: {
          label: eventLabel(breakdown.dimension, place.events),
          description: `${breakdown.dimension} of the events.`,
          sql: '{CUBE}.breakdown',
        },
      }),
    },
    segments: {},
  });
}

/** The share of each cohort that came back, period by period; with a breakdown, of each value's cohorts together. */
function askRetention({ name, period, breakdown, value }: Retention): UsualQuestion {
  const own = (member: string) => `${name}.${member}`;
  const measures = [own('size'), own('users'), own('rate'), ...(value ? [own('value')] : [])];
  const across = { across: own('period'), values: [own(value ? 'value' : 'rate')] };
  if (breakdown)
    return {
      query: {
        measures,
        dimensions: [own('breakdown'), own('period')],
        order: [
          [own('size'), 'desc'],
          [own('breakdown'), 'asc'],
          [own('period'), 'asc'],
        ],
      },
      chart: 'line',
      table: { rows: [own('breakdown'), own('size')], ...across },
    };
  const cohort = own(`cohort.${period}`);
  return {
    query: {
      measures,
      dimensions: [own('period')],
      timeDimensions: [{ dimension: own('cohort'), granularity: period }],
      order: [
        [cohort, 'asc'],
        [own('period'), 'asc'],
      ],
    },
    chart: 'heatmap',
    table: { rows: [cohort, own('size')], ...across },
  };
}

/** The users who return in each period after they started. */
export const retentionAnalysis: Analysis<Retention, BoundRetention> = {
  name: 'retention',
  onServers: false,
  loadReader: async () => (await import('../../../ask/activity/read-retention.ts')).retentionReader,
  toCube: (retention, place) => toRetentionCube(retention, { ...place, analysis: retentionAnalysis }),
  toUsualQuestion: askRetention,
  bind: bindRetention,
  check: checkRetention,
  rangeOf: (plan, { definition }) => askedRange(plan, definition),
  openPartialJudge: judgeRetention,
};

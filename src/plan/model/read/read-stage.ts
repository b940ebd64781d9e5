import { z } from 'zod';
import { readValue } from '../../../ask/document/read-value.ts';
import { withoutBraces } from '../identifier.ts';
import { isAggregate, type MeasureType, type Stage, type TimeShift } from '../model.ts';
import { type ReadContext, readSql } from './read-context.ts';
import type { WrittenMeasure } from './read-file.ts';
import { below, leaveOut, partKey, type Site } from './site.ts';

const names = z.array(z.string()).min(1);

const stageSchema = z.strictObject({
  // An empty list computes over all groups, as for a grand total.
  group_by: z.array(z.string()).optional(),
  reduce_by: names.optional(),
  add_group_by: names.optional(),
  time_shift: z
    .array(
      z.strictObject({
        time_dimension: z.string().optional(),
        interval: z.string(),
        type: z.enum(['prior', 'next']),
      }),
    )
    .min(1)
    .optional(),
  order_by: z
    .array(z.strictObject({ sql: z.string(), dir: z.enum(['asc', 'desc']).optional() }))
    .min(1)
    .optional(),
});

const keys = ['group_by', 'reduce_by', 'add_group_by', 'time_shift', 'order_by'] as const;

/** The stage keys of a measure. */
function writtenStage(written: WrittenMeasure): Readonly<Record<string, unknown>> {
  const own: Readonly<Record<string, unknown>> = written;
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = own[key] ?? own[key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
      return value == null ? [] : [[key, value]];
    }),
  );
}

export function isMultiStage(written: WrittenMeasure): boolean {
  const own: Readonly<Record<string, unknown>> = written;
  return (own['multi_stage'] ?? own['multiStage']) === true;
}

export function hasStage(written: WrittenMeasure): boolean {
  return Object.keys(writtenStage(written)).length > 0;
}

const isAdding: ReadonlySet<MeasureType> = new Set(['sum', 'avg', 'min', 'max', 'count'] as const);

/**
 * The stages of a measure that is computed from other measures; undefined if it has none or is left out. Source of the
 * rules: Cube's documentation of multi-stage calculations.
 */
export function readStage(
  written: WrittenMeasure,
  type: MeasureType | 'rank',
  site: Site,
  context: ReadContext,
): Stage | undefined {
  const own: Readonly<Record<string, unknown>> = written;
  const given = writtenStage(written);
  const leave = (reason: string, hint?: string): undefined => {
    const at = Object.keys(given)[0];
    leaveOut(
      context.findings,
      at === undefined ? site : below(site, at),
      partKey(context.cube.name, written.name),
      `The measure "${written.name}"`,
      reason,
      hint,
    );
  };
  for (const key of ['filter', 'grain'] as const)
    if (own[key] != null) return leave(`"${key}" on a measure is not supported.`);
  if (Object.keys(given).length === 0) {
    if (type === 'rank') return leave('A rank needs `order_by`.');
    const isWindow = (written.rolling_window ?? written.rollingWindow) != null;
    if (isMultiStage(written) && isAggregate(type) && own['case'] == null && !isWindow)
      return leave(
        'A `multi_stage` measure that aggregates needs `group_by`, `reduce_by`, `add_group_by` or `rolling_window`.',
      );
    return undefined;
  }
  if (own['case'] != null) return leave('A `case` together with stages is not supported.');
  const outcome = readValue(given, stageSchema);
  if (!outcome.ok) return leave(outcome.issues[0]?.message ?? 'Its stages are not valid.');
  const { group_by, reduce_by, add_group_by, time_shift, order_by } = outcome.value;
  if ((written.filters ?? []).length > 0 || (written.rolling_window ?? written.rollingWindow) != null)
    return leave('A multi-stage measure cannot have its own `filters` or window.');
  if (time_shift && (group_by ?? reduce_by ?? add_group_by ?? order_by))
    return leave('`time_shift` together with other stages is not supported.', 'Write a separate measure for each.');
  if (add_group_by && (group_by ?? reduce_by ?? order_by))
    return leave('`add_group_by` together with other stages is not supported.', 'Write a separate measure for each.');
  if ((type === 'rank') !== (order_by !== undefined)) return leave('`order_by` requires a measure of type `rank`.');
  if (type !== 'rank' && !time_shift && !isAdding.has(type))
    return leave(
      `A measure of type "${type}" cannot be computed from groups.`,
      'Use sum, avg, min, max, count or rank.',
    );
  if (time_shift && isAggregate(type as MeasureType))
    return leave('A measure with `time_shift` must have the type `number`.');
  const full = (list: readonly string[] | undefined) => list?.map((name) => toFullName(name, context));
  const shifts = time_shift?.map(({ time_dimension, interval, type: direction }): TimeShift | undefined =>
    readShift(interval, direction, time_dimension === undefined ? undefined : toFullName(time_dimension, context)),
  );
  if (shifts?.includes(undefined))
    return leave('A time shift must be in days, weeks, months, quarters or years.', 'Write, for example, `1 year`.');
  const about = { member: written.name, mayHoldMeasures: true, role: `the measure "${written.name}"` };
  return {
    groupBy: full(group_by),
    reduceBy: full(reduce_by),
    addGroupBy: full(add_group_by),
    shifts: shifts?.filter((shift) => shift !== undefined),
    rank: order_by?.map(({ sql, dir }, index) => ({
      sql: readSql(sql, below(site, 'order_by', index, 'sql'), about, context),
      descending: dir === 'desc',
    })),
  };
}

const units: Readonly<Record<string, { readonly months: number; readonly days: number }>> = {
  day: { months: 0, days: 1 },
  week: { months: 0, days: 7 },
  month: { months: 1, days: 0 },
  quarter: { months: 3, days: 0 },
  year: { months: 12, days: 0 },
};

function readShift(interval: string, direction: 'prior' | 'next', time: string | undefined): TimeShift | undefined {
  const [, amount, name = ''] = /^\s*(-?\d{1,5})\s+([a-z]+?)s?\s*$/.exec(interval) ?? [];
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  if (!unit) return undefined;
  const times = Number(amount) * (direction === 'prior' ? 1 : -1);
  return { time, months: unit.months * times, days: unit.days * times };
}

/** The full names of `status`, `CUBE.status`, `{status}` and `Users.plan`. */
export function toFullName(written: string, { cube }: Pick<ReadContext, 'cube'>): string {
  const name = withoutBraces(written);
  const dot = name.indexOf('.');
  if (dot < 0) return `${cube.name}.${name}`;
  const owner = name.slice(0, dot);
  return owner === 'CUBE' || owner === 'TABLE' || cube.ancestors.includes(owner)
    ? `${cube.name}${name.slice(dot)}`
    : name;
}

import { errorIssue, type Issue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import type { CanonicalQuery } from '../../ask/query/query.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote, withinSentence } from '../../ask/text.ts';
import {
  type BucketSize,
  granularities,
  type Granularity,
  hour,
  isCalendarUnit,
  isGranularity,
  minute,
  sizeName,
  sizeTitle,
} from '../../ask/time/granularity.ts';
import { startOf } from '../../ask/time/calendar.ts';
import type { Column } from '../column.ts';
import { readSeveralUnits, toCustomGranularity } from '../model/granularity-definition.ts';
import { type Cube, type Dimension, isCount, type Measure, type MeasureType } from '../model/model.ts';
import { memberLabel } from '../model/member-label.ts';
import { asTime } from '../model/property-members.ts';
import type { BoundDimension, BoundMeasure, BoundSegment, BoundTime, Plan } from '../plan.ts';
import { cohortsToName } from './bind-cohort-filter.ts';
import type { Binding } from './bind-context.ts';
import { readRange } from './bind-test.ts';
import { behindView, findMember, warnOfLocalTimes } from './find-member.ts';

export type BoundMembers = Pick<Plan, 'columns' | 'dimensions' | 'times' | 'measures' | 'segments'>;

/** Resolves the members of the query's answer. Columns are in the order of the wire: dimensions, buckets, measures. */
export function bindMembers(query: CanonicalQuery, binding: Binding): BoundMembers {
  const columns: Column[] = [];
  const dimensions = bindDimensions(query.dimensions ?? [], columns, binding);
  if (!query.ungrouped) binding.issues.push(...dimensions.flatMap(wholeObject));
  const times = bindTimes(query.timeDimensions ?? [], columns, binding);
  const measures = (query.measures ?? []).flatMap((name, index): BoundMeasure[] => {
    const entry = findMember(name, ['measure'], ['measures', index], binding);
    if (!entry) return [];
    const { cube, member } = behindView(entry, binding);
    return [{ cube, measure: member, column: columns.push(measureColumn(entry.cube, entry.member)) - 1 }];
  });
  const segments = (query.segments ?? []).flatMap((name, index): BoundSegment[] => {
    const entry = findMember(name, ['segment'], ['segments', index], binding);
    if (!entry) return [];
    const { cube, member } = behindView(entry, binding);
    return [{ cube, segment: member }];
  });
  return { columns, dimensions, times, measures, segments };
}

/** Says that groups are whole objects. */
function wholeObject({ dimension: { shortTitle, inside } }: BoundDimension, index: number): Issue[] {
  if (inside === undefined) return [];
  const message = `${quote(shortTitle)} is an object, so each group is a whole object.`;
  return [
    warningIssue('object-grouped', message, {
      path: ['dimensions', index],
      hint: `To group by a value inside it, write \`by ${inside}\`, for example.`,
    }),
  ];
}

export function bindDimensions(
  names: readonly string[],
  columns: Column[],
  binding: Binding,
): readonly BoundDimension[] {
  return names.flatMap((name, index): BoundDimension[] => {
    const entry = findMember(name, ['dimension'], ['dimensions', index], binding);
    if (!entry) return [];
    if (entry.member.cohort && entry.member.cohort.name === undefined) {
      binding.issues.push(cohortsToName(name, entry.cube, ['dimensions', index]));
      return [];
    }
    const { cube, member } = behindView(entry, binding);
    return [{ cube, dimension: member, column: columns.push(dimensionColumn(entry.cube, entry.member)) - 1 }];
  });
}

function bindTimes(
  times: NonNullable<CanonicalQuery['timeDimensions']>,
  columns: Column[],
  binding: Binding,
): readonly BoundTime[] {
  return times.flatMap((time, index): BoundTime[] => {
    const path = ['timeDimensions', index];
    const entry = findMember(time.dimension, ['dimension'], [...path, 'dimension'], binding);
    const range = time.dateRange === undefined ? undefined : readRange(time.dateRange, [...path, 'dateRange'], binding);
    if (!entry) return [];
    const read = asTime(entry.member);
    if (!read) {
      binding.issues.push(
        errorIssue(
          'not-a-time',
          `"${time.dimension}" is a ${entry.member.type}, and a time dimension must be a time.`,
          {
            path: [...path, 'dimension'],
            hint: 'Put it in "dimensions" instead.',
          },
        ),
      );
      return [];
    }
    const size = time.granularity === undefined ? undefined : sizeOf(entry.member, time.granularity, binding);
    if (typeof size === 'object' && 'message' in size) {
      binding.issues.push({ ...size, path: [...path, 'granularity'] });
      return [];
    }
    if (time.granularity !== undefined && size === undefined) {
      const reason = binding.catalog.whyLeftOut(`${time.dimension}.${String(time.granularity)}`);
      if (reason !== undefined) {
        binding.issues.push(
          errorIssue('left-out', `${quote(String(time.granularity))} is left out of the model. ${reason}`, {
            path: [...path, 'granularity'],
            hint: `Use one of ${granularities.join(', ')}.`,
          }),
        );
        return [];
      }
      const known = [...(entry.member.granularities ?? []).map(({ name }) => name), ...granularities];
      binding.issues.push(
        errorIssue('unknown-value', `There is no granularity ${quote(String(time.granularity))}.`, {
          path: [...path, 'granularity'],
          hint: didYouMean(String(time.granularity), known) ?? `Use one of ${known.join(', ')}.`,
        }),
      );
      return [];
    }
    if (time.granularity === undefined && time.dateRange === undefined) {
      binding.issues.push(
        warningIssue(
          'idle-time-dimension',
          `"${time.dimension}" has neither granularity nor range, so it does nothing.`,
          {
            path,
            hint: 'Give it a granularity or a dateRange, or leave it out.',
          },
        ),
      );
    }
    const column = size === undefined ? undefined : columns.push(timeColumn(entry.cube, read, size)) - 1;
    const { cube, member: found } = behindView(entry, binding);
    const member = asTime(found)!;
    warnOfTimes(member, [...path, 'dimension'], binding);
    const bucket = member.granularities?.find(({ name }) => name === time.granularity)?.sql;
    return [{ cube, dimension: member, granularity: size, range, column, ...(bucket && { bucket }) }];
  });
}

/** Says which values of a text are no times, and how those without a zone are read. */
export function warnOfTimes({ times, shortTitle }: Dimension, path: IssuePath, binding: Binding): void {
  if (times?.others !== undefined) binding.issues.push(warningIssue('times-compared', times.others, { path }));
  if (times?.isLocal) warnOfLocalTimes(shortTitle, path, binding);
}

export function dimensionColumn(cube: Cube, dimension: Dimension): Column {
  const member = `${cube.name}.${dimension.name}`;
  return {
    key: member,
    member,
    kind: 'dimension',
    type: dimension.type,
    title: dimension.title,
    shortTitle: dimension.shortTitle,
    label: memberLabel(dimension),
    format: dimension.format,
    ...(dimension.values && { values: dimension.values }),
    additive: false,
    whenAbsent: null,
  };
}

/** The model's own granularity of this name, otherwise the standard one, or several minutes or hours. */
function sizeOf(dimension: Dimension, name: string, { time, noTouches }: Binding): BucketSize | Issue | undefined {
  const own = dimension.granularities?.find((each) => each.name === name);
  if (own) return toCustomGranularity(own, time.zone);
  // Queries built by programs were not checked by a schema.
  if (isGranularity(name)) return name;
  const several = readSeveralUnits(name, time.zone);
  if (several === undefined) return undefined;
  if (typeof several === 'string')
    return errorIssue('unknown-value', several, { hint: 'Use a divisor, such as 15 minutes or 6 hours.' });
  return noTouches
    ? errorIssue('unknown-value', `Servers have no buckets of ${several.title}.`, { hint: noTouches.hint })
    : several;
}

/** The standard granularity whose labels tell the buckets apart. */
function writtenAs(size: BucketSize): Granularity {
  if (typeof size === 'string') return size;
  if (!size.grid) return 'day';
  const { origin, step, offset } = size.grid;
  const first = origin + offset;
  if (!isCalendarUnit(size)) {
    const fits = (unit: number) => step.length % unit === 0 && first % unit === 0;
    return fits(hour) ? 'hour' : fits(minute) ? 'minute' : 'second';
  }
  if (step.length > 0 || startOf(first, 'month') !== first) return 'day';
  return step.months % 12 === 0 && startOf(first, 'year') === first ? 'year' : 'month';
}

export function timeColumn(cube: Cube, dimension: Dimension, size: BucketSize): Column {
  const member = `${cube.name}.${dimension.name}`;
  return {
    key: `${member}.${sizeName(size)}`,
    member,
    kind: 'time',
    type: 'time',
    granularity: writtenAs(size),
    ...(typeof size !== 'string' && { custom: size }),
    title: dimension.title,
    shortTitle: dimension.shortTitle,
    label: timeLabel(cube, dimension, sizeTitle(size)),
    additive: false,
    whenAbsent: null,
  };
}

/** Buckets of a built-in cube's main time are labelled by their size: `Day`, and for users `Day first seen`. */
function timeLabel(cube: Cube, dimension: Dimension, title: string): string | undefined {
  if (dimension.label === undefined || cube.timeMember !== dimension.name) return memberLabel(dimension);
  const size = title.charAt(0).toUpperCase() + title.slice(1);
  return cube.source.kind === 'users' ? `${size} ${withinSentence(dimension.label)}` : size;
}

function measureColumn(cube: Cube, measure: Measure): Column {
  const member = `${cube.name}.${measure.name}`;
  const rolls = measure.rollingWindow !== undefined || measure.stage !== undefined;
  return {
    key: member,
    member,
    kind: 'measure',
    type: valueTypes[measure.type],
    title: measure.title,
    shortTitle: measure.shortTitle,
    label: memberLabel(measure),
    format: measure.format,
    additive: !rolls && (measure.type === 'count' || measure.type === 'sum'),
    // A window extends beyond its bucket, so an empty bucket does not mean that the value is 0. The engine itself fills
    // windows that it clips.
    whenAbsent:
      rolls && !(measure.rollingWindow?.clipped && (isCount(measure.type) || measure.emptyIsZero))
        ? null
        : absences[measure.type],
    drillMembers: measure.drillMembers,
    ...(measure.disjoint && { disjoint: true }),
  };
}

const valueTypes: Readonly<Record<MeasureType, Column['type']>> = {
  count: 'number',
  count_distinct: 'number',
  count_distinct_approx: 'number',
  sum: 'number',
  avg: 'number',
  min: 'number',
  max: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  time: 'time',
};

/** Counts and sums of no rows are 0; averages, ratios and extremes are null. */
const absences: Readonly<Record<MeasureType, 0 | null>> = {
  count: 0,
  count_distinct: 0,
  count_distinct_approx: 0,
  sum: 0,
  avg: null,
  min: null,
  max: null,
  number: null,
  string: null,
  boolean: null,
  time: null,
};

import { bad, errorIssue, good, type Issue, type Outcome } from '../../../ask/outcome.ts';
import { operatorSigns } from '../../../ask/notation/words.ts';
import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import { cubeOf } from '../../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery, OrderPair } from '../../../ask/query/query.ts';
import { quote } from '../../../ask/text.ts';
import { readBucketLabel, toBuckets } from '../../../ask/time/buckets.ts';
import { hasGrid, isCalendarUnit } from '../../../ask/time/granularity.ts';
import { writeRange } from '../../../ask/time/previous-range.ts';
import { type Value, type Column, granularityName } from '../../../plan/column.ts';
import type { Catalog } from '../../../plan/model/catalog.ts';
import type { RowFilter } from '../../../run/stored-view.ts';
import { type DrillFacts, within, alongTime, ofOneRange, toFilter, finer } from '../../answer/drill-down.ts';
import { withoutMeasures } from '../../answer/without-measures.ts';
import type { GridColumn, GridState } from '../grid/grid-state.ts';

type Arranged = Pick<GridState, 'columns' | 'filters' | 'sort'>;

/**
 * Adds the filter and the order of the grid to the question. The answer then has the grid's rows, except that a limit
 * counts rows after the filter. Issue: `not-askable` for each condition that no question can express.
 */
export function askAsArranged(facts: DrillFacts, { columns, filters, sort }: Arranged): Outcome<CanonicalQuery> {
  const { query } = facts;
  const issues: Issue[] = [];
  const object = (message: string, hint: string) => void issues.push(errorIssue('not-askable', message, { hint }));
  const own = new Set(facts.columns.map(({ key }) => key));
  const columnAt = (index: number): GridColumn | undefined => {
    const column = columns[index];
    if (column && own.has(column.column.key)) return column;
    object(
      `${quote(column?.heading ?? '')} is computed from the answer.`,
      'Filter and sort by columns of the question.',
    );
    return undefined;
  };
  const added: CanonicalFilter[] = [];
  let ranges = query.timeDimensions;
  for (const filter of filters) {
    if (filter.kind === 'anywhere') {
      object(`A question cannot look for ${quote(filter.text)} in all columns.`, 'Name a column: `/page ~ text`.');
      continue;
    }
    const column = columnAt(filter.column);
    if (!column) continue;
    const { member, kind } = column.column;
    if (kind === 'time') {
      const index = (ranges ?? []).findIndex(({ dimension }) => dimension === member);
      const range =
        filter.kind === 'test' && filter.operator === '=' ? bucketOf(filter.text, column, facts, index) : undefined;
      if (range === undefined || index === -1 || (ranges ?? [])[index]?.compareDateRange) {
        object(`A question cannot take this condition on ${quote(column.heading)}.`, 'Use `=` with one bucket.');
        continue;
      }
      ranges = ranges?.with(index, { ...ranges[index]!, dateRange: range });
      continue;
    }
    const test = toTest(filter, member, column);
    if (test) added.push(test);
    else object(`A question cannot compare ${quote(column.heading)} so.`, 'Use `=`, `!=`, `~`, `^=` or `$=`.');
  }
  const order = sort.flatMap(({ column: index, descending }): readonly OrderPair[] => {
    const column = columnAt(index)?.column;
    return column ? [[column.kind === 'time' ? column.key : column.member, descending ? 'desc' : 'asc']] : [];
  });
  if (issues.length > 0) return bad(issues);
  return good(
    toCanonicalQuery({
      ...query,
      ...(ranges && { timeDimensions: ranges }),
      ...(added.length > 0 && { filters: [...(query.filters ?? []), ...added] }),
      ...(order.length > 0 && { order }),
    }),
  );
}

function toTest(
  filter: Exclude<RowFilter, { readonly kind: 'anywhere' }>,
  member: string,
  { column }: GridColumn,
): CanonicalFilter | undefined {
  if (filter.kind !== 'test') return { member, operator: filter.kind === 'present' ? 'set' : 'notSet' };
  const unfit = column.type === 'number' ? /[~^$]/ : column.type === 'string' ? /[<>]/ : /./;
  if (unfit.test(filter.operator)) return undefined;
  return { member, operator: operatorSigns[filter.operator]!, values: [filter.text] };
}

/** The range of the bucket that a text names, within the asked range; undefined if it names none. */
function bucketOf(text: string, { column }: GridColumn, facts: DrillFacts, index: number) {
  const size = column.custom ?? column.granularity;
  const day = text.trim().replace(/[ T]00:00:00(?:\.000)?$/, '');
  if (size === undefined || !hasGrid(size) || !isCalendarUnit(size) || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const bucket = readBucketLabel(`${day}T00:00:00.000`, size, facts);
  const [own] = toBuckets({ start: bucket.start, end: bucket.start + 1 }, size, facts.zone, facts.weekStart);
  return own?.start === bucket.start ? writeRange(within(bucket, facts.ranges[index]), facts.zone) : undefined;
}

/** Rows of an answer: their values by column key. */
export type ChosenRows = readonly ReadonlyMap<string, Value>[];

/** The question restricted to these rows. Issue: `not-askable`. */
export function askChosen(facts: DrillFacts, rows: ChosenRows): Outcome<CanonicalQuery> {
  const only = toChoice(facts, rows);
  if (!only.ok) return only;
  const { query } = facts;
  return good(toCanonicalQuery({ ...query, filters: [...(query.filters ?? []), only.value] }));
}

/** The measures of these rows over time, one series for each row. Issue: `not-askable`. */
export function compareChosen(facts: DrillFacts, rows: ChosenRows): Outcome<CanonicalQuery> {
  const only = toChoice(facts, rows);
  if (!only.ok) return only;
  if (!facts.query.measures)
    return refuse('not-askable', 'The question has no measure to compare.', 'Add one, such as `count`.');
  const current = ofOneRange(facts, 0);
  const { order: _order, limit: _limit, offset: _offset, total: _total, filters = [], ...rest } = current.query;
  const timeDimensions = alongTime(rest.timeDimensions ?? [], current);
  if (timeDimensions.length === 0)
    return refuse('not-askable', 'The rows have no time.', 'Ask a cube that has a time dimension.');
  return good(
    toCanonicalQuery({
      ...rest,
      timeDimensions,
      filters: [...withoutMeasures(filters, current.measures), only.value],
    }),
  );
}

function toChoice({ query, columns }: DrillFacts, rows: ChosenRows): Outcome<CanonicalFilter> {
  const dimensions = columns.filter(({ kind }) => kind === 'dimension');
  if (query.ungrouped || dimensions.length === 0)
    return refuse(
      'not-askable',
      'Only rows of dimensions can be chosen.',
      'Group by a dimension, such as `by eventType`.',
    );
  if (columns.some(({ kind }) => kind === 'time'))
    return refuse(
      'not-askable',
      'These rows are of different times.',
      'Ask without the buckets of time, then choose rows.',
    );
  if (query.other)
    return refuse(
      'not-askable',
      'A row of this answer stands for all other groups.',
      'Remove `with other`, then choose rows.',
    );
  const [only, ...others] = dimensions;
  const values = rows.map((row) => (only ? (row.get(only.key) ?? null) : null));
  if (only && others.length === 0 && only.type !== 'time' && !values.includes(null))
    return good({ member: only.member, operator: 'equals', values: values.map(String) });
  const choices = rows.map((row): CanonicalFilter => {
    const parts = dimensions.map((column) => toFilter(column, row.get(column.key) ?? null));
    const [part] = parts;
    return part && parts.length === 1 ? part : { and: parts };
  });
  const [choice] = choices;
  return good(choice && choices.length === 1 ? choice : { or: choices });
}

/**
 * Compares with the preceding range, as `compare with previous` does. A relative range stays relative, also in a saved
 * report. Issues: `no-range`, `compared-already`.
 */
export function compareWithPrevious({ query }: Pick<DrillFacts, 'query'>): Outcome<CanonicalQuery> {
  const times = query.timeDimensions ?? [];
  if (times.some(({ compareDateRange }) => compareDateRange))
    return refuse('compared-already', 'This question is already a comparison.', 'Press `i` to edit its ranges.');
  const index = times.findIndex(({ dateRange }) => dateRange !== undefined);
  const time = times[index];
  if (!time?.dateRange)
    return refuse('no-range', 'The question has no time range to compare.', 'Add a range, such as `last 7 days`.');
  const { dateRange, ...rest } = time;
  return good({
    ...query,
    timeDimensions: times.with(index, {
      ...rest,
      compareDateRange: [dateRange, 'previous'],
    }),
  });
}

/**
 * Counts all values of a column, by the first measure over the same rows; raw events are counted. This is a new
 * question, because figures such as unique users cannot be summed. Issue: `no-frequencies`.
 */
export function askFrequencies(asked: DrillFacts, column: Column, catalog: Catalog): Outcome<CanonicalQuery> {
  const { query, measures: known } = ofOneRange(asked, 0);
  if (column.kind !== 'dimension' && column.kind !== 'time')
    return refuse(
      'no-frequencies',
      'Only a dimension or a time has values to count.',
      'Press `i` to describe this column.',
    );
  const measure = query.measures?.[0] ?? countOf(cubeOf(column.member), catalog);
  if (measure === undefined)
    return refuse(
      'no-frequencies',
      'The model has no measure that counts these rows.',
      'Add a measure of type count to the cube.',
    );
  const bucket = column.kind === 'time' ? column.key.slice(column.member.length + 1) : undefined;
  const times = (query.timeDimensions ?? []).flatMap(({ granularity, ...time }) => {
    const isOwn = bucket !== undefined && granularity === bucket && time.dimension === column.member;
    return isOwn ? [{ ...time, granularity }] : time.dateRange === undefined ? [] : [time];
  });
  const filters = withoutMeasures(query.filters ?? [], known);
  const formula = query.formulas?.[measure];
  return good({
    measures: [measure],
    ...(formula !== undefined && { formulas: { [measure]: formula } }),
    ...(bucket === undefined && { dimensions: [column.member] }),
    ...(times.length > 0 && { timeDimensions: times }),
    ...(query.segments && { segments: query.segments }),
    ...(filters.length > 0 && { filters }),
    ...(query.timezone !== undefined && { timezone: query.timezone }),
    order: [[measure, 'desc']],
  });
}

function countOf(cube: string, catalog: Catalog): string | undefined {
  const found = catalog.cube(cube)?.measures.find(({ type, filters }) => type === 'count' && filters.length === 0);
  return found && `${cube}.${found.name}`;
}

/** With fewer buckets than this, zoom to a finer granularity. */
const leastBuckets = 3;

/**
 * Restricts the question to the buckets from `first` to `last`, named as in its rows. `count`: their number; if they
 * are few, uses the next finer granularity. Issue: `not-zoomable`.
 */
export function zoomInto(
  facts: DrillFacts,
  key: string,
  { first, last, count }: { readonly first: string; readonly last: string; readonly count: number },
): Outcome<CanonicalQuery> {
  const { query, columns, ranges, zone } = facts;
  const column = columns.find((each) => each.key === key);
  const size = column?.custom ?? column?.granularity;
  const index = (query.timeDimensions ?? []).findIndex(
    (time) => column !== undefined && time.dimension === column.member && time.granularity === granularityName(column),
  );
  const time = query.timeDimensions?.[index];
  if (!column || !time || size === undefined || !hasGrid(size))
    return refuse(
      'not-zoomable',
      'Only the model knows where these buckets end.',
      'Group by a standard granularity, then zoom.',
    );
  if (time.compareDateRange)
    return refuse('not-zoomable', 'A comparison has several ranges.', 'Ask for one of them, then zoom into it.');
  const stretch = { start: readBucketLabel(first, size, facts).start, end: readBucketLabel(last, size, facts).end };
  const range = within(stretch, ranges[index]);
  if (!(range.start < range.end))
    return refuse('not-zoomable', 'There is no time in this range.', 'Mark other buckets.');
  const cut = typeof size === 'string' && count < leastBuckets ? finer[size] : undefined;
  const timeDimensions = (query.timeDimensions ?? []).with(index, {
    ...time,
    dateRange: writeRange(range, zone),
    ...(cut && { granularity: cut }),
  });
  return good({
    ...query,
    timeDimensions,
    ...(cut &&
      query.order && {
        order: query.order.map(([name, way]) => [name === key ? `${column.member}.${cut}` : name, way] as const),
      }),
  });
}

function refuse(code: string, message: string, hint: string): Outcome<never> {
  return bad([errorIssue(code, message, { hint })]);
}

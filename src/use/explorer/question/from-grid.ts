import { bad, errorIssue, good, type Issue, type Outcome } from '../../../ask/outcome.ts';
import type { CanonicalFilter, CanonicalQuery, FilterOperator, OrderPair } from '../../../ask/query/query.ts';
import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import { quote } from '../../../ask/text.ts';
import { toBuckets } from '../../../ask/time/buckets.ts';
import { hasGrid, isCalendarUnit } from '../../../ask/time/granularity.ts';
import { writeRange } from '../../../ask/time/previous-range.ts';
import type { RowFilter } from '../../../run/stored-view.ts';
import type { GridColumn, GridState } from '../grid/grid-state.ts';
import { type DrillFacts, toBucket, within } from '../../answer/drill-down.ts';

type Arranged = Pick<GridState, 'columns' | 'filters' | 'sort'>;

/**
 * The question with what the grid filters and sorts by: its rows are then the rows of the grid, unless it has a limit,
 * which then counts rows that pass. Issues: `not-askable`, of which each names what no question can say.
 */
export function askAsArranged(facts: DrillFacts, { columns, filters, sort }: Arranged): Outcome<CanonicalQuery> {
  const { query } = facts;
  const issues: Issue[] = [];
  const refuse = (message: string, hint: string) => void issues.push(errorIssue('not-askable', message, { hint }));
  const own = new Set(facts.columns.map(({ key }) => key));
  const columnAt = (index: number): GridColumn | undefined => {
    const column = columns[index];
    if (column && own.has(column.column.key)) return column;
    refuse(
      `${quote(column?.heading ?? '')} is computed from the answer.`,
      'Filter and sort by columns of the question.',
    );
    return undefined;
  };
  const added: CanonicalFilter[] = [];
  let ranges = query.timeDimensions;
  for (const filter of filters) {
    if (filter.kind === 'anywhere') {
      refuse(`A question cannot look for ${quote(filter.text)} in all columns.`, 'Name a column: `/page ~ text`.');
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
        refuse(`A question cannot take this condition on ${quote(column.heading)}.`, 'Use `=` with one bucket.');
        continue;
      }
      ranges = ranges?.with(index, { ...ranges[index]!, dateRange: range });
      continue;
    }
    const test = toTest(filter, member, column);
    if (test) added.push(test);
    else refuse(`A question cannot compare ${quote(column.heading)} so.`, 'Use `=`, `!=`, `~`, `^=` or `$=`.');
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

const textOperators: Readonly<Record<string, FilterOperator>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '~': 'contains',
  '!~': 'notContains',
  '^=': 'startsWith',
  '$=': 'endsWith',
};
const numberOperators: Readonly<Record<string, FilterOperator>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

function toTest(
  filter: Exclude<RowFilter, { readonly kind: 'anywhere' }>,
  member: string,
  { column }: GridColumn,
): CanonicalFilter | undefined {
  if (filter.kind !== 'test') return { member, operator: filter.kind === 'present' ? 'set' : 'notSet' };
  const operator = (column.type === 'number' ? numberOperators : column.type === 'string' ? textOperators : {})[
    filter.operator
  ];
  return operator && { member, operator, values: [filter.text] };
}

/** The range of the bucket that a text names, as far as it was asked for; undefined: the text names none. */
function bucketOf(text: string, { column }: GridColumn, facts: DrillFacts, index: number) {
  const size = column.custom ?? column.granularity;
  const day = text.trim().replace(/[ T]00:00:00(?:\.000)?$/, '');
  if (size === undefined || !hasGrid(size) || !isCalendarUnit(size) || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const bucket = toBucket(`${day}T00:00:00.000`, size, facts);
  const [own] = toBuckets({ start: bucket.start, end: bucket.start + 1 }, size, facts.zone, facts.weekStart);
  return own?.start === bucket.start ? writeRange(within(bucket, facts.ranges[index]), facts.zone) : undefined;
}

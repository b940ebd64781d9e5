import { describeValue } from '../../ask/document/describe-value.ts';
import { bad, errorIssue } from '../../ask/outcome.ts';
import { readQueryFlags } from '../../ask/notation/read-flags.ts';
import type { Query } from '../../ask/query/query.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import type { Value } from '../../plan/column.ts';
import { others } from '../../shape/result/marks.ts';
import { checkResult, type Result } from '../../shape/result/result.ts';
import { bindQuestion } from '../answer/bind-question.ts';
import { type DrillFacts, drillDown, toDrillFacts } from '../answer/drill-down.ts';
import { askQuery, type Asking, namesOf, toQuestion } from '../answer/question.ts';
import { wrongArgument } from '../../ask/document/check-argument.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Opened } from './open-library.ts';

/** Options of `drill`. */
export interface DrillOptions {
  /**
   * Members to break the row down by, such as `['docPath', 'hour']`. An empty list adds no breakdown. Defaults to the
   * next finer granularity of time.
   */
  readonly by?: readonly string[] | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

export function drillInto(
  opened: Opened,
  result: Result<object>,
  given: object | number,
  options: DrillOptions = {},
): Promise<Query> {
  return opened.call('drill', options, async (signal) => {
    checkResult('drill', result);
    const { query, asOf } = result.provenance;
    const bindOptions = { asOf: Date.parse(asOf), signal };
    const { plans } = await bindQuestion(opened.session, askQuery(query), bindOptions);
    if (plans.length > 1)
      unwrap(
        bad([
          errorIssue('not-drillable', 'A row of a comparison covers several ranges.', {
            hint: 'Remove the comparison, then drill down.',
          }),
        ]),
        'The drill-down',
      );
    const facts = toDrillFacts(query, plans);
    const cells = readRow(result, given, facts);
    const isOther = cells.index === undefined ? undefined : isOthers(result, cells.index);
    const { by } = options;
    const drilled = unwrap(
      drillDown(facts, cells.read, { by: { kind: by ? 'nothing' : 'time' }, isOther }),
      'The drill-down',
    );
    const row = withExactRanges(drilled, facts);
    if (!by || by.length === 0) return row;
    const asking: Asking = (model) =>
      toQuestion(readQueryFlags({ dimensions: by }, { over: row, members: namesOf(model).members }), 'The drill-down');
    const { question } = await bindQuestion(opened.session, asking, bindOptions);
    return question.saved.query;
  });
}

interface ReadRow {
  readonly index: number | undefined;
  readonly read: (key: string) => Value;
}

/** Reads a row given as its index, as an element of `rows()`, or as an object with the values of all groups. */
function readRow(result: Result<object>, row: unknown, { columns }: DrillFacts): ReadRow {
  const index = typeof row === 'number' ? row : result.rows().indexOf(row as object);
  if (typeof row === 'number' && !(Number.isInteger(row) && row >= 0 && row < result.rowCount))
    throw wrongArgument('drill', `The result has no row ${row}.`, `Pass a number from 0 to ${result.rowCount - 1}.`);
  const groups = columns.filter(({ kind }) => kind !== 'measure');
  const has = (key: string) =>
    index >= 0 ? result.columns.some((column) => column.key === key) : Object.hasOwn(Object(row) as object, key);
  const lost = groups.find(({ key }) => !has(key));
  if (lost)
    throw wrongArgument('drill', `The row lacks ${lost.key}.`, 'Pass a row of the result that `query` returned.');
  if (index >= 0) return { index, read: (key) => result.values(key)[index] ?? null };
  const values = row as Readonly<Record<string, Value>>;
  for (const { key } of groups) {
    const value: unknown = values[key];
    if (value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)) continue;
    throw wrongArgument('drill', `${key} is ${describeValue(value)}.`, 'Pass a row of `result.rows()`, or its number.');
  }
  return { index: undefined, read: (key) => values[key] ?? null };
}

function isOthers({ columns, marks }: Result<object>, row: number): boolean {
  return columns.some(({ key }) => (marks.of(key, row) & others) !== 0);
}

/** Replaces relative ranges by exact ones, so that the query returns the same rows tomorrow. */
function withExactRanges(query: Query, { query: asked, ranges, zone }: DrillFacts): Query {
  const { timeDimensions } = query;
  if (!timeDimensions) return query;
  return {
    ...query,
    timeDimensions: timeDimensions.map((time) => {
      const index = (asked.timeDimensions ?? []).findIndex(
        ({ dimension, dateRange }) => dimension === time.dimension && dateRange === time.dateRange,
      );
      const range = time.dateRange === undefined ? undefined : ranges[index];
      return range ? { ...time, dateRange: writeRange(range, zone) } : time;
    }),
  };
}

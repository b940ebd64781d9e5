import type { Weekday, TimeRange } from '../../../ask/time/range.ts';
import type { CanonicalQuery } from '../../../ask/query/query.ts';
import type { Column } from '../../../plan/column.ts';

/** What it takes to ask further from an answer. */
export interface DrillFacts {
  readonly query: CanonicalQuery;
  readonly columns: readonly Column[];
  /** Of the answer's days: a canonical IANA name. */
  readonly zone: string;
  readonly weekStart: Weekday | undefined;
  /** The range of each of the query's time dimensions, in their order, as it was read when the question was asked. */
  readonly ranges: readonly (TimeRange | undefined)[];
  /** Full names of the measures that the query's filters may name. */
  readonly measures: ReadonlySet<string>;
  /** Full name of the time dimension that a bare range belongs to. */
  readonly timeMember: string | undefined;
}

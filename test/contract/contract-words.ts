import type { Filter, FilterOperator, FilterValue, Query, TimeDimension } from '../../src/ask/query/query.ts';
import type { Cell } from './oracle-rows.ts';

export interface ContractQuestion {
  readonly query: Query;
  /** In the order of the columns: dimensions, bucket, measures. */
  readonly rows: readonly (readonly Cell[])[];
  readonly total?: number;
}

export const berlin = 'Europe/Berlin';
export const newYork = 'America/New_York';

export const count = 'TrackedEvents.count';
export const users = 'TrackedEvents.uniqueUsersCount';
export const path = 'TrackedEvents.docPath';
export const agent = 'TrackedEvents.agentName';
export const time = 'TrackedEvents.utcTime';
export const offset = 'TrackedEvents.localTzOffset';

export function per(
  granularity: NonNullable<TimeDimension['granularity']>,
  dateRange?: TimeDimension['dateRange'],
  timezone?: string,
): Query {
  return {
    measures: [count],
    timeDimensions: [{ dimension: time, granularity, ...(dateRange && { dateRange }) }],
    ...(timezone && { timezone }),
  };
}

export const where = (member: string, operator: FilterOperator, ...values: readonly FilterValue[]): Filter =>
  values.length > 0 ? { member, operator, values } : { member, operator };

/** The label of buckets of a day and longer. */
export const day = (date: string) => `${date}T00:00:00.000`;

import type { AnyModel, ModelTypes } from './model-types.ts';
import { cubeOf } from './member-name.ts';
import type { DateRangeText, Filter, FilterOperator, FilterValue, OrderDirection, OrderPair, Query, TimeDimension } from './query.ts';
import type { Queryable, QueryBuilder } from './query-builder.ts';
import { usualTimeMember } from './time-member.ts';

/**
 * Starts a query:
 *
 * ```ts
 * query<Shop>().measures('Orders.count').by('Orders.city').time('Orders.paidAt', 'day').range('last 30 days')
 * ```
 *
 * With a model type, names are completed and rows are typed; without one every name is taken.
 */
export function query<Model extends ModelTypes = AnyModel>(): QueryBuilder<Model> {
  // One loose builder serves all models: the model exists only as a type.
  return toBuilder({ query: {}, range: undefined }) as unknown as QueryBuilder<Model>;
}

/** The plain query of a query or builder. */
export function toQuery(asked: Queryable): Query {
  return 'toQuery' in asked && typeof asked.toQuery === 'function' ? asked.toQuery() : (asked as Query);
}

interface Draft {
  readonly query: Query & { readonly order?: readonly OrderPair[] | undefined };
  /** A range that came before its time dimension. */
  readonly range: Pick<TimeDimension, 'dateRange' | 'compareDateRange'> | undefined;
}

type LooseCondition =
  | readonly [member: string, operator: FilterOperator, ...values: FilterValue[]]
  | { readonly and: readonly LooseCondition[] }
  | { readonly or: readonly LooseCondition[] };

function toBuilder(draft: Draft) {
  const { query } = draft;
  const having = (more: Partial<Draft['query']>) => toBuilder({ ...draft, query: { ...query, ...more } });
  const filtered = (filter: Filter) => having({ filters: [...(query.filters ?? []), filter] });
  const dimensions = (...names: readonly string[]) => having({ dimensions: [...(query.dimensions ?? []), ...names] });
  const finish = () => deepFreeze(structuredClone(withPendingRange(draft)));
  return Object.freeze({
    measures: (...names: readonly string[]) => having({ measures: [...(query.measures ?? []), ...names] }),
    dimensions,
    by: dimensions,
    time: (dimension: string, granularity?: TimeDimension['granularity'], dateRange?: DateRangeText) => {
      const range = dateRange === undefined ? draft.range : { dateRange };
      const time = { dimension, ...(granularity && { granularity }), ...range };
      return toBuilder({ query: { ...query, timeDimensions: [...(query.timeDimensions ?? []), time] }, range: undefined });
    },
    range: (dateRange: DateRangeText) => toBuilder(ranged(draft, { dateRange })),
    compare: (...compareDateRange: readonly DateRangeText[]) => toBuilder(ranged(draft, { compareDateRange })),
    segments: (...names: readonly string[]) => having({ segments: [...(query.segments ?? []), ...names] }),
    where: (member: string, operator: FilterOperator, ...values: readonly FilterValue[]) => filtered(toFilter([member, operator, ...values])),
    whereAny: (conditions: readonly LooseCondition[]) => filtered({ or: conditions.map(toFilter) }),
    whereAll: (conditions: readonly LooseCondition[]) => filtered({ and: conditions.map(toFilter) }),
    order: (member: string, direction: OrderDirection = 'asc') => having({ order: [...(query.order ?? []), [member, direction]] }),
    limit: (limit: number) => having({ limit }),
    offset: (offset: number) => having({ offset }),
    zone: (timezone: string) => having({ timezone }),
    total: () => having({ total: true }),
    ungrouped: () => having({ ungrouped: true }),
    toQuery: finish,
    toJSON: finish,
  });
}

function ranged(draft: Draft, range: NonNullable<Draft['range']>): Draft {
  const times = draft.query.timeDimensions ?? [];
  const last = times.at(-1);
  if (!last) return { ...draft, range };
  const { dimension, granularity } = last;
  return { ...draft, query: { ...draft.query, timeDimensions: [...times.slice(0, -1), { dimension, ...(granularity && { granularity }), ...range }] } };
}

function withPendingRange({ query, range }: Draft): Query {
  if (!range) return query;
  const dimension = usualTimeMember(cubeOf([...(query.measures ?? []), ...(query.dimensions ?? [])][0] ?? ''));
  return { ...query, timeDimensions: [{ dimension, ...range }] };
}

function toFilter(condition: LooseCondition): Filter {
  if ('and' in condition) return { and: condition.and.map(toFilter) };
  if ('or' in condition) return { or: condition.or.map(toFilter) };
  const [member, operator, ...values] = condition;
  return values.length === 0 ? { member, operator } : { member, operator, values };
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

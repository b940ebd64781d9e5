/**
 * The entry point `sluice/query`: builds, reads and checks queries, also in browsers. It does no I/O and loads neither
 * the engine nor Node APIs.
 */
export { query, queryFrom, toQuery } from '../ask/query/builder.ts';
export type { Queryable, QueryBuilder, RowOf } from '../ask/query/builder.ts';
export type { BuiltInModel } from '../ask/query/built-in-types.ts';
export type { AnyModel, LooseRow, ModelTypes, RowValue, UsualModel } from '../ask/query/model-types.ts';
export { readQuery } from '../ask/query/query-schema.ts';
export { querySchema, readNotation, toCanonicalQuery, writeNotation } from './library/notation.ts';
export type { QueryFailure, QuerySchema } from './library/notation.ts';
export type { NotationOptions } from '../ask/notation/read-notation.ts';
export type {
  CanonicalQuery,
  DateRangeText,
  Filter,
  FilterOperator,
  FilterValue,
  MemberFilter,
  OrderDirection,
  Query,
  TimeDimension,
} from '../ask/query/query.ts';
export type { FillMode, SavedQuery } from '../ask/query/saved-query.ts';
export type { Granularity } from '../ask/time/granularity.ts';
/**
 * These classes differ from those of the entry point `sluice`. Compare an error's `code` instead of using `instanceof`.
 */
export { InvalidInputError, SluiceError } from '../ask/sluice-error.ts';
export type { Issue, Outcome, Span } from '../ask/outcome.ts';
export type { Located } from '../ask/document/located.ts';

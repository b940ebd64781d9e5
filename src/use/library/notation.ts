import { checkNames, checkObject, wrongArgument } from '../../ask/document/check-argument.ts';
import { describeValue } from '../../ask/document/describe-value.ts';
import type { Located } from '../../ask/document/located.ts';
import { type NotationOptions, readNotation as readLine } from '../../ask/notation/read-notation.ts';
import { writeNotation as writeLine } from '../../ask/notation/write-notation.ts';
import { type Queryable, toQuery } from '../../ask/query/builder.ts';
import { toCanonicalQuery as canonicalOf } from '../../ask/query/canonical-query.ts';
import type { CanonicalQuery, Query } from '../../ask/query/query.ts';
import { querySchema as schema, readQuery } from '../../ask/query/query-schema.ts';
import { unwrap } from '../workspace/refuse.ts';

// What `sluice/query` reads and writes, for programs that no compiler checks.

/**
 * Reads a question in one line:
 *
 * ```
 * pageViewsCount by docPath day last 30 days where eventType = pageview top 10
 * Sessions.count by agentName where (osName = Linux or osName ^= Mac) and averageDurationMinutes > 2
 * count compare this month with last month
 * count by docPath last 7 days compare with previous top 5 with other
 * raw events docPath, userId today limit 50
 * ```
 *
 * Measures first, then clauses in any order: `by`, a range of time, `where`, `segment`, `top`, `bottom`, `order by`,
 * `limit`, `offset`, `in` a time zone, `compare`. Returns the query, or all issues at once with their places in the
 * line; `locate` finds the parts of the query in it. Throws `InvalidInputError` only for what is no text or no option.
 */
export function readNotation(text: string, options: NotationOptions = {}): Located<Query> {
  if (typeof text !== 'string')
    throw wrongArgument('readNotation', `The question must be text, not ${describeValue(text)}.`);
  checkNotationOptions('readNotation', options);
  return readLine(text, options);
}

/** What is wrong with a value, in the words of Standard Schema, an interface that libraries of schemas share. */
export interface QueryFailure {
  /** One or more, a sentence each. `key` is a name or index, too. */
  readonly issues: readonly {
    /** Says what is wrong. */
    readonly message: string;
    /** Leads to the part that is wrong. */
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }[];
}

/** A schema of queries, for programs and libraries that take schemas. `readQuery` says more of what is wrong. */
export interface QuerySchema {
  /** The query. Throws an error with the `issues` of a `QueryFailure`. */
  parse(value: unknown): Query;
  /** The query as `data`, or what is wrong as `error`. Throws nothing. */
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Query } | { readonly success: false; readonly error: QueryFailure };
  /** For libraries that know Standard Schema: its `version`, `vendor`, `validate` and `types` (`input`, `output`). */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => QueryResult | Promise<QueryResult>;
    readonly types?: { readonly input: unknown; readonly output: Query } | undefined;
  };
}

type QueryResult = { readonly value: Query; readonly issues?: undefined } | QueryFailure;

/**
 * The load body's `query`, as strict as Cube 1.7 is about it: keys that it does not know are issues (`renewQuery` too),
 * limits are whole numbers from 0, filters need values where their operator compares.
 */
export const querySchema: QuerySchema = schema;

/**
 * A query or builder as one line that reads back to the same query; undefined where a line cannot say it (`total`,
 * `ungrouped` with measures, no order at all, a range on a second time dimension …). Throws `InvalidInputError` for a
 * query that is not valid.
 */
export function writeNotation(query: Queryable, options: NotationOptions = {}): string | undefined {
  checkNotationOptions('writeNotation', options);
  return writeLine(checked('writeNotation', query), options);
}

/**
 * The one canonical form of a query or builder: keys in a fixed order; empty lists left out (but for `order: []`, which
 * asks for no order) and so is `false`; names once; order as pairs; numbers and booleans among filter values as text;
 * `Cube.time.day` among the dimensions as a time dimension. Doing it twice changes nothing. Throws `InvalidInputError`
 * for a query that is not valid.
 */
export function toCanonicalQuery(query: Queryable): CanonicalQuery {
  return canonicalOf(checked('toCanonicalQuery', query));
}

function checked(called: string, query: Queryable): Query {
  checkObject(called, 'The query', query);
  return unwrap(readQuery(toQuery(query)), 'The query');
}

function checkNotationOptions(called: string, options: NotationOptions): void {
  checkNames(called, options, ['defaultCube', 'members']);
  const { defaultCube, members } = options;
  if (defaultCube !== undefined && typeof defaultCube !== 'string')
    throw wrongArgument(called, `"defaultCube" must be text, not ${describeValue(defaultCube)}.`);
  if (members !== undefined && typeof members !== 'object')
    throw wrongArgument(called, `"members" must be a catalogue of names, not ${describeValue(members)}.`);
}

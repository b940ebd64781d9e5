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

// Functions of `sluice/query`. They check their arguments, because plain JavaScript is not type-checked.

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
 * Measures come first, then clauses in any order: `by`, a time range, `where`, `segment`, `top`, `bottom`, `order by`,
 * `limit`, `offset`, `in` a time zone, `compare`. Returns the query, or all issues with their positions in the line;
 * `locate` finds parts of the query in the line. Throws `InvalidInputError` only if the text is not a string or an
 * option is not valid.
 */
export function readNotation(text: string, options: NotationOptions = {}): Located<Query> {
  if (typeof text !== 'string')
    throw wrongArgument('readNotation', `The question must be text, not ${describeValue(text)}.`);
  checkNotationOptions('readNotation', options);
  return readLine(text, options);
}

/** The issues of an invalid value, in the format of Standard Schema, an interface that schema libraries share. */
export interface QueryFailure {
  /** One or more issues. A `key` is the name or index of a part. */
  readonly issues: readonly {
    /** Describes the problem in a sentence. */
    readonly message: string;
    /** Path to the invalid part. */
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }[];
}

/** A schema of queries, for libraries that accept schemas. `readQuery` reports issues in more detail. */
export interface QuerySchema {
  /** Returns the query. Throws an error with the `issues` of a `QueryFailure`. */
  parse(value: unknown): Query;
  /** Returns the query as `data`, or the issues as `error`. Never throws. */
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Query } | { readonly success: false; readonly error: QueryFailure };
  /** Standard Schema's interface: `version`, `vendor`, `validate` and `types` (`input`, `output`). */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => QueryResult | Promise<QueryResult>;
    readonly types?: { readonly input: unknown; readonly output: Query } | undefined;
  };
}

type QueryResult = { readonly value: Query; readonly issues?: undefined } | QueryFailure;

/**
 * Validates the `query` of a load body as strictly as Cube 1.7: unknown keys are issues (including `renewQuery`),
 * limits are whole numbers from 0, and comparing filters need values.
 */
export const querySchema: QuerySchema = schema;

/**
 * Writes a query or builder as one line that `readNotation` reads back to the same query. Returns undefined if the
 * notation cannot express it (`total`, `ungrouped` with measures, no order at all, a range on a second time dimension
 * …). Throws `InvalidInputError` if the query is not valid.
 */
export function writeNotation(query: Queryable, options: NotationOptions = {}): string | undefined {
  checkNotationOptions('writeNotation', options);
  return writeLine(checked('writeNotation', query), options);
}

/**
 * Returns the canonical form of a query or builder. Keys have a fixed order. Empty lists and `false` are left out,
 * except `order: []`, which requests no order. Duplicate names are removed, orders become pairs, numbers and booleans
 * in filter values become text, and a dimension `Cube.time.day` becomes a time dimension. The canonical form of a
 * canonical query is the query itself. Throws `InvalidInputError` if the query is not valid.
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

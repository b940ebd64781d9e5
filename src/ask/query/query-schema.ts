import { z } from 'zod';
import { quote } from '../text.ts';
import { granularities } from '../time/granularity.ts';
import { groupPattern, memberPattern, writtenNamePattern } from './member-name.ts';
import {
  type Filter,
  type FilterOperator,
  type Query,
  asksForSomething,
  cacheModes,
  filterOperators,
  needsValues,
} from './query.ts';
import { readValue } from '../document/read-value.ts';
import type { IssuePath, Outcome } from '../outcome.ts';

/** The name of a member: `Cube.member`. */
export const memberSchema = z
  .string()
  .regex(memberPattern(), {
    error: (issue) =>
      `${quote(String(issue.input))} is not a valid member name.\n` +
      'Write `Cube.member`, such as `TrackedEvents.count`.',
  })
  .meta({ id: 'member', description: 'Name of a member: Cube.member.' });

const listInList =
  'A value cannot be a list.\n' +
  "Give the values one by one: `values: [a, b]`, or in code `where(member, operator, 'a', 'b')`.";

const comparison = {
  operator: z.enum(filterOperators).describe('How the member is compared with the values.'),
  values: z
    .array(
      z.union([z.string(), z.number(), z.boolean(), z.null()], {
        error: ({ input }) => (Array.isArray(input) ? listInList : undefined),
      }),
    )
    .optional()
    .describe('The values to compare with; null means no value. Omit them for set, notSet and measureFilter.'),
};

const valuesMissing = {
  path: ['values'],
  params: { code: 'values-required' },
  error: '"values" is missing: this operator requires values.\nOnly set, notSet and measureFilter take no values.',
};

// A builder writes null for an empty list of conditions.
const noConditions = 'The list requires at least one condition.\nLeave it out to keep every row.';

/** The schema of conditions on members with such names. */
function filtersOf(member: z.ZodType<string>, id: string): z.ZodType<Filter> {
  const nested = z.array(
    z.lazy((): z.ZodType<Filter> => schema),
    { error: ({ input }) => (input === null ? noConditions : undefined) },
  );
  const schema: z.ZodType<Filter> = z
    .union([
      z.strictObject({ member, ...comparison }).refine(hasValues, valuesMissing),
      z
        .strictObject({ dimension: member.describe('An older name for member.'), ...comparison })
        .refine(hasValues, valuesMissing)
        .transform(({ dimension, ...rest }) => ({ member: dimension, ...rest })),
      z.strictObject({ and: nested.describe('All of these conditions must hold.') }),
      z.strictObject({
        or: nested.describe('At least one of these conditions must hold. An empty list filters nothing.'),
      }),
    ])
    .meta({ id, description: 'Keeps only matching rows or, for a measure, only matching groups.' });
  return schema;
}

/** A condition, or several joined by `and` or `or`, to any depth. `dimension` is an alias of `member`. */
export const filterSchema = filtersOf(memberSchema, 'filter');

/** The same before short names are completed: `plan` for `TrackedEvents.props.plan`. */
export const writtenFilterSchema = filtersOf(
  z.string().min(1).meta({ id: 'writtenMember', description: 'Name of a member: Cube.member, or without the cube.' }),
  'writtenFilter',
);

function hasValues(filter: {
  readonly operator: FilterOperator;
  readonly values?: readonly unknown[] | undefined;
}): boolean {
  return !needsValues(filter.operator) || (filter.values?.length ?? 0) > 0;
}

const groupSchema = z
  .string()
  .regex(groupPattern(), {
    error: (issue) =>
      `${quote(String(issue.input))} is not a valid dimension name.\n` +
      'Write `Cube.dimension`, or `Cube.time.day` for a time by day.',
  })
  .meta({ description: 'Name of a dimension, or of a time with its granularity: Cube.time.day.' });

const rangeSchema = z.union([z.string(), z.array(z.string()).min(1).max(2)]);

const timeDimensionSchema = z
  .strictObject({
    dimension: memberSchema,
    granularity: z
      .union([z.enum(granularities), z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/)], {
        error: ({ input }) =>
          `${quote(String(input))} is not the name of a granularity.\n` +
          `Use one of ${granularities.join(', ')}, or one of the model.`,
      })
      .optional()
      .describe(
        'The size of the time buckets to group by: a standard one, or one of the model. ' +
          'Without it, only the range applies.',
      ),
    dateRange: rangeSchema
      .optional()
      .describe('A phrase such as "last 30 days", one day, or the first and last day, both included.'),
    compareDateRange: z
      .array(rangeSchema)
      .min(1)
      .optional()
      .describe('Several ranges to compare, each written as in dateRange.'),
  })
  .refine((time) => time.dateRange === undefined || time.compareDateRange === undefined, {
    path: ['compareDateRange'],
    params: { code: 'two-ranges' },
    error: '"dateRange" and "compareDateRange" cannot be used together.\nPut every range into "compareDateRange".',
  });

const directionSchema = z.enum(['asc', 'desc']);

const orderNameSchema = z.string().regex(writtenNamePattern(), {
  error: (issue) =>
    `${quote(String(issue.input))} is not a valid name to order by.\n` +
    'Write `Cube.member`, or `Cube.time.day` for a time by day.',
});

const orderSchema = z
  .union([z.array(z.tuple([orderNameSchema, directionSchema])), z.record(orderNameSchema, directionSchema)])
  .describe(
    'Members and directions, most important first: [[Cube.member, desc]] or {Cube.member: desc}. ' +
      'An empty list means no order.',
  );

/**
 * The load body's `query`, as strict as Cube 1.7: unknown keys (including `renewQuery`) are issues, limits are whole
 * numbers from 0, and filters need values if their operator compares.
 */
export const querySchema: z.ZodType<Query> = z
  .strictObject({
    measures: z.array(memberSchema).optional().describe('What to count, sum or average.'),
    formulas: z
      .record(memberSchema, z.string().min(1).max(2000))
      .optional()
      .describe(
        'Measures that the query makes of others: {Cube.name: formula}. A formula has measures, ' +
          'numbers, + - * / and brackets; after a measure "rolling 28 days", "moving average 7", "cumulative", ' +
          '"share" or "avg per user"; in brackets, figures of only the rows that meet a condition: ' +
          '"(count where plan = pro)". Names without a cube belong to the cube of the formula.',
      ),
    dimensions: z.array(groupSchema).optional().describe('What to break the result down by.'),
    timeDimensions: z
      .array(timeDimensionSchema)
      .optional()
      .describe('The time range of the query, and the size of its time buckets.'),
    columns: z
      .array(groupSchema)
      .optional()
      .describe(
        'The groups whose columns come first, such as [Cube.time.day]. ' +
          'Otherwise dimensions stand before buckets of time.',
      ),
    segments: z.array(memberSchema).optional().describe('Named conditions of the model. All of them must hold.'),
    filters: z.array(filterSchema).optional().describe('Conditions. All of them must hold.'),
    order: orderSchema.optional(),
    limit: z.int().min(0).optional().describe('The maximum number of rows.'),
    other: z
      .boolean()
      .optional()
      .describe('Adds a row, in each bucket, for all groups beyond the limit. The limit then counts groups.'),
    offset: z.int().min(0).optional().describe('How many rows to skip.'),
    timezone: z
      .string()
      .min(1)
      .optional()
      .describe('The IANA time zone of days and buckets, such as Europe/Berlin (default: UTC).'),
    total: z.boolean().optional().describe('Also count all rows, ignoring the limit.'),
    ungrouped: z.boolean().optional().describe('Return the rows of the source without grouping.'),
    responseFormat: z.enum(['default', 'compact', 'columnar']).optional().describe('The row format of the load API.'),
    cacheMode: z.enum(cacheModes).optional().describe('How the load API may use its cache.'),
  })
  .refine((query) => asksForSomething(query), {
    params: { code: 'nothing-asked' },
    error: 'The query requests nothing.\nGive it a measure, a dimension, or a time dimension with a granularity.',
  })
  .meta({ title: 'Query', description: 'A query of the semantic layer.' });

/** Reads a query from plain data, such as the `query` of a JSON body. Returns all issues with paths. Never throws. */
export function readQuery(value: unknown): Outcome<Query> {
  return readValue(value, querySchema);
}

/** Selects filter values, which compare as text: `1.10` and `007` are not the numbers 1.1 and 7. */
export function isFilterValue(path: IssuePath): boolean {
  return path.at(-2) === 'values' && typeof path.at(-1) === 'number';
}

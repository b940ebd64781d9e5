import { z } from 'zod';
import { didYouMean } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities, isGranularity } from '../time/granularity.ts';
import { asksForSomething } from './bare-query.ts';
import { groupPattern, isCohortName, memberPattern, writtenNamePattern } from './member-name.ts';
import { needsValues } from './operators.ts';
import { isPropertyName } from './property-name.ts';
import { cacheModes, type Filter, type FilterOperator, filterOperators, type Query } from './query.ts';

/** Names a member: `Cube.member`. */
export const memberSchema = z
  .string()
  .regex(memberPattern, {
    error: (issue) =>
      `${quote(String(issue.input))} is no name of a member.\nMembers are written \`Cube.member\`, such as \`TrackedEvents.count\`.`,
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
    .describe(
      'What the member is compared with; null stands for no value. Left out for set, notSet and measureFilter.',
    ),
};

const valuesMissing = {
  path: ['values'],
  params: { code: 'values-required' },
  error:
    '"values" is missing: this operator compares with something.\nOnly set, notSet and measureFilter take no values.',
};

const memberFilter = z.strictObject({ member: memberSchema, ...comparison }).refine(hasValues, valuesMissing);

const dimensionFilter = z
  .strictObject({ dimension: memberSchema.describe('An older word for member.'), ...comparison })
  .refine(hasValues, valuesMissing)
  .transform(({ dimension, ...rest }) => ({ member: dimension, ...rest }));

const nested = z.array(z.lazy((): z.ZodType<Filter> => filterSchema));

/** One condition, or several joined by `and` or `or`, to any depth. `dimension` is taken for `member`. */
export const filterSchema: z.ZodType<Filter> = z
  .union([
    memberFilter,
    dimensionFilter,
    z.strictObject({ and: nested.describe('All of them hold.') }),
    z.strictObject({ or: nested.describe('At least one of them holds. An empty list filters nothing.') }),
  ])
  .meta({ id: 'filter', description: 'Which rows, or for a measure which groups, are kept.' });

function hasValues(filter: {
  readonly operator: FilterOperator;
  readonly values?: readonly unknown[] | undefined;
}): boolean {
  return !needsValues(filter.operator) || (filter.values?.length ?? 0) > 0;
}

const groupSchema = z
  .string()
  .regex(groupPattern, {
    error: (issue) =>
      `${quote(String(issue.input))} is no name of a dimension.\n` +
      'Dimensions are written `Cube.dimension`, or `Cube.time.day` for time in days.',
  })
  .check((context) => {
    const [, , granularity] = context.value.split('.');
    if (isPropertyName(context.value) || isCohortName(context.value)) return;
    if (granularity === undefined || isGranularity(granularity) || !groupPattern.test(context.value)) return;
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `${quote(granularity)} is no granularity.\n${didYouMean(granularity, granularities) ?? `There are ${granularities.join(', ')}.`}`,
      params: { code: 'unknown-value' },
    });
  });

const rangeSchema = z.union([z.string(), z.array(z.string()).min(1).max(2)]);

const timeDimensionSchema = z
  .strictObject({
    dimension: memberSchema,
    granularity: z
      .enum(granularities)
      .optional()
      .describe('The size of the buckets that rows are grouped by. Without it only the range counts.'),
    dateRange: rangeSchema
      .optional()
      .describe('A phrase such as "last 30 days", one day, or first and last day, both inside.'),
    compareDateRange: z
      .array(rangeSchema)
      .optional()
      .describe('Several ranges beside each other, each as in dateRange.'),
  })
  .refine((time) => time.dateRange === undefined || time.compareDateRange === undefined, {
    path: ['compareDateRange'],
    params: { code: 'two-ranges' },
    error: '"dateRange" and "compareDateRange" cannot stand together.\nPut every range into "compareDateRange".',
  });

const directionSchema = z.enum(['asc', 'desc']);

const orderNameSchema = z.string().regex(writtenNamePattern, {
  error: (issue) =>
    `${quote(String(issue.input))} is no name to order by.\nWrite \`Cube.member\`, or \`Cube.time.day\` for a time in days.`,
});

const orderSchema = z
  .union([z.array(z.tuple([orderNameSchema, directionSchema])), z.record(orderNameSchema, directionSchema)])
  .describe(
    'Members and directions, the first counts most: [[Cube.member, desc]] or {Cube.member: desc}. An empty list asks for no order.',
  );

/**
 * The load body's `query`, as strict as Cube 1.7 is about it: keys that it does not know are issues
 * (`renewQuery` too), limits are whole numbers from 0, filters need values where their operator compares.
 */
export const querySchema: z.ZodType<Query> = z
  .strictObject({
    measures: z.array(memberSchema).optional().describe('What is counted, summed or averaged.'),
    dimensions: z.array(groupSchema).optional().describe('What the answer is broken down by.'),
    timeDimensions: z
      .array(timeDimensionSchema)
      .optional()
      .describe('Time: the range that is looked at, and the buckets of the answer.'),
    segments: z.array(memberSchema).optional().describe('Named conditions of the model that all hold.'),
    filters: z.array(filterSchema).optional().describe('Conditions that all hold.'),
    order: orderSchema.optional(),
    limit: z.int().min(0).optional().describe('The most rows that the answer has.'),
    offset: z.int().min(0).optional().describe('How many rows are skipped first.'),
    timezone: z
      .string()
      .min(1)
      .optional()
      .describe('The time zone of days and buckets by its IANA name, such as Europe/Berlin. UTC where not set.'),
    total: z.boolean().optional().describe('Also count all rows, as if there were no limit.'),
    ungrouped: z.boolean().optional().describe('A row for each row of the source.'),
    responseFormat: z.enum(['default', 'compact', 'columnar']).optional().describe('How the load API shapes its rows.'),
    cacheMode: z.enum(cacheModes).optional().describe('How far the load API may answer from its cache.'),
  })
  .refine((query) => asksForSomething(query), {
    params: { code: 'nothing-asked' },
    error: 'The query asks for nothing.\nGive it a measure, a dimension, or a time dimension with a granularity.',
  })
  .meta({ title: 'Query', description: 'A question to the semantic layer.' });

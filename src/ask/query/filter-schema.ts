import { z } from 'zod';
import { memberPattern } from './member-name.ts';
import { needsValues } from './operators.ts';
import { type Filter, type FilterOperator, filterOperators } from './query.ts';
import { quote } from '../quote.ts';

/** Names a member: `Cube.member`. */
export const memberSchema = z
  .string()
  .regex(memberPattern, {
    error: (issue) => `${quote(String(issue.input))} is no name of a member.\nMembers are written \`Cube.member\`, such as \`TrackedEvents.count\`.`,
  })
  .meta({ id: 'member', description: 'Name of a member: Cube.member.' });

const listInList = 'A value cannot be a list.\n'
  + "Give the values one by one: `values: [a, b]`, or in code `where(member, operator, 'a', 'b')`.";

const comparison = {
  operator: z.enum(filterOperators).describe('How the member is compared with the values.'),
  values: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()], { error: ({ input }) => (Array.isArray(input) ? listInList : undefined) }))
    .optional()
    .describe('What the member is compared with; null stands for no value. Left out for set, notSet and measureFilter.'),
};

const valuesMissing = {
  path: ['values'],
  params: { code: 'values-required' },
  error: '"values" is missing: this operator compares with something.\nOnly set, notSet and measureFilter take no values.',
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

function hasValues(filter: { readonly operator: FilterOperator; readonly values?: readonly unknown[] | undefined }): boolean {
  return !needsValues(filter.operator) || (filter.values?.length ?? 0) > 0;
}

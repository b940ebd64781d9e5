import { z } from 'zod';
import { follow, where } from '../analysis/event-match.ts';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import { badWith, good } from '../outcome.ts';
import { asProperty, readColumn } from '../query/member-name.ts';
import { readPropertyMember, writePropertyMember } from '../query/property-name.ts';
import { quote } from '../text.ts';
import { breakdown, heading, match, period, readBreakdown, readMatch } from './activity-schema.ts';
import { activityPeriods, cohortRules, type Retention, type RetentionValue, retentionWindows } from './retention.ts';

const value = z
  .string()
  .check((context) => {
    if (readValueOf(context.value)) return;
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `${quote(context.value)} is not a value of users.\nWrite \`sum(props.amount)\` or \`avg(props.amount)\`.`,
    });
  })
  .describe(
    "sum(props.NAME) or avg(props.NAME): a property's numbers, added up for each user in the period (starts in period 0, returns later), then over the users, or as their mean.",
  );

const retentionSchema = z
  .strictObject({
    ...heading,
    retention: z.strictObject({
      start: match.optional(),
      return: match.optional().describe('Which events count as a return; those of start by default.'),
      where: where.optional(),
      follow,
      cohort: z
        .enum([...cohortRules, ...activityPeriods])
        .optional()
        .describe(
          'recurring (default): users join the cohort of every period in which they start. ' +
            'first_time: only that of their first start. first_ever: only that of their first event of the type, ' +
            'if it is a start. hour, day, week or month: recurring, by this period.',
        ),
      period: period.describe('The length of a period: hour, day, week or month; week by default.'),
      periods: z.int().min(1).max(1000).optional().describe('How many periods to follow; 11 by default.'),
      window: z
        .enum(retentionWindows)
        .optional()
        .describe("calendar (default), or 24h: periods of 24 hours from each user's own start."),
      min_occurrences: z
        .int()
        .min(1)
        .optional()
        .describe('How many returns within one period count as coming back; 1 by default.'),
      cumulative: z.boolean().optional().describe('Count users who return in the period or in a later one.'),
      breakdown: breakdown.optional(),
      value: value.optional(),
    }),
  })
  .meta({ title: 'Retention file', description: 'Who comes back in each period after they started.' });

function readValueOf(written: string | undefined): RetentionValue | undefined {
  const { compute, path, times } =
    (written === undefined ? undefined : readPropertyMember(readColumn(written)?.property ?? asProperty(written))) ??
    {};
  return path && (compute === 'sum' || compute === 'avg')
    ? { compute, property: writePropertyMember({ compute: undefined, path, times }) }
    : undefined;
}

type RetentionFile = z.infer<typeof retentionSchema>;

const form: DefinitionForm<RetentionFile, Retention> = {
  noun: 'retention',
  example: 'weekly_retention',
  schema: retentionSchema,
  toDefinition: ({ retention: written }, name) => {
    if (written.value !== undefined && written.cumulative)
      return badWith('value-of-later', '"value" cannot be combined with "cumulative".', {
        path: ['retention', 'value'],
        hint: 'Remove one of the two.',
      });
    const start = readMatch(written.start);
    const rule = cohortRules.find((each) => each === written.cohort);
    const by = activityPeriods.find((each) => each === written.cohort);
    if (by && written.period && by !== written.period)
      return badWith('two-periods', `The cohorts are by ${by}, and the periods by ${written.period}.`, {
        path: ['retention', 'cohort'],
        hint: `Leave out "period", or write \`cohort: ${written.period}\`.`,
      });
    return good({
      name,
      start,
      comeBack: written.return === undefined ? start : readMatch(written.return),
      where: written.where ?? [],
      follow: written.follow,
      cohorts: rule ?? 'recurring',
      period: written.period ?? by ?? 'week',
      periods: written.periods ?? 11,
      window: written.window ?? 'calendar',
      least: written.min_occurrences ?? 1,
      cumulative: written.cumulative ?? false,
      breakdown: readBreakdown(written.breakdown),
      value: readValueOf(written.value),
    });
  },
};

/** Reads retention files, `{retention: {period, start?, return?, …}}`. */
export const retentionReader: DefinitionReader<Retention> = toDefinitionReader(form);

import { z } from 'zod';
import { where } from '../analysis/event-match-schema.ts';
import { type DefinitionForm, type DefinitionReader, readDefinitions } from '../analysis/read-definitions.ts';
import { good } from '../outcome.ts';
import { breakdown, heading, match, period, readBreakdown, readMatch } from './activity-schema.ts';
import { cohortRules, type Retention, retentionWindows } from './retention.ts';

const retentionSchema = z
  .strictObject({
    ...heading,
    retention: z.strictObject({
      start: match.optional(),
      return: match.optional().describe('Which events count as a return; those of start by default.'),
      where: where.optional(),
      cohort: z
        .enum(cohortRules)
        .optional()
        .describe(
          'recurring (default): users join the cohort of every period in which they start. first_time: only that of their first start. first_ever: only that of their first event of the type, if it is a start.',
        ),
      period: period.describe('The length of a period: hour, day, week or month.'),
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
    }),
  })
  .meta({ title: 'Retention file', description: 'Who comes back in each period after they started.' });

type RetentionFile = z.infer<typeof retentionSchema>;

const form: DefinitionForm<RetentionFile, Retention> = {
  noun: 'retention',
  example: 'weekly_retention',
  schema: retentionSchema,
  toDefinition: ({ retention: written }, name) => {
    const start = readMatch(written.start);
    return good({
      name,
      start,
      comeBack: written.return === undefined ? start : readMatch(written.return),
      where: written.where ?? [],
      cohorts: written.cohort ?? 'recurring',
      period: written.period,
      periods: written.periods ?? 11,
      window: written.window ?? 'calendar',
      least: written.min_occurrences ?? 1,
      cumulative: written.cumulative ?? false,
      breakdown: readBreakdown(written.breakdown),
    });
  },
};

/** Retention files, `{retention: {period, start?, return?, …}}`. */
export const retentionReader: DefinitionReader<Retention> = {
  read: (files, taken) => readDefinitions(form, files, taken),
  toJsonSchema: () => z.toJSONSchema(retentionSchema, { target: 'draft-7', io: 'input' }),
};

import { z } from 'zod';
import { where } from '../analysis/event-match-schema.ts';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import { good } from '../outcome.ts';
import { breakdown, heading, match, period, readBreakdown, readMatch } from './activity-schema.ts';
import { cohortRules, type Retention, retentionWindows } from './retention.ts';

const retentionSchema = z
  .strictObject({
    ...heading,
    retention: z.strictObject({
      start: match.optional(),
      return: match.optional().describe('Which events bring users back; those of start by default.'),
      where: where.optional(),
      cohort: z
        .enum(cohortRules)
        .optional()
        .describe(
          'recurring (default): the cohort of every period with a start. first_time: only of the first start. first_ever: of the first event of its type, if that one is a start.',
        ),
      period: period.describe('The length of a period: hour, day, week or month; week by default.'),
      periods: z.int().min(1).max(1000).optional().describe('How many periods to follow; 11 by default.'),
      window: z
        .enum(retentionWindows)
        .optional()
        .describe("calendar (default), or 24h: periods of 24 hours from each user's own start."),
      min_occurrences: z.int().min(1).optional().describe('Returns within one period that it takes; 1 by default.'),
      cumulative: z.boolean().optional().describe('Count users who return in the period or in a later one.'),
      breakdown: breakdown.optional(),
    }),
  })
  .meta({ title: 'Retention file', description: 'Who comes back, period by period after they started.' });

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
      period: written.period ?? 'week',
      periods: written.periods ?? 11,
      window: written.window ?? 'calendar',
      least: written.min_occurrences ?? 1,
      cumulative: written.cumulative ?? false,
      breakdown: readBreakdown(written.breakdown),
    });
  },
};

/** Retention files, `{retention: {period, start?, return?, …}}`. */
export const retentionReader: DefinitionReader<Retention> = toDefinitionReader(form);

import { z } from 'zod';
import { event, eventText, pageView, target, targets, toMatch, where } from '../analysis/event-match-schema.ts';
import type { EventMatch, Matching } from '../analysis/event-match.ts';
import { defaultCube, isShortName, readCohortMember } from '../query/member-name.ts';
import { memberSchema } from '../query/query-schema.ts';
import { activityPeriods, type ActivityBreakdown } from './retention.ts';

/** What every file of an activity analysis may say of itself. */
export const heading = {
  name: z.string().optional().describe('If set, must be the file name without its extension.'),
  title: z.string().optional().describe('The title of the analysis.'),
  description: z.string().optional().describe('What it shows, and any caveats.'),
};

export const match = z
  .union([
    eventText,
    z.strictObject({
      event: event.optional(),
      target: target.optional().describe('The exact path of the page, such as /cart.'),
      any_of: targets.optional(),
      where: where.optional(),
    }),
  ])
  .describe('Which events count; page views by default.');

export const period = z.enum(activityPeriods).optional();

/** A dimension of events, with its cube or without. */
const eventDimension = z
  .string()
  .transform((name) => {
    const { cube = defaultCube, member = '' } = readCohortMember(name) ?? {};
    if (member.includes('.')) return `${cube}.${member}`;
    return isShortName(name) ? `${defaultCube}.${name}` : name;
  })
  .pipe(memberSchema);

const wholeBreakdown = z
  .strictObject({
    dimension: eventDimension,
    limit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('How many values to keep (default: 25). The rest becomes (other).'),
  })
  .describe('Groups users by a dimension of their own events.');

/** A dimension alone, or with how many of its values are kept. */
export const breakdown = z.union([eventDimension.transform((dimension) => ({ dimension })), wholeBreakdown]);

/** Events of a file; page views if it says nothing. */
export function readMatch(written: Matching = {}): EventMatch {
  return toMatch(written, written.event ?? pageView);
}

export function readBreakdown(written: z.infer<typeof wholeBreakdown> | undefined): ActivityBreakdown | undefined {
  return written && { dimension: written.dimension, limit: written.limit ?? 25 };
}

import { z } from 'zod';
import {
  event,
  eventDimension,
  type EventMatch,
  eventText,
  follow,
  type Matching,
  pageView,
  target,
  targets,
  toMatch,
  where,
} from '../analysis/event-match.ts';
import type { ActiveUsers } from './lifecycle.ts';
import { activityPeriods, type ActivityBreakdown } from './retention.ts';

/** Keys that every activity file may have. */
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

/** A dimension alone, or with a limit on its values. */
export const breakdown = z.union([eventDimension.transform((dimension) => ({ dimension })), wholeBreakdown]);

/** The keys of an analysis of one kind of event, besides its period. */
export const activeKeys = { active: match.optional(), where: where.optional(), follow };

/** Reads them. */
export function readActive(written: ReadActive): Pick<ActiveUsers, keyof ReadActive> {
  return { active: readMatch(written.active), where: written.where ?? [], follow: written.follow };
}

type ReadActive = z.infer<z.ZodObject<typeof activeKeys>>;

/** Reads the events that a file matches. Defaults to page views. */
export function readMatch(written: Matching = {}): EventMatch {
  return toMatch(written, written.event ?? pageView);
}

export function readBreakdown(written: z.infer<typeof wholeBreakdown> | undefined): ActivityBreakdown | undefined {
  return written && { dimension: written.dimension, limit: written.limit ?? 25 };
}

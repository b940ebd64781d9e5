import { z } from 'zod';
import type { ActiveUsers } from './lifecycle.ts';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import { good } from '../outcome.ts';
import { activeKeys, heading, period, readActive } from './activity-schema.ts';

/** A stickiness analysis: in how many periods users are active. Plain data. */
export interface Stickiness extends ActiveUsers {
  /** Periods in a slot, counted from the start of the range. */
  readonly every: number;
  /** How many events a slot needs to count. By default at least one. */
  readonly perSlot: { readonly operator: '>=' | '<=' | '='; readonly events: number };
  /** If true, counts the users with this many slots or more. */
  readonly cumulative: boolean;
}

const count = z.int().min(1);

const perSlot = z
  .union([z.strictObject({ at_least: count }), z.strictObject({ at_most: count }), z.strictObject({ exactly: count })])
  .describe('How many events a slot needs to count: {at_least: n}, {at_most: n} or {exactly: n}; one by default.');

const stickinessSchema = z
  .strictObject({
    ...heading,
    stickiness: z.strictObject({
      ...activeKeys,
      period: period.describe('The length of a period: hour, day, week or month; day by default.'),
      every: count.max(1000).optional().describe('How many periods make one slot; 1 by default.'),
      per_slot: perSlot.optional(),
      cumulative: z.boolean().optional().describe('Count users with at least that many slots.'),
    }),
  })
  .meta({ title: 'Stickiness file', description: 'In how many periods users are active.' });

function readPerSlot(written: z.infer<typeof perSlot> = { at_least: 1 }): Stickiness['perSlot'] {
  if ('at_most' in written) return { operator: '<=', events: written.at_most };
  return 'exactly' in written
    ? { operator: '=', events: written.exactly }
    : { operator: '>=', events: written.at_least };
}

const form: DefinitionForm<z.infer<typeof stickinessSchema>, Stickiness> = {
  noun: 'stickiness',
  example: 'weekly_stickiness',
  schema: stickinessSchema,
  toDefinition: ({ stickiness: written }, name) =>
    good({
      name,
      ...readActive(written),
      period: written.period ?? 'day',
      every: written.every ?? 1,
      perSlot: readPerSlot(written.per_slot),
      cumulative: written.cumulative ?? false,
    }),
};

/** Reads stickiness files, `{stickiness: {period, active?, every?, per_slot?, …}}`. */
export const stickinessReader: DefinitionReader<Stickiness> = toDefinitionReader(form);

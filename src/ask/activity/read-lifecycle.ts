import { z } from 'zod';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import { good } from '../outcome.ts';
import { activeKeys, heading, period, readActive } from './activity-schema.ts';
import type { Lifecycle } from './lifecycle.ts';

const lifecycleSchema = z
  .strictObject({
    ...heading,
    lifecycle: z.strictObject({
      ...activeKeys,
      period: period.describe('The length of a period: hour, day, week or month; week by default.'),
    }),
  })
  .meta({ title: 'Lifecycle file', description: 'Who is new, stays, comes back or leaves in each period.' });

const form: DefinitionForm<z.infer<typeof lifecycleSchema>, Lifecycle> = {
  noun: 'lifecycle',
  example: 'user_lifecycle',
  schema: lifecycleSchema,
  toDefinition: ({ lifecycle: written }, name) =>
    good({ name, ...readActive(written), period: written.period ?? 'week' }),
};

/** Reads lifecycle files, `{lifecycle: {period, active?, where?}}`. */
export const lifecycleReader: DefinitionReader<Lifecycle> = toDefinitionReader(form);

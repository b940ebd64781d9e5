import { z } from 'zod';
import { backendNames } from '../../run/backend.ts';
import { deliverySchema } from '../delivery/delivery-schema.ts';
import { paramTypes } from './param.ts';

/** Names of cells and parameters: they stand in paths between dots. */
export const namePattern = /^[a-z][a-z0-9_]*$/i;

const param = z.strictObject({
  type: z.enum(paramTypes).describe('What is given: a month (2026-10), a week, a date, a range of time, text, a number, or one of the options.'),
  title: z.string().optional().describe('What people call it.'),
  description: z.string().optional(),
  default: z.union([z.string(), z.number()]).optional().describe('What it is where nothing is given, such as last closed month.'),
  options: z.array(z.string()).min(1).optional().describe('choice only: what there is to choose from.'),
});

/** What stands between the `---` lines of a report. */
export const frontMatterSchema = z
  .strictObject({
    title: z.string().min(1).optional().describe('What the report is called.'),
    description: z.string().optional().describe('What it tells, and what to mind.'),
    params: z.record(z.string(), param).optional().describe('What can be given with --param name=value, and stands in cells as "{{ name }}".'),
    timezone: z.string().min(1).optional().describe('The zone that days are counted in, such as Europe/Berlin.'),
    schedule: z.string().min(1).optional().describe('When it is to run, such as monthly on day 1 at 06:00, or 0 6 1 * *.'),
    deliver: z.array(deliverySchema).min(1).optional().describe('Where it goes when it ran by its schedule, or with --deliver.'),
    notify: z.array(deliverySchema).min(1).optional().describe('Who else gets it when a check with severity: alert fails.'),
    backend: z.enum(backendNames).optional().describe('Who answers.'),
  })
  .meta({ title: 'Front matter of a report' });

export type FrontMatterFile = z.infer<typeof frontMatterSchema>;

import { z } from 'zod';
import { chartKinds } from './chart-wish.ts';
import { querySchema } from './query-schema.ts';
import { fillModes, type SavedQuery } from './saved-query.ts';

/** A query file: `{title?, description?, query, fill?, fillWith?, chart?}`. */
export const savedQuerySchema: z.ZodType<SavedQuery> = z
  .strictObject({
    title: z.string().optional().describe('What the answer is called.'),
    description: z.string().optional().describe('What it tells, and what to mind.'),
    query: querySchema,
    fill: z.enum(fillModes).optional().describe('Which gaps of a time series are filled: days (auto), every granularity, or none.'),
    fillWith: z.literal(0).optional().describe('Fill averages and ratios with 0 too, as the platform does, rather than with nothing.'),
    chart: z.union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())]).optional().describe('How it is best drawn: a kind of chart, none, or a Vega-Lite fragment that is merged over what is decided.'),
  })
  .meta({ title: 'Query file', description: 'A saved question.' });

/** The body of a load request, saved as it was sent. */
export const loadBodySchema: z.ZodType<SavedQuery> = z
  .strictObject({ query: querySchema, queryType: z.string() })
  .transform(({ query }) => ({ query }));

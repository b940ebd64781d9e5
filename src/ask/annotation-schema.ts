import { z } from 'zod';
import type { Annotation } from './annotation.ts';

const text = z.string().trim().min(1);

/** A file of annotations: a list of `{date, title, kind?}`. */
export const annotationsSchema: z.ZodType<readonly Annotation[]> = z
  .array(z.strictObject({
    date: text.describe('A day, 2024-03-08, a time of the zone that is drawn in, 2024-03-08T14:30, or an instant, 2024-03-08T13:30:00Z.'),
    title: text.describe('What happened.'),
    kind: text.optional().describe('release, campaign, incident, or what else it is.'),
  }))
  .meta({ title: 'Annotations', description: 'Dated marks, drawn over charts of time.' });

import { z } from 'zod';
import { savedQuerySchema } from './read-saved-query.ts';

/** JSON Schema (draft 7, which editors read) of a query file. */
export function toSavedQueryJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(savedQuerySchema, { target: 'draft-7', io: 'input' });
}

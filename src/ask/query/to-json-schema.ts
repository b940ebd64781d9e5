import { z } from 'zod';
import { querySchema } from './query-schema.ts';
import { savedQuerySchema } from './read-saved-query.ts';

/** JSON Schema (draft 7, which editors read) of a query file. */
export function toSavedQueryJsonSchema(): Readonly<Record<string, unknown>> {
  return toJsonSchema(savedQuerySchema);
}

/** JSON Schema (draft 7) of the load body's `query`. */
export function toQueryJsonSchema(): Readonly<Record<string, unknown>> {
  return toJsonSchema(querySchema);
}

function toJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

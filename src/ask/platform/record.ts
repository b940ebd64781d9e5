import * as z from 'zod';
import { marked } from './parameter.ts';

// Fields of records in the platform's answers. The platform omits fields that a tier or an older version lacks, and
// returns null for unset ones, so only fields that identify a record are required. Unknown fields are kept.

/** The platform returns null for some booleans, or omits them, which means false. */
export const nullIsFalse = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

export const field = {
  text: z.string().nullish(),
  int: z.int().nullish(),
  number: z.number().nullish(),
  flag: nullIsFalse.optional(),
  /** ISO 8601. */
  time: z.string().nullish(),
  /** `2024-03-08`. */
  date: z.string().nullish(),
  texts: z.array(z.string()).nullish(),
  hash: z.record(z.string(), z.unknown()).nullish(),
  /** Shown as `…`. */
  secret: marked(z.string(), { secret: true }).nullish(),
} as const;

/** A field of the same kind under each of these names. */
export function fields<const Name extends string, Schema extends z.ZodType>(
  schema: Schema,
  ...names: readonly Name[]
): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

/** A successful response without a body, or the result that nothing exists. */
export const nothing = z.null();

/** A body that the platform does not document. */
export const unshown = z.unknown();

/** A person in a record. */
export const person = z.looseObject({
  id: field.int,
  name: field.text,
  username: field.text,
  state: field.text,
  avatar_url: field.text,
  web_url: field.text,
});

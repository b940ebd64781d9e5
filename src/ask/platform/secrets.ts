import * as z from 'zod';
import { schemaOfKey } from './from-text.ts';
import { bareSchema, markOf } from './parameter.ts';

/** Stands in place of a secret. */
export const hidden = '…';

/** A copy of a value with `…` in place of each text that the marks of its schema make a secret. */
export function hideSecrets(schema: z.ZodType, value: unknown): unknown {
  return rewrite(schema, value, () => hidden);
}

/** The secrets among the values of parameters, as the marks of their schema have them: texts that must not be shown. */
export function secretsIn(schema: z.ZodType, value: unknown): readonly string[] {
  const found = new Set<string>();
  rewrite(schema, value, (text) => {
    if (text.trim() !== '') found.add(text);
    return text;
  });
  return [...found];
}

function rewrite(schema: z.ZodType, value: unknown, change: (secret: string) => string): unknown {
  if (markOf(schema).secret) return typeof value === 'string' ? change(value) : value;
  const bare = bareSchema(schema);
  if (Array.isArray(value))
    return bare instanceof z.ZodArray ? value.map((item) => rewrite(bare.element as z.ZodType, item, change)) : value;
  if (bare instanceof z.ZodUnion) {
    const fitting = (bare.options as readonly z.ZodType[]).find((option) => option.safeParse(value).success);
    return fitting === undefined ? value : rewrite(fitting, value, change);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const inner = schemaOfKey(bare, name);
      return [name, inner === undefined ? item : rewrite(inner, item, change)];
    }),
  );
}

import * as z from 'zod';
import { bareSchema, markOf } from './parameter.ts';

/** What stands in place of a secret wherever it would be shown. */
export const hidden = '…';

/** A value with `…` for its secrets, as the marks of its schema have them. */
export function hideSecrets(schema: z.ZodType, value: unknown): unknown {
  return mapSecrets(schema, value, () => hidden);
}

/** Texts that must not be shown. */
export function secretsIn(schema: z.ZodType, value: unknown): readonly string[] {
  const found = new Set<string>();
  mapSecrets(schema, value, (secret) => {
    if (typeof secret === 'string' && secret.trim() !== '') found.add(secret);
    return secret;
  });
  return [...found];
}

function mapSecrets(schema: z.ZodType, value: unknown, map: (secret: unknown) => unknown): unknown {
  if (value === null || value === undefined) return value;
  if (markOf(schema).secret) return map(value);
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => mapSecrets(bare.element as z.ZodType, item, map));
  if (bare instanceof z.ZodUnion) {
    const fitting = (bare.options as readonly z.ZodType[]).find((option) => option.safeParse(value).success);
    return fitting === undefined ? value : mapSecrets(fitting, value, map);
  }
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  const schemaOf = (name: string): z.ZodType | undefined => {
    if (bare instanceof z.ZodObject) return bare.shape[name] as z.ZodType | undefined;
    return bare instanceof z.ZodRecord ? (bare.valueType as z.ZodType) : undefined;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const inner = schemaOf(name);
      return [name, inner === undefined ? item : mapSecrets(inner, item, map)];
    }),
  );
}

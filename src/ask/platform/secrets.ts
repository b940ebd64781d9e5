import * as z from 'zod';
import { bareSchema, markOf } from './parameter.ts';

/** The secrets among the values of parameters, as the marks of their schema have them: texts that must not be shown. */
export function secretsIn(schema: z.ZodType, value: unknown): readonly string[] {
  if (markOf(schema).secret) return typeof value === 'string' && value.trim() !== '' ? [value] : [];
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray && Array.isArray(value))
    return distinct(value.flatMap((item) => secretsIn(bare.element as z.ZodType, item)));
  if (bare instanceof z.ZodUnion) {
    const fitting = (bare.options as readonly z.ZodType[]).find((option) => option.safeParse(value).success);
    return fitting === undefined ? [] : secretsIn(fitting, value);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const schemaOf = (name: string): z.ZodType | undefined => {
    if (bare instanceof z.ZodObject) return bare.shape[name] as z.ZodType | undefined;
    return bare instanceof z.ZodRecord ? (bare.valueType as z.ZodType) : undefined;
  };
  return distinct(
    Object.entries(value).flatMap(([name, item]) => {
      const inner = schemaOf(name);
      return inner === undefined ? [] : secretsIn(inner, item);
    }),
  );
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

import type { core } from 'zod';

/** The keys that a schema of a mapping knows, looking through optional, lazy and piped schemas; undefined for all else. */
export function keysOf(schema: core.$ZodType | undefined): readonly string[] | undefined {
  let seen = schema as core.$ZodTypes | undefined;
  for (let depth = 0; seen && depth < 20; depth += 1) {
    const def = seen._zod.def;
    switch (def.type) {
      case 'object': return Object.keys(def.shape);
      case 'lazy': seen = def.getter() as core.$ZodTypes; break;
      case 'pipe': seen = def.in as core.$ZodTypes; break;
      case 'optional': case 'nullable': case 'default': case 'prefault': case 'readonly': seen = def.innerType as core.$ZodTypes; break;
      default: return undefined;
    }
  }
  return undefined;
}

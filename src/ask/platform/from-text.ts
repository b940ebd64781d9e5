import * as z from 'zod';
import { bareSchema, markOf } from './parameter.ts';

/**
 * What the texts that somebody types for a parameter mean: the first reading that its schema takes, and the text itself
 * if it takes none. Several texts are the items of an array. Structures are JSON.
 */
export function fromTexts(schema: z.ZodType, texts: readonly string[]): unknown {
  const [text = ''] = texts;
  const readings = texts.length > 1 ? [texts.map((each) => fromItem(schema, each))] : readingsOf(schema, text);
  const fitting = readings.findIndex((reading) => schema.safeParse(reading).success);
  return readings.at(fitting);
}

function readingsOf(schema: z.ZodType, text: string): readonly unknown[] {
  const isList = bareSchema(schema) instanceof z.ZodArray;
  return [
    ...(text === 'null' ? [null] : []),
    ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
    ...(/^-?\d{1,15}$/.test(text) ? [Number(text)] : []),
    ...(/^\s*[[{]/.test(text) ? readJson(text) : []),
    ...(isList ? [[fromItem(schema, text)], text.split(',').map((each) => fromItem(schema, each.trim()))] : []),
    text,
  ];
}

function fromItem(schema: z.ZodType, text: string): unknown {
  const bare = bareSchema(schema);
  return bare instanceof z.ZodArray ? fromTexts(bare.element as z.ZodType, [text]) : text;
}

function readJson(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** The schema of a key of a hash: `filter[environment_scope]`. */
export function schemaOfKey(schema: z.ZodType, key: string): z.ZodType | undefined {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodRecord) return bare.valueType as z.ZodType;
  return bare instanceof z.ZodObject && Object.hasOwn(bare.shape, key) ? (bare.shape[key] as z.ZodType) : undefined;
}

/** Whether values of a schema are structures, which are typed as JSON. */
export function isStructure(schema: z.ZodType): boolean {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray) return isStructure(bare.element as z.ZodType);
  if (bare instanceof z.ZodUnion)
    return (bare.options as readonly z.ZodType[]).some(isStructure) && !markOf(schema).file;
  return bare instanceof z.ZodObject || bare instanceof z.ZodRecord;
}

import * as z from 'zod';

/** The lowest tier with an operation or parameter: any paid one, or only the highest. */
export type Tier = 'paid' | 'top';

/** Properties of a parameter or a field of a record besides its type. */
export interface Mark {
  /** Never shown, and never taken from a command line. */
  readonly secret?: boolean;
  /** A file to upload. */
  readonly file?: boolean;
  /** Not sent: it completes names of other parameters (`sentAs`), or selects which of them exist. */
  readonly unsent?: boolean;
  /** Each entry is sent as a separate parameter. */
  readonly spread?: boolean;
  /** The name on the wire, if another parameter completes it: `{provider_a}_hostname`. */
  readonly sentAs?: string;
  /** The server's default, which is not sent. */
  readonly default?: unknown;
  readonly tier?: Tier;
  /** Its replacement; a sentence. */
  readonly deprecated?: string;
  /** Its description in help. */
  readonly about?: string;
}

const marks = z.registry<Mark>();

/** A copy of the schema with a mark. */
export function marked<Schema extends z.ZodType>(schema: Schema, mark: Mark): Schema {
  const copy = schema.clone();
  marks.add(copy, { ...markOf(schema), ...mark });
  return copy;
}

/** The mark of a schema, including the marks of schemas that it wraps. */
export function markOf(schema: z.ZodType): Mark {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? schema.unwrap() : undefined;
  return { ...(inner && markOf(inner as z.ZodType)), ...marks.get(schema) };
}

/** The schema inside `.optional()` and `.nullable()`. */
export function bareSchema(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? bareSchema(schema.unwrap() as z.ZodType)
    : schema;
}

export const text = z.string();
export const filled = z.string().trim().min(1);
export const int = z.int();
export const flag = z.boolean();
export const date = z.iso.date();
/** `2024-03-08T12:00:00Z`, or with an offset. */
export const time = z.iso.datetime({ offset: true });
/** A number, or a full path, name or user name. */
export const idOrName = z.union([z.int().positive(), z.string().min(1)]);
const path = marked(idOrName, { about: 'number or full path' });
export const projectId = marked(path, { about: 'project: number or full path' });
export const groupId = marked(path, { about: 'group: number or full path' });

export const oneOf = z.enum;

/** Marks a documented default. It is not sent, because the server knows it. */
export function byDefault<Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodOptional<Schema> {
  return marked(schema.optional(), { default: value });
}

/** A secret: commands read it from a file, a variable or standard input, and show it as `…`. */
export function secret(about?: string): z.ZodString {
  return marked(z.string().min(1), { secret: true, ...(about === undefined ? {} : { about }) });
}

export function about<Schema extends z.ZodType>(schema: Schema, words: string): Schema {
  return marked(schema, { about: words });
}

export function paid<Schema extends z.ZodType>(schema: Schema, tier: Tier = 'paid'): Schema {
  return marked(schema, { tier });
}

export function deprecated<Schema extends z.ZodType>(schema: Schema, words: string): Schema {
  return marked(schema, { deprecated: words });
}

/** Parameters of paginated lists. */
export const paging = {
  page: byDefault(int.positive(), 1),
  per_page: byDefault(int.min(1).max(100), 20),
};

/** A file to upload: a path, or a source of a known number of bytes. */
export const upload = marked(
  z.union([
    z.string().min(1),
    z.object({
      name: z.string().min(1),
      bytes: z.int().nonnegative(),
      open: z.custom<() => AsyncIterable<Uint8Array>>((value) => typeof value === 'function'),
    }),
  ]),
  { file: true, about: 'file to upload' },
);

export type UploadSource = z.infer<typeof upload>;

/**
 * Converts the texts that a user typed for a parameter: the first reading that fits its schema, or the text itself if
 * none fits. Several texts are the items of an array. Structures are JSON.
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

/** The schema of a key in a hash: `filter[environment_scope]`. */
export function schemaOfKey(schema: z.ZodType, key: string): z.ZodType | undefined {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodRecord) return bare.valueType as z.ZodType;
  return bare instanceof z.ZodObject && Object.hasOwn(bare.shape, key) ? (bare.shape[key] as z.ZodType) : undefined;
}

/** Whether values of a schema are structures, which users type as JSON. */
export function isStructure(schema: z.ZodType): boolean {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray) return isStructure(bare.element as z.ZodType);
  if (bare instanceof z.ZodUnion)
    return (bare.options as readonly z.ZodType[]).some(isStructure) && !markOf(schema).file;
  return bare instanceof z.ZodObject || bare instanceof z.ZodRecord;
}

/** Replaces a secret. */
export const hidden = '…';

/** A copy of a value in which `…` replaces each text that its schema marks as secret. */
export function hideSecrets(schema: z.ZodType, value: unknown): unknown {
  return rewrite(schema, value, () => hidden);
}

/** The texts that must not be shown: the values of parameters that their schema marks as secret. */
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

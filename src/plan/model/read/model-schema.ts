import { z } from 'zod';

/**
 * The shape of a Cube data model in YAML, with keys in snake_case and camelCase. Only the shape: names, types of
 * members and references are looked at afterwards, with better words. Source: Cube's data model reference.
 */

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const anything = z.unknown().optional();

/** Keys that mean nothing here, or that are looked at only to say that they are not supported. */
function anyValue(...keys: readonly string[]): Record<string, typeof anything> {
  return Object.fromEntries(keys.flatMap((key) => [key, toCamelCase(key)]).map((key) => [key, anything]));
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const described = {
  name: z.string(),
  title: text.nullish(),
  description: text.nullish(),
  public: z.boolean().nullish(),
  shown: z.boolean().nullish(),
  meta: anything,
};

const windowSchema = z.strictObject({ trailing: anything, leading: anything, offset: anything, type: anything, granularity: anything });

export const measureSchema = z.strictObject({
  ...described,
  type: z.string(),
  sql: text.nullish(),
  filters: z.array(z.strictObject({ sql: text })).nullish(),
  rolling_window: windowSchema.nullish(),
  rollingWindow: windowSchema.nullish(),
  drill_members: z.array(z.string()).nullish(),
  drillMembers: z.array(z.string()).nullish(),
  format: anything,
  ...anyValue('drill_filters', 'currency', 'mask', 'case'),
  ...anyValue('multi_stage', 'group_by', 'reduce_by', 'add_group_by', 'time_shift', 'order_by', 'filter', 'grain'),
});

const label = z.union([text, z.strictObject({ sql: text })]);

export const dimensionSchema = z.strictObject({
  ...described,
  type: z.string(),
  sql: text.nullish(),
  case: z.strictObject({ when: z.array(z.strictObject({ sql: text, label })), else: z.strictObject({ label }).nullish() }).nullish(),
  primary_key: z.boolean().nullish(),
  primaryKey: z.boolean().nullish(),
  format: anything,
  sub_query: z.boolean().nullish(),
  subQuery: z.boolean().nullish(),
  granularities: anything,
  mask: anything,
  ...anyValue('propagate_filters_to_sub_query', 'order', 'suggest_filter_values', 'latitude', 'longitude', 'values', 'links', 'time_shift'),
});

export const segmentSchema = z.strictObject({ ...described, sql: text });

export const joinSchema = z.strictObject({ name: z.string(), sql: text, relationship: z.string() });

/** Each part is read by a schema of its own. */
const parts = z.array(z.unknown()).nullish();

export const cubeSchema = z.strictObject({
  ...described,
  sql: text.nullish(),
  sql_table: text.nullish(),
  sqlTable: text.nullish(),
  extends: z.string().nullish(),
  joins: parts,
  measures: parts,
  dimensions: parts,
  segments: parts,
  access_policy: anything,
  accessPolicy: anything,
  ...anyValue('sql_alias', 'data_source', 'refresh_key', 'rewrite_queries', 'pre_aggregations', 'hierarchies', 'calendar'),
});

export const modelSchema = z.strictObject({
  cubes: parts,
  views: anything,
  ...anyValue('view_groups'),
});

export type WrittenMeasure = z.output<typeof measureSchema>;
export type WrittenDimension = z.output<typeof dimensionSchema>;
export type WrittenSegment = z.output<typeof segmentSchema>;
export type WrittenJoin = z.output<typeof joinSchema>;
export type WrittenCube = z.output<typeof cubeSchema>;

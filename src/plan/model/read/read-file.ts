import { z, type ZodType } from 'zod';
import { attachSpans } from '../../../ask/document/located.ts';
import { readDocument } from '../../../ask/document/read-document.ts';
import { readValue } from '../../../ask/document/read-value.ts';
import { below, type Findings, report, reportWarning, type Site, type Sited } from './site.ts';

/** A cube as it is written, cut into its parts. Parts that do not read are left out. */
export interface CubeText extends Sited<WrittenCube> {
  readonly joins: readonly Sited<WrittenJoin>[];
  readonly measures: readonly Sited<WrittenMeasure>[];
  readonly dimensions: readonly Sited<WrittenDimension>[];
  readonly segments: readonly Sited<WrittenSegment>[];
}

/** Names of what is written but does not read: what refers to it is not judged. */
export interface Unread {
  readonly cubes: Set<string>;
  /** Full names. */
  readonly members: Set<string>;
}

/** The cubes of one file. Each part is read by itself, so that one mistake does not hide the others. undefined: no YAML at all. */
export function readFile(text: string, file: string, index: number, unread: Unread, findings: Findings): readonly CubeText[] | undefined {
  const document = readDocument(text, modelSchema, { file });
  // A file of comments only, as people keep for later, holds no cubes.
  if (!document.ok && document.issues.every(({ code }) => code === 'empty-document')) return [];
  for (const issue of document.issues) findings.all.push({ file: index, issue });
  if (!document.ok) return undefined;
  const site: Site = { file: index, path: [], locate: document.locate };
  if (document.value.views != null) {
    reportWarning(findings, below(site, 'views'), 'not-supported', 'Views are left out.', 'Ask the members of the cubes that they are made of.');
  }
  return (document.value.cubes ?? []).flatMap((raw, cube) => readCubeText(raw, below(site, 'cubes', cube), unread, findings) ?? []);
}

function readCubeText(raw: unknown, site: Site, unread: Unread, findings: Findings): CubeText | undefined {
  const value = readPart(raw, cubeSchema, site, findings);
  if (!value) {
    const name = nameOf(raw);
    if (name !== undefined) unread.cubes.add(name);
    return undefined;
  }
  const partsOf = <T>(kind: 'joins' | 'measures' | 'dimensions' | 'segments', schema: ZodType<T>): readonly Sited<T>[] =>
    (value[kind] ?? []).flatMap((member, index) => {
      const at = below(site, kind, index);
      const part = readPart(member, schema, at, findings);
      if (part !== undefined) return [{ value: part, site: at }];
      const name = nameOf(member);
      if (name !== undefined) unread.members.add(`${value.name}.${name}`);
      return [];
    });
  return {
    value,
    site,
    joins: partsOf('joins', joinSchema),
    measures: partsOf('measures', measureSchema),
    dimensions: partsOf('dimensions', dimensionSchema),
    segments: partsOf('segments', segmentSchema),
  };
}

function readPart<T>(raw: unknown, schema: ZodType<T>, site: Site, findings: Findings): T | undefined {
  const outcome = readValue(raw, schema);
  report(findings, site, attachSpans(outcome.issues.map((issue) => ({ ...issue, path: [...site.path, ...issue.path] })), site.locate));
  return outcome.ok ? outcome.value : undefined;
}

function nameOf(raw: unknown): string | undefined {
  return raw !== null && typeof raw === 'object' && 'name' in raw && typeof raw.name === 'string' ? raw.name : undefined;
}

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

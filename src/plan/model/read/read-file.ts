import { z, type ZodType } from 'zod';
import { attachSpans } from '../../../ask/document/located.ts';
import { readDocument } from '../../../ask/document/read-document.ts';
import { readValue } from '../../../ask/document/read-value.ts';
import { below, type Findings, leaveOut, partKey, report, reportWarning, type Site, type Sited } from './site.ts';

/** A cube split into its parts, without invalid ones. */
export interface CubeText extends Sited<WrittenCube> {
  readonly joins: readonly Sited<WrittenJoin>[];
  readonly measures: readonly Sited<WrittenMeasure>[];
  readonly dimensions: readonly Sited<WrittenDimension>[];
  readonly segments: readonly Sited<WrittenSegment>[];
}

export interface FileText {
  readonly cubes: readonly CubeText[];
  readonly views: readonly Sited<WrittenView>[];
}

/** Names of invalid parts. References to them are not checked. */
export interface Unread {
  readonly cubes: Set<string>;
  /** Full names. */
  readonly members: Set<string>;
}

/**
 * Reads the cubes of one file. Each part is read separately, so that one error does not hide others. undefined if the
 * text is not YAML.
 */
export function readFile(
  text: string,
  file: string,
  index: number,
  unread: Unread,
  findings: Findings,
): FileText | undefined {
  const document = readDocument(text, modelSchema, { file });
  // A file that contains only comments is valid and has no cubes.
  if (!document.ok && document.issues.every(({ code }) => code === 'empty-document')) return { cubes: [], views: [] };
  for (const issue of document.issues) findings.all.push({ file: index, issue });
  if (!document.ok) return undefined;
  const site: Site = { file: index, path: [], locate: document.locate };
  return {
    cubes: (document.value.cubes ?? []).flatMap(
      (raw, cube) => readCubeText(raw, below(site, 'cubes', cube), unread, findings) ?? [],
    ),
    views: (document.value.views ?? []).flatMap((raw, view): readonly Sited<WrittenView>[] => {
      const at = below(site, 'views', view);
      const value = readNamed(raw, viewSchema, at, { kind: 'view' }, unread, findings);
      return value ? [{ value, site: at }] : [];
    }),
  };
}

function readCubeText(raw: unknown, site: Site, unread: Unread, findings: Findings): CubeText | undefined {
  const value = readNamed(raw, cubeSchema, site, { kind: 'cube' }, unread, findings);
  if (!value) return undefined;
  const partsOf = <T>(
    kind: 'joins' | 'measures' | 'dimensions' | 'segments',
    schema: ZodType<T>,
  ): readonly Sited<T>[] =>
    (value[kind] ?? []).flatMap((member, index) => {
      const at = below(site, kind, index);
      const part = readNamed(member, schema, at, { kind: kind.slice(0, -1), cube: value.name }, unread, findings);
      return part === undefined ? [] : [{ value: part, site: at }];
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

/**
 * Reads a named part. A part with unknown keys that are not typos is left out: newer versions of Cube add keys, and
 * their effect on figures is unknown.
 */
function readNamed<T>(
  raw: unknown,
  schema: ZodType<T>,
  site: Site,
  { kind, cube }: { readonly kind: string; readonly cube?: string },
  unread: Unread,
  findings: Findings,
): T | undefined {
  const outcome = readValue(raw, schema);
  const name = nameOf(raw);
  const isStrange = outcome.issues.every(
    ({ code, severity, hint }) => severity !== 'error' || (code === 'unknown-key' && !/^Did you mean/.test(hint ?? '')),
  );
  if (!outcome.ok && isStrange && name !== undefined) {
    const keys = outcome.issues.map(({ path }) => `\`${path.join('.')}\``).join(', ');
    const isJoin = kind === 'join';
    const key =
      cube === undefined ? partKey(name) : partKey(cube, isJoin ? undefined : name, isJoin ? name : undefined);
    leaveOut(
      findings,
      site,
      key,
      isJoin ? `The join to "${name}"` : `The ${kind} "${name}"`,
      `${keys} of a ${kind} is not supported.`,
    );
  } else {
    report(
      findings,
      site,
      attachSpans(
        outcome.issues.map((issue) => ({ ...issue, path: [...site.path, ...issue.path] })),
        site.locate,
      ),
    );
  }
  if (outcome.ok && isObject(raw) && typeof raw['public'] === 'string')
    reportWarning(
      findings,
      below(site, 'public'),
      'not-supported',
      'This expression is not evaluated, so members that it hides in Cube are listed.',
    );
  if (outcome.ok) return outcome.value;
  if (name !== undefined && cube === undefined) unread.cubes.add(name);
  if (name !== undefined && cube !== undefined) unread.members.add(`${cube}.${name}`);
  return undefined;
}

function isObject(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return raw !== null && typeof raw === 'object';
}

function nameOf(raw: unknown): string | undefined {
  return isObject(raw) && typeof raw['name'] === 'string' ? raw['name'] : undefined;
}

/**
 * The shape of a Cube data model in YAML, with keys in snake_case and camelCase. Names, member types and references are
 * checked later, with better messages. Source: Cube's data model reference.
 */

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const anything = z.unknown().optional();

/** Keys that have no effect, or that are only read to report that they are not supported. */
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
  // Cube would evaluate a text as an expression.
  public: z.union([z.boolean(), z.string()]).nullish(),
  shown: z.boolean().nullish(),
  meta: anything,
};

const windowSchema = z.strictObject({
  trailing: anything,
  leading: anything,
  offset: anything,
  type: anything,
  granularity: anything,
});

const measureSchema = z.strictObject({
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

export const switchSchema = z.strictObject({
  switch: text,
  when: z.array(z.strictObject({ value: text, sql: text })),
  else: z.strictObject({ sql: text }).nullish(),
});

const label = z.union([text, z.strictObject({ sql: text })]);

const dimensionSchema = z.strictObject({
  ...described,
  type: z.string(),
  sql: text.nullish(),
  case: z
    .union([
      z.strictObject({
        when: z.array(z.strictObject({ sql: text, label })),
        else: z.strictObject({ label }).nullish(),
      }),
      switchSchema,
    ])
    .nullish(),
  values: z.array(text).nullish(),
  primary_key: z.boolean().nullish(),
  primaryKey: z.boolean().nullish(),
  format: anything,
  sub_query: z.boolean().nullish(),
  subQuery: z.boolean().nullish(),
  granularities: anything,
  mask: anything,
  propagate_filters_to_sub_query: z.boolean().nullish(),
  propagateFiltersToSubQuery: z.boolean().nullish(),
  latitude: z.strictObject({ sql: text }).nullish(),
  longitude: z.strictObject({ sql: text }).nullish(),
  ...anyValue('order', 'suggest_filter_values', 'links', 'time_shift', 'key'),
});

const segmentSchema = z.strictObject({ ...described, sql: text });

const joinSchema = z.strictObject({ name: z.string(), sql: text, relationship: z.string() });

/** Each part has its own schema. */
const parts = z.array(z.unknown()).nullish();

const cubeSchema = z.strictObject({
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
  sluice: anything,
  ...anyValue('sql_alias', 'data_source', 'refresh_key', 'rewrite_queries', 'pre_aggregations', 'calendar', 'folders'),
  hierarchies: z
    .array(z.looseObject({ name: z.string(), title: text.nullish(), levels: z.array(z.string()).nullish() }))
    .nullish(),
});

const includeSchema = z.union([
  z.string(),
  z.strictObject({
    name: z.string(),
    alias: z.string().nullish(),
    title: text.nullish(),
    description: text.nullish(),
    format: anything,
    meta: anything,
  }),
]);

const viewIncludes = z.union([z.string(), z.array(includeSchema)]).nullish();

const viewCubeSchema = z.strictObject({
  join_path: z.string().nullish(),
  joinPath: z.string().nullish(),
  includes: viewIncludes,
  excludes: z.array(z.string()).nullish(),
  prefix: z.boolean().nullish(),
  alias: z.string().nullish(),
});

const viewSchema = z.strictObject({
  ...described,
  extends: z.string().nullish(),
  cubes: z.array(viewCubeSchema).nullish(),
  includes: viewIncludes,
  excludes: z.array(z.string()).nullish(),
  folders: z
    .array(z.looseObject({ name: text, includes: z.union([z.string(), z.array(z.unknown())]).nullish() }))
    .nullish(),
  access_policy: anything,
  accessPolicy: anything,
  ...anyValue('hierarchies', 'default_filters'),
});

export const modelSchema = z.strictObject({
  cubes: parts,
  views: parts,
  ...anyValue('view_groups'),
});

export type WrittenMeasure = z.output<typeof measureSchema>;
export type WrittenDimension = z.output<typeof dimensionSchema>;
export type WrittenSegment = z.output<typeof segmentSchema>;
export type WrittenJoin = z.output<typeof joinSchema>;
export type WrittenView = z.output<typeof viewSchema>;
export type WrittenCube = z.output<typeof cubeSchema>;

import { stringify } from 'yaml';
import { z } from 'zod';
import { chartKinds } from '../chart/chart-preference.ts';
import { isPlainObject } from '../document/check-argument.ts';
import { type Locate, type Located, attachSpans, locateBelow } from '../document/located.ts';
import { parseYaml } from '../document/parse-yaml.ts';
import { keysOf, readValue } from '../document/read-value.ts';
import { bad, badWith, good, type Issue, type Outcome } from '../outcome.ts';
import { isFilterValue, querySchema } from './query-schema.ts';
import { type Query, isBareQuery } from './query.ts';
import { type InlineDefinition, type QueryFile, type SavedQuery, fillModes } from './saved-query.ts';

/** An inline definition. The value below its key is checked when the query runs. */
export const inlineDefinitionSchema = z
  .strictObject(
    Object.fromEntries(
      ['funnel', 'retention', 'lifecycle', 'stickiness', 'paths'].map((name) => [
        name,
        z.record(z.string(), z.unknown()).optional(),
      ]),
    ),
  )
  .refine((one) => Object.values(one).filter((each) => each !== undefined).length === 1, {
    error: 'One definition is expected here.\nGive it one of funnel, retention, lifecycle, stickiness and paths.',
    params: { code: 'one-definition' },
  })
  .describe(
    'An analysis that the query asks and no file defines, such as {retention: {start: signup}}.',
  ) as z.ZodType<InlineDefinition>;

const titles = {
  title: z.string().optional().describe('The title of the result.'),
  description: z.string().optional().describe('What it shows, and any caveats.'),
};
const line = z.string().min(1).describe('A question in one line, such as `count by docPath last 7 days`.');
const define = { define: inlineDefinitionSchema.optional() };
const presentation = {
  fill: z
    .enum(fillModes)
    .optional()
    .describe(
      'Which gaps in a time series to fill: days, and other buckets up to 10,000 (auto), all of them (all), or none.',
    ),
  fillWith: z
    .literal(0)
    .optional()
    .describe('Also fill averages and ratios with 0, as the platform does, instead of with null.'),
  chart: z
    .union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())])
    .optional()
    .describe('The chart: a kind of chart, none, or a Vega-Lite fragment that overrides parts of the chosen chart.'),
};

/** A query file: `{title?, description?, query, define?, fill?, fillWith?, chart?}`. */
export const savedQuerySchema: z.ZodType<SavedQuery> = z.strictObject({
  ...titles,
  query: querySchema,
  ...define,
  ...presentation,
});

/** The same with a question in one line. It can contain a definition itself. */
const lineFileSchema: z.ZodType<QueryFile> = z.strictObject({ ...titles, query: line, ...presentation });

/** The saved body of a load request. */
const loadBodySchema: z.ZodType<SavedQuery> = z
  .strictObject({ query: querySchema, queryType: z.string() })
  .transform(({ query }) => ({ query }));

/** `locate` takes paths into the file, `locateInQuery` paths into its query. */
type LocatedFile<File> = Located<File> & { readonly locateInQuery: Locate };
export type LocatedSavedQuery = LocatedFile<SavedQuery>;

interface ReadingOptions {
  readonly file?: string | undefined;
  /** Completes a query of which nothing is checked yet, such as by the cubes of its names. */
  readonly complete?: (query: unknown) => unknown;
}

/**
 * Reads a query file, YAML or JSON: `{title?, description?, query, …}`. Also accepts the body of a load request
 * (`{query, queryType}`) and a bare query. Returns all issues with their places. Never throws.
 */
export function readSavedQuery(text: string, options: ReadingOptions = {}): LocatedSavedQuery {
  const read = readQueryFile(text, options);
  if (!read.ok) return read;
  const { query } = read.value;
  if (typeof query !== 'string') return { ...read, value: { ...read.value, query } };
  const { issues } = badWith('line-without-model', 'Only a workspace can read a question in one line.', {
    path: ['query'],
    hint: 'Ask the file by its name, such as `s.query("top-pages")`, or write the query as a mapping.',
  });
  const { source, file, locate, locateInQuery } = read;
  return { ok: false, issues: attachSpans([...read.issues, ...issues], locate), source, file, locate, locateInQuery };
}

/** The same, and `query` may be a question in one line. */
export function readQueryFile(text: string, { complete, ...options }: ReadingOptions): LocatedFile<QueryFile> {
  const parsed = parseYaml(text, { ...options, asWritten: isFilterValue });
  const { source, file, locate } = parsed;
  const bare = parsed.ok && isBareQuery(parsed.value);
  const locateInQuery = locateBelow(locate, bare ? [] : ['query']);
  if (!parsed.ok) return { ...parsed, locateInQuery };
  const value = complete ? completed(parsed.value, complete) : parsed.value;
  const outcome = bare ? readBare(value) : readValue(value, schemaFor(value));
  const issues = attachSpans([...parsed.issues, ...outcome.issues], locate);
  return { ...outcome, issues, source, file, locate, locateInQuery };
}

function completed(value: unknown, complete: (query: unknown) => unknown): unknown {
  if (isBareQuery(value)) return complete(value);
  return isPlainObject(value) && isPlainObject(value['query']) ? { ...value, query: complete(value['query']) } : value;
}

function schemaFor(value: unknown): z.ZodType<QueryFile> {
  if (!isPlainObject(value)) return savedQuerySchema;
  if (Object.hasOwn(value, 'queryType')) return loadBodySchema;
  return typeof value['query'] === 'string' ? lineFileSchema : savedQuerySchema;
}

function readBare(value: unknown): Outcome<SavedQuery> {
  const outcome = readValue(value, querySchema);
  if (outcome.ok) return good({ query: outcome.value });
  const isBeside = ({ code, path }: Issue) =>
    code === 'unknown-key' && keysOf(savedQuerySchema)?.includes(String(path.at(-1)));
  const hint = 'Put the query under `query:`, beside this key.';
  return bad(outcome.issues.map((issue) => (isBeside(issue) ? { ...issue, hint } : issue)));
}

/**
 * Writes a query file: YAML with keys in a fixed order and short lists on one line. It reads back to the same query.
 */
export function writeSavedQuery(saved: SavedQuery): string {
  const { title, description, query, define, fill, fillWith, chart } = saved;
  return stringify(
    { title, description, define, query: orderKeys(query), fill, fillWith, chart },
    // YAML would read -0 back as text; in JSON, and in the canonical form, it is 0.
    (_, value: unknown) => (Object.is(value, -0) ? 0 : value),
    { keepUndefined: false, aliasDuplicateObjects: false, lineWidth: 0, defaultStringType: 'PLAIN' },
  );
}

/** Orders keys as in the schema. */
function orderKeys(query: SavedQuery['query']): SavedQuery['query'] {
  return Object.fromEntries(keysOf(querySchema)?.map((key) => [key, query[key as keyof Query]]) ?? []);
}

/** JSON Schema of a query file (draft 7, which editors support). */
export function toSavedQueryJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z
    .strictObject({ ...titles, query: z.union([line, querySchema]), ...define, ...presentation })
    .meta({ title: 'Query file', description: 'A saved query.' });
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

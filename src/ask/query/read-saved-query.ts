import { stringify } from 'yaml';
import { z } from 'zod';
import { chartKinds } from '../chart/chart-preference.ts';
import { type Locate, type Located, attachSpans, locateBelow } from '../document/located.ts';
import { parseYaml } from '../document/parse-yaml.ts';
import { keysOf, readValue } from '../document/read-value.ts';
import { type Outcome, good } from '../outcome.ts';
import { isFilterValue, querySchema } from './query-schema.ts';
import { type Query, isBareQuery } from './query.ts';
import { type InlineDefinition, type SavedQuery, fillModes } from './saved-query.ts';

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

/** A query file: `{title?, description?, query, define?, fill?, fillWith?, chart?}`. */
export const savedQuerySchema: z.ZodType<SavedQuery> = z
  .strictObject({
    title: z.string().optional().describe('The title of the result.'),
    description: z.string().optional().describe('What it shows, and any caveats.'),
    query: querySchema,
    define: inlineDefinitionSchema.optional(),
    fill: z
      .enum(fillModes)
      .optional()
      .describe('Which gaps in a time series to fill: days (auto), every granularity (all), or none.'),
    fillWith: z
      .literal(0)
      .optional()
      .describe('Also fill averages and ratios with 0, as the platform does, instead of with null.'),
    chart: z
      .union([z.enum([...chartKinds, 'none']), z.record(z.string(), z.unknown())])
      .optional()
      .describe('The chart: a kind of chart, none, or a Vega-Lite fragment that overrides parts of the chosen chart.'),
  })
  .meta({ title: 'Query file', description: 'A saved query.' });

/** The saved body of a load request. */
const loadBodySchema: z.ZodType<SavedQuery> = z
  .strictObject({ query: querySchema, queryType: z.string() })
  .transform(({ query }) => ({ query }));

/** `locate` takes paths into the file, `locateInQuery` paths into its query. */
export type LocatedSavedQuery = Located<SavedQuery> & { readonly locateInQuery: Locate };

/**
 * Reads a query file, YAML or JSON: `{title?, description?, query, …}`. Also accepts the body of a load request
 * (`{query, queryType}`) and a bare query. Returns all issues with their places. Never throws.
 */
export function readSavedQuery(text: string, options: { readonly file?: string | undefined } = {}): LocatedSavedQuery {
  const parsed = parseYaml(text, { ...options, asWritten: isFilterValue });
  const { source, file, locate } = parsed;
  const bare = parsed.ok && isBareQuery(parsed.value);
  const locateInQuery = locateBelow(locate, bare ? [] : ['query']);
  if (!parsed.ok) return { ...parsed, locateInQuery };
  const outcome = bare
    ? toSaved(readValue(parsed.value, querySchema))
    : readValue(parsed.value, schemaFor(parsed.value));
  const issues = attachSpans([...parsed.issues, ...outcome.issues], locate);
  return { ...outcome, issues, source, file, locate, locateInQuery };
}

function schemaFor(value: unknown) {
  const isLoadBody = value !== null && typeof value === 'object' && Object.hasOwn(value, 'queryType');
  return isLoadBody ? loadBodySchema : savedQuerySchema;
}

function toSaved(outcome: Outcome<Query>): Outcome<SavedQuery> {
  return outcome.ok ? good({ query: outcome.value }) : outcome;
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
  return z.toJSONSchema(savedQuerySchema, { target: 'draft-7', io: 'input' });
}

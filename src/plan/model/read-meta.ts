import * as z from 'zod';
import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import { granularityTitle, readGridRule } from './granularity-definition.ts';
import { titleize } from './identifier.ts';
import type {
  Cube,
  Dimension,
  DimensionType,
  GranularityDefinition,
  Join,
  Measure,
  MeasureType,
  Model,
  Segment,
} from './model.ts';

// Ignore unknown keys, which newer versions add. Null flags count as false, as on the platform.
const flag = z
  .boolean()
  .nullish()
  .transform((value) => (value === undefined ? undefined : value === true));
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const member = z.looseObject({
  name: z.string().regex(/^[^.]+\../),
  title: text,
  shortTitle: text,
  description: text,
  isVisible: flag,
  public: flag,
  format: z.unknown().optional(),
});
const measure = z.looseObject({
  ...member.shape,
  type: text,
  aggType: text,
  cumulative: flag,
  cumulativeTotal: flag,
  drillMembers: z.array(z.string()).nullish(),
});
const granularity = z.looseObject({ name: z.string(), title: text, interval: text, origin: text, offset: text });
const dimension = z.looseObject({
  ...member.shape,
  type: text,
  primaryKey: flag,
  granularities: z.array(granularity).nullish(),
});
const cube = z.looseObject({
  name: z.string().min(1),
  title: text,
  description: text,
  isVisible: flag,
  public: flag,
  connectedComponent: z.union([z.number(), z.string()]).nullish(),
  measures: z.array(measure).nullish(),
  dimensions: z.array(dimension).nullish(),
  segments: z.array(member).nullish(),
});
const meta = z.looseObject({ cubes: z.array(cube) });

type MetaCube = z.infer<typeof cube>;
type MetaMember = z.infer<typeof member>;

/**
 * The model in a server's `meta` response: names, titles and kinds of members, without SQL. Only remote backends can
 * answer for it. Issue: `not-a-model`. Source: the platform's `request/meta` and Cube's `/v1/meta`.
 */
export function readMeta(value: unknown): Outcome<Model> {
  const read = meta.safeParse(value);
  if (read.success) return good({ cubes: read.data.cubes.map((each) => toCube(each, read.data.cubes)) });
  const path = (read.error.issues[0]?.path ?? []).map((step) => (typeof step === 'symbol' ? String(step) : step));
  return badWith('not-a-model', 'The server returned its list of members in an unknown format.', { path });
}

function toCube(found: MetaCube, all: readonly MetaCube[]): Cube {
  const { name } = found;
  const dimensions = (found.dimensions ?? []).map(toDimension);
  return {
    name,
    title: found.title ?? titleize(name),
    description: found.description,
    // Never read, because the server has the rows.
    source: { kind: 'table', table: name },
    joins: joinsOf(found, all),
    measures: (found.measures ?? []).map(toMeasure),
    dimensions,
    segments: (found.segments ?? []).map((segment): Segment => ({ ...named(segment), sql: [] })),
    timeMember: timeMemberOf(dimensions),
    public: isListed(found),
  };
}

/** Servers only number the groups of cubes that they can join, and join them on their own. */
function joinsOf({ name, connectedComponent: component }: MetaCube, all: readonly MetaCube[]): readonly Join[] {
  if (component === undefined || component === null) return [];
  return all
    .filter((other) => other.name !== name && other.connectedComponent === component)
    .map((other) => ({ cube: other.name, relationship: 'one_to_one', sql: [] }));
}

function named(found: MetaMember): Pick<Measure, 'name' | 'title' | 'shortTitle' | 'description' | 'public'> {
  const name = shortNameOf(found.name);
  const shortTitle = found.shortTitle ?? titleize(name);
  return {
    name,
    title: found.title ?? shortTitle,
    shortTitle,
    description: found.description,
    public: isListed(found),
  };
}

function isListed(found: { readonly public?: boolean | undefined; readonly isVisible?: boolean | undefined }): boolean {
  return found.public ?? found.isVisible ?? true;
}

function toMeasure(found: z.infer<typeof measure>): Measure {
  return {
    ...named(found),
    type: measureTypeOf(found),
    sql: [],
    filters: [],
    // The extent of the window is unknown. A window of any extent prevents gap filling.
    rollingWindow: found.cumulative || found.cumulativeTotal ? { trailing: 'unbounded', offset: 'end' } : undefined,
    format: formatOf(found),
    drillMembers: found.drillMembers ?? [],
  };
}

/** Types as Cube and its older versions spell them. Unknown types become numbers that must not be added up. */
const aggregates: Readonly<Record<string, MeasureType>> = {
  count: 'count',
  countdistinct: 'count_distinct',
  countdistinctapprox: 'count_distinct_approx',
  sum: 'sum',
  runningtotal: 'sum',
  avg: 'avg',
  min: 'min',
  max: 'max',
};

function measureTypeOf({
  type,
  aggType,
}: {
  readonly type?: string | undefined;
  readonly aggType?: string | undefined;
}): MeasureType {
  if (type === 'string' || type === 'boolean' || type === 'time') return type;
  return aggregates[(aggType ?? '').toLowerCase().replaceAll('_', '')] ?? 'number';
}

const dimensionTypes: readonly string[] = ['string', 'number', 'boolean', 'time'] satisfies readonly DimensionType[];

function toDimension(found: z.infer<typeof dimension>): Dimension {
  const type =
    found.type !== undefined && dimensionTypes.includes(found.type) ? (found.type as DimensionType) : 'string';
  return {
    ...named(found),
    type,
    expression: { kind: 'sql', sql: [] },
    primaryKey: found.primaryKey ?? false,
    ...(found.granularities && { granularities: found.granularities.map(toGranularity) }),
    format: formatOf(found),
  };
}

/** Only the server applies a rule that sluice does not know. */
function toGranularity(found: z.infer<typeof granularity>): GranularityDefinition {
  const { name, title, interval, origin, offset } = found;
  const named = { name, title: granularityTitle(name, title) };
  if (interval === undefined) return named;
  const written = { interval, ...(origin !== undefined && { origin }), ...(offset !== undefined && { offset }) };
  const rule = readGridRule(written);
  return typeof rule === 'string' ? named : { ...named, rule, written };
}

/** Newer servers use objects for some formats, such as links. */
function formatOf({ format }: { readonly format?: unknown }): string | undefined {
  return typeof format === 'string' ? format : undefined;
}

/**
 * The usual time dimensions of the platform's cubes, in order of preference: the documentation's name, then those of
 * its dashboards.
 */
const usualTimes = ['utcTime', 'derivedTstamp', 'startAt', 'first_timestamp', 'date'];

/** The time dimension that a bare range filters: the usual one, or the only one. Several others would be ambiguous. */
function timeMemberOf(dimensions: readonly Dimension[]): string | undefined {
  const times = dimensions.filter(({ type }) => type === 'time').map(({ name }) => name);
  return usualTimes.find((name) => times.includes(name)) ?? (times.length === 1 ? times[0] : undefined);
}

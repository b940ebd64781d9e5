import { invariant } from '../../ask/invariant.ts';
import { titleize } from './identifier.ts';
import type {
  Cube,
  CubeSource,
  Dimension,
  DimensionType,
  Measure,
  MeasureType,
  RollingWindow,
  Segment,
  Template,
  TimePart,
} from './model.ts';
import { readTemplate } from './template.ts';

/** The short definition of a built-in cube. SQL is written as in Cube's data models: `{CUBE}.doc_path`. */
export interface CubeDefinition {
  readonly name: string;
  readonly description: string;
  readonly source: CubeSource;
  readonly timeMember: string;
  /** Defaults to true. */
  readonly public?: boolean;
  readonly measures: Readonly<Record<string, MeasureDefinition>>;
  readonly dimensions: Readonly<Record<string, DimensionDefinition>>;
  readonly segments: Readonly<Record<string, SegmentDefinition>>;
}

export interface MeasureDefinition {
  /** For people: `Page views`. Defaults to a title made from the name. */
  readonly label?: string;
  readonly description: string;
  readonly type: MeasureType;
  readonly sql?: string;
  readonly filter?: string;
  readonly format?: string;
  /** Short names. */
  readonly drillMembers?: readonly string[];
  readonly uncounted?: readonly { readonly sql: string; readonly amount?: string; readonly what: string }[];
  /** Defaults to true. */
  readonly public?: boolean;
  readonly rollingWindow?: RollingWindow;
  /** Defaults to false. */
  readonly disjoint?: boolean;
  /** True if only local engines support it. */
  readonly local?: boolean;
}

export interface DimensionDefinition {
  /** For people: `Event type`. Defaults to a title made from the name. */
  readonly label?: string;
  readonly description: string;
  readonly sql: string;
  /** Defaults to `string`. */
  readonly type?: DimensionType;
  readonly primaryKey?: boolean;
  readonly public?: boolean;
  /** If set, the SQL returns a time, and the dimension is this part of it in the query's time zone. */
  readonly part?: TimePart;
  readonly format?: string;
  /** All values in their usual order, if it is not that of their letters. */
  readonly values?: readonly string[];
  /** True if only local engines support it. */
  readonly local?: boolean;
}

interface SegmentDefinition {
  readonly description: string;
  readonly sql: string;
}

/** A dimension from a column of the source; text unless `type` says otherwise. */
export function column(label: string, description: string, name: string, type?: DimensionType): DimensionDefinition {
  return { label, description, sql: `{CUBE}.${name}`, ...(type && { type }) };
}

/** The number of rows, optionally only of those that pass the filter. */
export function countOf(label: string, description: string, filter?: string): MeasureDefinition {
  return { label, description, type: 'count', ...(filter !== undefined && { filter }) };
}

/** The number of distinct values of a column. */
export function distinctOf(label: string, description: string, name: string, filter?: string): MeasureDefinition {
  return { ...countOf(label, description, filter), type: 'count_distinct', sql: `{CUBE}.${name}` };
}

/** The sum of a column. */
export function sumOf(label: string, description: string, name: string, filter?: string): MeasureDefinition {
  return { ...countOf(label, description, filter), type: 'sum', sql: `{CUBE}.${name}` };
}

/** An expression over other measures, in percent. */
export function percentage(label: string, description: string, sql: string): MeasureDefinition {
  return { label, description, type: 'number', sql, format: 'percent' };
}

/** Builds a cube from its definition. Invalid SQL is a bug. */
export function defineCube(definition: CubeDefinition): Cube {
  const { name } = definition;
  const title = titleize(name);
  const template = (text: string) => readOnce(text, name);
  const named = (member: string) => {
    const shortTitle = titleOf(member);
    return { name: member, title: `${title} ${shortTitle}`, shortTitle };
  };
  const measures = Object.entries(definition.measures).map(
    ([member, each]): Measure => ({
      ...named(member),
      label: each.label,
      description: each.description,
      type: each.type,
      sql: each.sql === undefined ? undefined : template(each.sql),
      filters: each.filter === undefined ? [] : [template(each.filter)],
      ...(each.rollingWindow && { rollingWindow: each.rollingWindow }),
      format: each.format,
      drillMembers: (each.drillMembers ?? []).map((drill) => `${name}.${drill}`),
      public: each.public ?? true,
      ...(each.disjoint && { disjoint: true }),
      ...(each.local && { local: true }),
      uncounted: each.uncounted?.map(({ sql, amount, what }) => ({
        sql: template(sql),
        amount: amount === undefined ? undefined : template(amount),
        what,
      })),
    }),
  );
  const dimensions = Object.entries(definition.dimensions).map(
    ([member, each]): Dimension => ({
      ...named(member),
      label: each.label,
      description: each.description,
      type: each.type ?? 'string',
      expression: each.part
        ? { kind: 'time-part', part: each.part, sql: template(each.sql) }
        : { kind: 'sql', sql: template(each.sql) },
      primaryKey: each.primaryKey ?? false,
      format: each.format,
      ...(each.values && { values: each.values }),
      public: each.public ?? true,
      ...(each.local && { local: true }),
    }),
  );
  const segments = Object.entries(definition.segments).map(
    ([member, each]): Segment => ({
      ...named(member),
      description: each.description,
      sql: template(each.sql),
      public: true,
    }),
  );
  return {
    name,
    title,
    description: definition.description,
    source: definition.source,
    joins: [],
    measures,
    dimensions,
    segments,
    timeMember: definition.timeMember,
    public: definition.public ?? true,
  };
}

const templates = new Map<string, Template>();
const titles = new Map<string, string>();

/** Parses each SQL text once. The built-in cubes share most of them, and are built at every start. */
function readOnce(text: string, cube: string): Template {
  const known = templates.get(text);
  if (known) return known;
  const outcome = readTemplate(text, { cube, path: [cube] });
  invariant(outcome.ok, `SQL of the built-in cube ${cube}: ${text}`);
  // Templates with member references contain the cube's name and cannot be shared.
  if (!outcome.value.some((part) => part.kind === 'member')) templates.set(text, outcome.value);
  return outcome.value;
}

function titleOf(member: string): string {
  const known = titles.get(member) ?? titleize(member);
  titles.set(member, known);
  return known;
}

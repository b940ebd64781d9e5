import { type Catalog, toCatalog } from './catalog.ts';
import type { Cube, Dimension, Measure, Model, Segment } from './model.ts';

/** The platform's response of `product_analytics/request/meta`: the members to query. */
export interface Meta {
  readonly cubes: readonly MetaCube[];
}

export interface MetaCube {
  readonly name: string;
  readonly type: 'cube' | 'view';
  readonly title: string;
  readonly description?: string;
  readonly isVisible: boolean;
  readonly public: boolean;
  /** Cubes with the same number can be joined. Absent for a cube without joins. */
  readonly connectedComponent?: number;
  readonly measures: readonly MetaMeasure[];
  readonly dimensions: readonly MetaDimension[];
  readonly segments: readonly MetaMember[];
  readonly hierarchies: readonly MetaGroup[];
  /** Omitted if the model has none. */
  readonly folders?: readonly MetaGroup[];
}

interface MetaGroup {
  readonly name: string;
  readonly title?: string;
  readonly levels?: readonly string[];
  readonly members?: readonly string[];
}

export interface MetaMember {
  readonly name: string;
  readonly title: string;
  readonly shortTitle: string;
  readonly description?: string;
  readonly isVisible: boolean;
  readonly public: boolean;
  /** Only for members of views: the full name of the cube's member. */
  readonly aliasMember?: string;
}

interface MetaMeasure extends MetaMember {
  readonly type: 'number' | 'string' | 'boolean' | 'time';
  readonly aggType: string;
  readonly format?: string;
  readonly cumulative: boolean;
  readonly cumulativeTotal: boolean;
  readonly drillMembers: readonly string[];
  readonly drillMembersGrouped: DrillMembersGrouped;
}

interface MetaDimension extends MetaMember {
  readonly type: Dimension['type'];
  readonly format?: string;
  readonly suggestFilterValues: true;
  readonly primaryKey: boolean;
  /** Only for times with granularities of their own. */
  readonly granularities?: readonly MetaGranularity[];
}

export interface MetaGranularity {
  readonly name: string;
  readonly title: string;
  readonly interval?: string;
  readonly origin?: string;
  readonly offset?: string;
}

export interface DrillMembersGrouped {
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
}

/** The model in the format of the platform's `/meta`, without cubes that are not public. */
export function toMeta(model: Model): Meta {
  const catalog = toCatalog(model);
  const components = connectedComponents(model);
  return {
    cubes: model.cubes
      .filter((cube) => cube.public)
      .map((cube) => toMetaCube(cube, catalog, components.get(cube.name))),
  };
}

/**
 * The connected components of the joins, in either direction: a number for each cube that joins or is joined. Cubes
 * that declare joins are counted from 1; a component gets the number of its first such cube. Source: Cube's
 * `JoinGraph`.
 */
function connectedComponents({ cubes }: Model): ReadonlyMap<string, number> {
  const components = new Map<string, number>();
  const joining = cubes.filter(({ joins }) => joins.length > 0);
  joining.forEach(({ name }, index) => {
    const reached = components.has(name) ? [] : [name];
    for (const each of reached) {
      if (components.has(each)) continue;
      components.set(each, index + 1);
      for (const { name: from, joins } of joining) {
        if (from === each) reached.push(...joins.map(({ cube }) => cube));
        else if (joins.some(({ cube }) => cube === each)) reached.push(from);
      }
    }
  });
  return components;
}

/** `count_distinct` becomes `countDistinct`. Models may spell types either way; `/meta` uses camelCase. */
function aggTypeOf({ type }: Measure): string {
  return type.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The response as JSON text. */
export function writeMeta(model: Model): string {
  return `${JSON.stringify(toMeta(model), null, 2)}\n`;
}

/** Measures that are not aggregates keep their type. Every aggregate is a number, even the minimum of times. */
export function metaTypeOf(measure: Measure): MetaMeasure['type'] {
  return measure.type === 'string' || measure.type === 'boolean' || measure.type === 'time' ? measure.type : 'number';
}

/** Drill members by kind, as in annotations and `/meta`. */
export function groupDrillMembers(measure: Measure, catalog: Catalog): DrillMembersGrouped {
  const ofKind = (kind: string) => measure.drillMembers.filter((name) => catalog.find(name)?.kind === kind);
  return { measures: ofKind('measure'), dimensions: ofKind('dimension') };
}

function toMetaCube(cube: Cube, catalog: Catalog, connectedComponent: number | undefined): MetaCube {
  return {
    name: cube.name,
    type: cube.source.kind === 'view' ? 'view' : 'cube',
    title: cube.title,
    ...described(cube),
    isVisible: cube.public,
    public: cube.public,
    ...(connectedComponent !== undefined && { connectedComponent }),
    measures: cube.measures.map((measure) => ({
      ...toMetaMember(cube, measure),
      type: metaTypeOf(measure),
      aggType: aggTypeOf(measure),
      ...formatted(measure),
      cumulative: measure.rollingWindow !== undefined,
      cumulativeTotal: measure.rollingWindow !== undefined,
      drillMembers: measure.drillMembers,
      drillMembersGrouped: groupDrillMembers(measure, catalog),
    })),
    dimensions: cube.dimensions.map((dimension) => ({
      ...toMetaMember(cube, dimension),
      type: dimension.type,
      ...formatted(dimension),
      suggestFilterValues: true,
      primaryKey: dimension.primaryKey,
      ...(dimension.granularities && {
        granularities: dimension.granularities.map(({ name, title, written }) => ({ name, title, ...written })),
      }),
    })),
    segments: cube.segments.map((segment) => toMetaMember(cube, segment)),
    hierarchies: (cube.hierarchies ?? []).map(({ name, title, members }) => ({
      name: `${cube.name}.${name}`,
      title,
      levels: members,
    })),
    ...(cube.folders &&
      cube.folders.length > 0 && { folders: cube.folders.map(({ name, members }) => ({ name, members })) }),
  };
}

function toMetaMember(cube: Cube, member: Measure | Dimension | Segment): MetaMember {
  return {
    name: `${cube.name}.${member.name}`,
    title: member.title,
    shortTitle: member.shortTitle,
    ...described(member),
    isVisible: member.public,
    public: member.public,
    ...(member.of && { aliasMember: `${member.of.path.at(-1)}.${member.of.member}` }),
  };
}

function described({ description }: { readonly description?: string | undefined }): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

function formatted({ format }: { readonly format?: string | undefined }): { readonly format?: string } {
  return format === undefined ? {} : { format };
}

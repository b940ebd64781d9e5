import type { Column } from '../plan/column.ts';
import type { Model } from '../plan/model/model.ts';
import type { Plan } from '../plan/plan.ts';

export interface MemberAnnotation {
  readonly title: string;
  readonly shortTitle: string;
  readonly type?: string;
  readonly format?: string;
  readonly drillMembers?: readonly string[];
  readonly drillMembersGrouped?: { readonly measures: readonly string[]; readonly dimensions: readonly string[] };
}

/** What the members of an answer are called and how they read, by full name. */
export interface Annotation {
  readonly measures: Readonly<Record<string, MemberAnnotation>>;
  readonly dimensions: Readonly<Record<string, MemberAnnotation>>;
  readonly segments: Readonly<Record<string, MemberAnnotation>>;
  readonly timeDimensions: Readonly<Record<string, MemberAnnotation>>;
}

export function toAnnotation(plan: Plan): Annotation {
  const dimensions: Record<string, MemberAnnotation> = {};
  const timeDimensions: Record<string, MemberAnnotation> = {};
  const measures: Record<string, MemberAnnotation> = {};
  for (const column of plan.columns) {
    if (column.kind === 'dimension') dimensions[column.key] = describe(column, column.type);
    if (column.kind === 'time') {
      timeDimensions[column.key] = describe(column, 'time');
      timeDimensions[column.member] = describe(column, 'time');
    }
  }
  for (const { measure, column: index } of plan.measures) {
    const column = plan.columns[index];
    if (!column) continue;
    // Every aggregate is a number on the wire, the least and the greatest time too.
    const type = measure.type === 'string' || measure.type === 'boolean' || measure.type === 'time' ? measure.type : 'number';
    const drillMembers = measure.drillMembers;
    measures[column.key] = { ...describe(column, type), drillMembers, drillMembersGrouped: groupMembers(drillMembers, plan.model) };
  }
  const segments = Object.fromEntries(
    plan.segments.map(({ cube, segment }) => [`${cube.name}.${segment.name}`, { title: segment.title, shortTitle: segment.shortTitle }]),
  );
  return { measures, dimensions, segments, timeDimensions };
}

function describe({ title, shortTitle, format }: Column, type: string): MemberAnnotation {
  return { title, shortTitle, type, ...(format !== undefined && { format }) };
}

function groupMembers(members: readonly string[], model: Model): { measures: readonly string[]; dimensions: readonly string[] } {
  const known = new Set(model.cubes.flatMap((cube) => cube.measures.map((measure) => `${cube.name}.${measure.name}`)));
  return { measures: members.filter((name) => known.has(name)), dimensions: members.filter((name) => !known.has(name)) };
}

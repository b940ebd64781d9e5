import type { Column } from '../../plan/column.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import { groupDrillMembers, metaTypeOf, type DrillMembersGrouped } from '../../plan/model/write-meta.ts';
import type { Plan } from '../../plan/plan.ts';

export interface MemberAnnotation {
  readonly title: string;
  readonly shortTitle: string;
  readonly type?: string;
  readonly format?: string;
  readonly drillMembers?: readonly string[];
  readonly drillMembersGrouped?: DrillMembersGrouped;
}

/** What the members of an answer are called and how they read, by full name. */
export interface Annotation {
  readonly measures: Readonly<Record<string, MemberAnnotation>>;
  readonly dimensions: Readonly<Record<string, MemberAnnotation>>;
  readonly segments: Readonly<Record<string, MemberAnnotation>>;
  readonly timeDimensions: Readonly<Record<string, MemberAnnotation>>;
}

/** Source: recordings of Cube's answers. A bucket stands under its own key and under its member's. */
export function toAnnotation(plan: Plan): Annotation {
  const catalog = toCatalog(plan.model);
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
    const { drillMembers } = measure;
    measures[column.key] = { ...describe(column, metaTypeOf(measure)), drillMembers, drillMembersGrouped: groupDrillMembers(measure, catalog) };
  }
  const segments = Object.fromEntries(
    plan.segments.map(({ cube, segment }) => [`${cube.name}.${segment.name}`, { title: segment.title, shortTitle: segment.shortTitle }]),
  );
  return { measures, dimensions, segments, timeDimensions };
}

function describe({ title, shortTitle, format }: Column, type: string): MemberAnnotation {
  return { title, shortTitle, type, ...(format !== undefined && { format }) };
}

import { bad, errorIssue, good, type Outcome } from '../../../ask/outcome.ts';
import { cubeOf } from '../../../ask/query/member-name.ts';
import type { CanonicalQuery } from '../../../ask/query/query.ts';
import type { Column } from '../../../plan/column.ts';
import type { Catalog } from '../../../plan/model/catalog.ts';
import { type DrillFacts, ofOneRange } from '../../answer/drill-down.ts';
import { withoutMeasures } from '../../answer/without-measures.ts';

/**
 * The question for all values of a column, weighted by the first measure over the same rows; raw events are counted.
 * It is asked anew: figures such as unique users do not add up. Issue: `no-frequencies`.
 */
export function askFrequencies(asked: DrillFacts, column: Column, catalog: Catalog): Outcome<CanonicalQuery> {
  const { query, measures: known } = ofOneRange(asked, 0);
  if (column.kind !== 'dimension' && column.kind !== 'time')
    return refuse('Only a dimension or a time has values to count.', 'Press `i` to describe this column.');
  const measure = query.measures?.[0] ?? countOf(cubeOf(column.member), catalog);
  if (measure === undefined)
    return refuse('The model has no measure that counts these rows.', 'Add a measure of type count to the cube.');
  const bucket = column.kind === 'time' ? column.key.slice(column.member.length + 1) : undefined;
  const times = (query.timeDimensions ?? []).flatMap(({ granularity, ...time }) => {
    const isOwn = bucket !== undefined && granularity === bucket && time.dimension === column.member;
    return isOwn ? [{ ...time, granularity }] : time.dateRange === undefined ? [] : [time];
  });
  const filters = withoutMeasures(query.filters ?? [], known);
  const formula = query.formulas?.[measure];
  return good({
    measures: [measure],
    ...(formula !== undefined && { formulas: { [measure]: formula } }),
    ...(bucket === undefined && { dimensions: [column.member] }),
    ...(times.length > 0 && { timeDimensions: times }),
    ...(query.segments && { segments: query.segments }),
    ...(filters.length > 0 && { filters }),
    ...(query.timezone !== undefined && { timezone: query.timezone }),
    order: [[measure, 'desc']],
  });
}

function countOf(cube: string, catalog: Catalog): string | undefined {
  const found = catalog.cube(cube)?.measures.find(({ type, filters }) => type === 'count' && filters.length === 0);
  return found && `${cube}.${found.name}`;
}

function refuse(message: string, hint: string): Outcome<never> {
  return bad([errorIssue('no-frequencies', message, { hint })]);
}

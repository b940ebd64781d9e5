import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import type { Query } from '../../../ask/query/query.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { DrillFacts } from './drill-facts.ts';

/** What it takes to ask further from the answer of a query, whose plan (the first one, of a comparison) is given. */
export function toDrillFacts(query: Query, { columns, zone, weekStart, times, root, model }: Plan): DrillFacts {
  const catalog = toCatalog(model);
  const canonical = toCanonicalQuery(query);
  return {
    query: canonical, columns, zone, weekStart,
    // A plan has its times in the query's order.
    ranges: (canonical.timeDimensions ?? []).map((_, index) => times[index]?.range),
    measures: new Set(model.cubes.flatMap(({ name, measures }) => measures.map((measure) => `${name}.${measure.name}`))),
    timeMember: catalog.timeMemberOf(root.name),
  };
}

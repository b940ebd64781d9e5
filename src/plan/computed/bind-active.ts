import type { Filter } from '../../ask/query/query.ts';
import type { DefinitionTools } from '../analysis.ts';
import type { Condition } from '../plan.ts';

/** The filters of an analysis of one kind of event. All conditions of a list hold. */
export interface BoundActive {
  readonly active: readonly Condition[];
  readonly where: readonly Condition[];
}

/** `key`: that of the analysis in its file. */
export function bindActive(
  { active, where }: { readonly active: { readonly where: readonly Filter[] }; readonly where: readonly Filter[] },
  tools: DefinitionTools,
  key: string,
): BoundActive {
  return {
    active: tools.bindFilters(active.where, [key, 'active', 'where']),
    where: tools.bindFilters(where, [key, 'where']),
  };
}

import { analysisOf } from '../../plan/analysis.ts';
import type { Value } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { partialByPresent, partialByRange } from '../result/marks.ts';

/**
 * Flags by column key of an answer that an analysis computed, whose figures it judges one by one; a column without any
 * has none. Undefined: the plan's time axis tells which figures are partial. `data` has the plan's columns.
 */
export function toJudgedFlags(
  plan: Plan,
  data: readonly ArrayLike<Value>[],
): ReadonlyMap<string, Uint8Array<ArrayBuffer>> | undefined {
  const { source } = plan.root;
  const isBound = source.kind === 'computed' && plan.computed?.bound !== undefined;
  const judge = isBound ? analysisOf(source).openPartialJudge?.(plan) : undefined;
  if (!judge) return undefined;
  const places = new Map(plan.columns.map(({ key }, index) => [key, index]));
  const flags = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { measure, column } of plan.measures) {
    const own = Uint8Array.from(data[column] ?? [], (_, row) => {
      const why = judge(measure.name, (key) => data[places.get(key) ?? -1]?.[row]);
      return why === undefined ? 0 : why === 'by-present' ? partialByPresent : partialByRange;
    });
    if (own.some((flag) => flag !== 0)) flags.set(plan.columns[column]!.key, own);
  }
  return flags;
}

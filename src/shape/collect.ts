import { plural } from '../ask/text.ts';
import type { TypeClaim, Value } from '../plan/column.ts';
import { isCount, isOfModel } from '../plan/model/model.ts';
import { isTimeOfProperty } from '../plan/model/property-members.ts';
import type { Plan } from '../plan/plan.ts';
import type { Answer, Batch } from '../run/backend.ts';
import { toJudgedFlags } from './data-extent.ts';
import { lastAhead, toBucketFlags } from './fill/partial-buckets.ts';
import { formatNumber } from './format/format-number.ts';
import { type Marks, noMarks, toMarks } from './result/marks.ts';
import { withNote } from './result/provenance.ts';
import { type AnyRow, type Result, toResult } from './result/result.ts';
import { type CollectFacts, toProvenance } from './to-provenance.ts';
import { type Codes, toCodes } from './values/codes.ts';
import { joinValues } from './values/join-values.ts';
import { takeFlags } from './values/take.ts';
import type { Values } from './values/values.ts';

export type { CollectFacts } from './to-provenance.ts';

/**
 * Reads all batches of an answer into one array for each column, without making objects of rows. `plan` is the plan
 * that was run. Rejects if a batch does.
 */
export async function collect<Row extends object = AnyRow>(
  plan: Plan,
  answer: Answer,
  facts: CollectFacts,
): Promise<Result<Row>> {
  const batches: Batch[] = [];
  for await (const batch of answer.batches) if (batch.rowCount > 0) batches.push(batch);
  const data = plan.columns.map((_, index) => joinValues(batches.map((batch) => batch.columns[index] as Values)));
  const rows = batches.reduce((sum, batch) => sum + batch.rowCount, 0);
  const column = plan.times.find(({ granularity }) => granularity !== undefined)?.column;
  const axis = column === undefined ? undefined : { column, ...toCodes(data[column] ?? []) };
  const { marks, partialBuckets } = markPartial(plan, data, axis);
  return toResult<Row>({
    columns: plan.columns,
    data,
    marks,
    provenance: [...noteUnusual(data), ...noteFuture(plan, axis?.dictionary)].reduce(
      withNote,
      toProvenance(plan, { rows, partialBuckets }, answer.facts(), facts),
    ),
    types: toTypes(plan, answer.types),
  });
}

/** Warns about NaN and infinite values: they spoil sums and averages, and no chart can draw them. */
function noteUnusual(data: readonly Values[]): readonly string[] {
  let unusual = 0;
  for (const values of data)
    for (const value of values) if (typeof value === 'number' && !Number.isFinite(value)) unusual += 1;
  if (unusual === 0) return [];
  return [
    `${formatNumber(unusual)} ${plural(unusual, 'value is', 'values are')} NaN or infinite, ` +
      'in the data or because of a division by zero.',
  ];
}

/** Devices with wrong clocks send events of the future. Without a range, they stretch the answer. */
function noteFuture(plan: Plan, buckets: readonly Value[] = []): readonly string[] {
  const { root, times } = plan;
  const last =
    isOfModel(root) ||
    root.synced ||
    times.some(({ dimension }) => isTimeOfProperty(dimension)) ||
    times.some(({ range }) => range)
      ? undefined
      : lastAhead(plan, buckets);
  if (last === undefined) return [];
  const day = last.slice(0, 10);
  return [`Some events are in the future, up to ${day}. Set a range, such as \`last 12 months\`, to leave them out.`];
}

/** The engine's types; without one, a count is known to be a whole number. */
function toTypes({ columns, measures }: Plan, said: Answer['types']): ReadonlyMap<string, TypeClaim> {
  const counts = new Set(measures.filter(({ measure }) => isCount(measure.type)).map(({ column }) => column));
  return new Map(
    columns.flatMap(({ key }, index) => {
      const type = said?.[index] ?? (counts.has(index) ? { kind: 'whole' as const } : undefined);
      return type ? [[key, type]] : [];
    }),
  );
}

/** Marks partial buckets: one array of flags for the time column and all measures; none if nothing is partial. */
function markPartial(
  plan: Plan,
  data: readonly Values[],
  axis: (Codes & { readonly column: number }) | undefined,
): { readonly marks: Marks; readonly partialBuckets: number } {
  const judged = toJudgedFlags(plan, data);
  if (judged) return { marks: judged.size === 0 ? noMarks : toMarks(judged), partialBuckets: 0 };
  const flagsOf = toBucketFlags(plan);
  if (!flagsOf || !axis) return { marks: noMarks, partialBuckets: 0 };
  const flagsOfCode = Uint8Array.from(axis.dictionary, flagsOf);
  const partialBuckets = flagsOfCode.filter((flags) => flags !== 0).length;
  if (partialBuckets === 0) return { marks: noMarks, partialBuckets };
  const flags = takeFlags(flagsOfCode, axis.codes);
  const marked = plan.columns.filter((column, index) => column.kind === 'measure' || index === axis.column);
  return { marks: toMarks(new Map(marked.map((column) => [column.key, flags]))), partialBuckets };
}

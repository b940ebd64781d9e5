import { hashQuery } from '../../ask/query/canonical-query.ts';
import { type Formula, partsOf } from '../../ask/notation/formula.ts';
import { toBucketStart } from '../../ask/time/buckets.ts';
import type { TypeClaim, Value } from '../../plan/column.ts';
import type { Condition, Derivation, FurtherPlan, Plan, Test } from '../../plan/plan.ts';
import { toSeriesLabels } from '../fill/series-grid.ts';
import { partialByRange, toMarks } from '../result/marks.ts';
import { type Provenance, withNote } from '../result/provenance.ts';
import { type Result, toResult } from '../result/result.ts';
import { sort } from '../result/sort.ts';
import { takeRows } from '../result/take-rows.ts';
import { percentOf } from '../share.ts';
import { keptSince } from '../stack.ts';
import type { Values } from '../values/values.ts';
import { alongBuckets, toRowKeys } from './along-buckets.ts';
import { evaluateFormula } from './evaluate-formula.ts';
import { compareValues } from '../values/compare-values.ts';

/**
 * Computes the formulas of a plan from the answers of its base and of its further plans (in their order). Keeps all
 * rows of the base: `chooseRows` applies conditions, order and limit.
 */
export function derive(plan: Plan, derived: Derivation, base: Result, further: readonly Result[]): Result {
  const made = new Map<string, Values>();
  derived.further.forEach((each, index) => {
    for (const { from, to } of each.columns) made.set(to, toColumn(base, each, further[index]!, from));
  });
  const input = {
    rowCount: base.rowCount,
    values: (key: string) => made.get(key) ?? base.values(key),
    typeOf: (key: string): TypeClaim | undefined =>
      made.has(key) ? toType(derived, key, base, further) : base.types.get(key),
  };
  const formulas = new Map(derived.formulas.map(({ column, formula }) => [column, formula]));
  const types = new Map<string, TypeClaim>();
  const flags = new Map<string, Uint8Array>();
  const measure = derived.base.measures[0];
  const rowFlags = measure && base.marks.flags(derived.base.columns[measure.column]!.key);
  const isWhole = startsWhole(derived.base);
  const data = plan.columns.map(({ key }, index) => {
    const formula = formulas.get(index);
    const type = formula ? undefined : base.types.get(key);
    if (type) types.set(key, type);
    const own = formula ? rowFlags : base.marks.flags(key);
    if (own) flags.set(key, formula && reachesBack(formula, derived) ? isWhole(own, base) : own);
    if (!formula) return base.values(key);
    const computed = evaluateFormula(formula, input);
    if (computed.type) types.set(key, computed.type);
    return computed.values;
  });
  const { provenance } = base;
  const cells = derived.base.measures.length === 0 ? 0 : provenance.filledCells / derived.base.measures.length;
  const told = [provenance, ...further.map((each) => each.provenance)];
  return toResult({
    columns: plan.columns,
    data,
    marks: toMarks(flags),
    provenance: told
      .flatMap(({ notes }) => notes)
      .reduce(withNote, {
        ...provenance,
        query: plan.query,
        queryHash: hashQuery(plan.query),
        filledCells: cells * plan.measures.length,
        uncounted: [...provenance.uncounted, ...uncountedWhere(derived, further)],
        lacking: lackingOf(told),
        kept: keptSince(told),
        elapsedMs: told.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
        notes: [],
      }),
    types,
  });
}

/** What the measures with conditions of their own could not count, with these conditions. */
function uncountedWhere({ further }: Derivation, answers: readonly Result[]): Provenance['uncounted'] {
  return further.flatMap(({ where }, index) =>
    where === undefined
      ? []
      : answers[index]!.provenance.uncounted.map(({ what, rows }) => ({ what: `${what} (${where})`, rows })),
  );
}

function lackingOf(told: readonly Provenance[]): Provenance['lacking'] {
  const sentences = new Set(told.flatMap(({ lacking = [] }) => lacking));
  return sentences.size > 0 ? [...sentences] : undefined;
}

function toColumn(base: Result, further: FurtherPlan, answer: Result, from: string): Values {
  if (further.kind === 'average' || further.kind === 'sum') return alongBuckets(base, further, answer, from);
  const keys = further.plan.columns.filter(({ kind }) => kind !== 'measure').map(({ key }) => key);
  const found = answer.values(from);
  const rows = new Map(toRowKeys(answer, keys).map((key, row) => [key, row]));
  const places = toRowKeys(base, keys).map((key) => rows.get(key));
  if (further.kind === 'where') {
    const absent = further.plan.columns.find(({ key }) => key === from)?.whenAbsent ?? null;
    return places.map((at) => (at === undefined ? absent : (found[at] ?? null)));
  }
  const values = base.values(from);
  return places.map((at, row) => percentOf(values[row] ?? null, at === undefined ? null : (found[at] ?? null)));
}

function toType({ further }: Derivation, key: string, base: Result, answers: readonly Result[]): TypeClaim | undefined {
  const index = further.findIndex(({ columns }) => columns.some(({ to }) => to === key));
  const made = further[index];
  if (made?.kind === 'where') return answers[index]?.types.get(key);
  if (made?.kind !== 'sum') return { kind: 'double' };
  return base.types.get(made.columns.find(({ to }) => to === key)!.from);
}

/** Whether all measures of a formula use whole windows, which the start of the range does not cut. */
function reachesBack(formula: Formula, { base, further }: Derivation): boolean {
  const windows = new Set(
    base.measures.flatMap(({ measure, column }) =>
      measure.rollingWindow?.clipped && measure.rollingWindow.trailing !== 'range' ? [base.columns[column]!.key] : [],
    ),
  );
  for (const { kind, columns } of further) if (kind === 'average') for (const { to } of columns) windows.add(to);
  return partsOf(formula).every(({ name }) => windows.has(name));
}

/** Removes the mark from the first bucket if the range begins inside of it, but does not also end there. */
function startsWhole(plan: Plan): (flags: Uint8Array, result: Result) => Uint8Array {
  const { series, zone, weekStart } = plan;
  if (!series || series.range.start >= series.range.end) return (flags) => flags;
  const { range, granularity, column } = series;
  if (toBucketStart(range.start, granularity, zone, weekStart) >= range.start) return (flags) => flags;
  const { buckets, labels } = toSeriesLabels(series, plan);
  if (buckets[0]!.end > range.end) return (flags) => flags;
  return (flags, result) => {
    const times = result.values(plan.columns[column]!.key);
    return flags.map((flag, row) => (times[row] === labels[0] ? flag & ~partialByRange : flag));
  };
}

/**
 * Applies the plan's conditions on formulas and its order to a derived answer. `wide` is the answer of the base, whose
 * measures the conditions may use too.
 */
export function chooseRows(derived: Result, plan: Plan, { conditions, keys }: Derivation, wide: Result): Result {
  const kept = Int32Array.from(
    Array.from({ length: derived.rowCount }, (_, row) => row).filter((row) =>
      conditions.every((condition) =>
        passes(condition, (operand) => {
          const key = operand.kind === 'measure' ? keys.get(operand.measure) : undefined;
          if (key === undefined) return null;
          const source = derived.columns.some((column) => column.key === key) ? derived : wide;
          return source.values(key)[row] ?? null;
        }),
      ),
    ),
  );
  const passed = kept.length === derived.rowCount ? derived : takeRows(derived, kept);
  const order = plan.order.map(({ column, descending }) => ({ key: plan.columns[column]!.key, descending }));
  return sort(passed, order);
}

/** The value of a row for a condition on groups. */
type ValueOf = (operand: Extract<Condition, { kind: 'test' }>['operand']) => Value;

/** Whether a group of an answer passes a condition on its measures. */
function passes(condition: Condition, valueOf: ValueOf): boolean {
  if (condition.kind === 'and') return condition.conditions.every((part) => passes(part, valueOf));
  if (condition.kind === 'or')
    return condition.conditions.length === 0 || condition.conditions.some((part) => passes(part, valueOf));
  return passesTest(condition.test, valueOf(condition.operand));
}

/** Compares numbers exactly. A missing value passes only tests that ask for it. */
function passesTest(test: Test, value: Value): boolean {
  switch (test.kind) {
    case 'present':
      return value !== null;
    case 'missing':
      return value === null;
    case 'one-of':
      return value === null ? test.orNull : test.values.some((each) => compareValues(value, each, 'number') === 0);
    case 'none-of':
      return value === null ? test.orNull : test.values.every((each) => compareValues(value, each, 'number') !== 0);
    case 'compare': {
      if (value === null) return false;
      const compared = compareValues(value, test.value, 'number');
      if (test.operator === '>') return compared > 0;
      if (test.operator === '>=') return compared >= 0;
      return test.operator === '<' ? compared < 0 : compared <= 0;
    }
    // Binding allows only these tests for numeric measures. Tests on rows pass every group.
    default:
      return true;
  }
}

import { dropOff, readStepKey } from '../../ask/paths/paths.ts';
import type { Column, Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toDecimal } from '../../shape/values/decimal.ts';

/** A value as a number to draw; null if it is not a finite number. */
export function toDrawable(value: Value): number | null {
  if (typeof value === 'string' && !toDecimal(value)) return null;
  if (value === null || typeof value === 'boolean') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The role of each column in a chart. */
export interface ColumnRoles {
  /** The time axis: the first column of buckets, else the first of times. */
  readonly time: Column | undefined;
  /** Other columns that distinguish rows. */
  readonly dimensions: readonly Column[];
  readonly measures: readonly MeasureColumns[];
  readonly funnel: FunnelColumns | undefined;
  /** The ends of each edge, if no other column distinguishes rows. */
  readonly paths: PathColumns | undefined;
  /** The step names of a funnel drawn by group. They distinguish its series. */
  readonly steps?: Column | undefined;
  /** Measures without numbers. */
  readonly undrawable: readonly Column[];
}

/** A measure with the columns that `compare` added. */
export interface MeasureColumns {
  readonly column: Column;
  /** From earlier ranges, the latest first. */
  readonly previous: readonly Column[];
}

/** The figures of `toFunnelResult`, or `count` by `step` alone. */
export interface FunnelColumns {
  readonly step: Column;
  readonly name: Column | undefined;
  readonly count: Column;
  readonly conversion: Column | undefined;
  readonly median: Column | undefined;
}

/** `source` and `target` of a cube of paths. */
export interface PathColumns {
  readonly source: Column;
  readonly target: Column;
}

export function toColumnRoles(result: Pick<Result, 'columns' | 'values' | 'rowCount'>): ColumnRoles {
  const { columns } = result;
  const funnel = toFunnelColumns(result);
  const apart = columns.filter(
    (column) =>
      column.kind !== 'measure' && column !== funnel?.step && column !== funnel?.name && !isBeside(column, columns),
  );
  const time =
    apart.find(({ kind }) => kind === 'time') ??
    apart.find(({ kind, type }) => kind === 'dimension' && type === 'time');
  const measures = columns.filter(({ kind }) => kind === 'measure');
  const own = measures.filter((column) => column.type === 'number' && !isBeside(column, columns));
  return {
    time,
    dimensions: apart.filter((column) => column !== time),
    measures: own.map((column) => ({ column, previous: measures.filter(({ key }) => isPrevious(key, column.key)) })),
    funnel,
    paths: toPathColumns(result, apart),
    undrawable: measures.filter((column) => column.type !== 'number'),
  };
}

/** True if `compare` made this column from another. */
function isBeside({ key, member }: Column, columns: readonly Column[]): boolean {
  return columns.some(
    (base) =>
      base.member === member &&
      key !== base.key &&
      key.startsWith(`${base.key}.`) &&
      /^(?:previous|change|changePercent)(?:\.\d+)?$/.test(key.slice(base.key.length + 1)),
  );
}

function isPrevious(key: string, base: string): boolean {
  return key.startsWith(`${base}.previous`) && /^(?:\.\d+)?$/.test(key.slice(base.length + '.previous'.length));
}

function cubeOf({ key }: Column): string {
  return key.slice(0, key.lastIndexOf('.') + 1);
}

function toPathColumns({ values }: Pick<Result, 'values'>, apart: readonly Column[]): PathColumns | undefined {
  const find = (short: string) => apart.find(({ key, type }) => type === 'string' && key.endsWith(`.${short}`));
  const [source, target] = [find('source'), find('target')];
  if (!source || !target || cubeOf(source) !== cubeOf(target)) return undefined;
  if (apart.some((column) => column !== source && column !== target && column.key !== `${cubeOf(source)}step`))
    return undefined;
  const isStep = (value: Value) => typeof value === 'string' && readStepKey(value) !== undefined;
  const sources = Array.from(values(source.key));
  const targets = Array.from(values(target.key));
  return sources.every(isStep) && targets.every((value) => value === dropOff || isStep(value))
    ? { source, target }
    : undefined;
}

function toFunnelColumns({
  columns,
  values,
  rowCount,
}: Pick<Result, 'columns' | 'values' | 'rowCount'>): FunnelColumns | undefined {
  const step = columns.find(
    ({ key, kind, type }) => key.endsWith('.step') && kind === 'dimension' && type === 'number',
  );
  const find = (short: string, kind: Column['kind']) =>
    columns.find((column) => column.kind === kind && column.key === `${step && cubeOf(step)}${short}`);
  const count = find('count', 'measure');
  if (!step || !count || count.additive) return undefined;
  const name = find('name', 'dimension');
  if (!name && (columns.length !== 2 || !areSteps(values(step.key), rowCount))) return undefined;
  return { step, name, count, conversion: find('conversion', 'measure'), median: find('medianSeconds', 'measure') };
}

/** 1, 2, 3 and so on. */
function areSteps(values: ReturnType<Result['values']>, rowCount: number): boolean {
  return rowCount > 1 && Array.from(values, Number).every((value, index) => value === index + 1);
}

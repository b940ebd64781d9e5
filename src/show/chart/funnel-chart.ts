import { invariant } from '../../ask/invariant.ts';
import type { Column } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatDuration } from '../../shape/format/format-time.ts';
import { toPercent } from '../../shape/funnel-result.ts';
import { type Result, toResult } from '../../shape/result/result.ts';
import { takeRows } from '../../shape/result/take-rows.ts';
import { rowsBetween } from '../../shape/values/take.ts';
import { type ColumnRoles, type FunnelColumns, toDrawable } from './column-roles.ts';
import { toDistinct, toName, toShownText } from './names.ts';
import type { ChartBody } from './stat-chart.ts';

/** A bar a step, with who went on and who did not. */
export function toFunnelChart(result: Result<object>, { funnel }: ColumnRoles): ChartBody {
  invariant(funnel, 'the chart of a funnel has one');
  const { step, name, count, median } = funnel;
  const numbers = result.values(step.key);
  const counts = Array.from({ length: result.rowCount }, (_, row) => toDrawable(result.values(count.key)[row] ?? null));
  const labels = toDistinct(counts.map((_, row) => (name ? `${toName(numbers[row] ?? null, step)} ${toName(result.values(name.key)[row] ?? null, name)}` : `Step ${toName(numbers[row] ?? null, step)}`)));
  const asides = counts.map((_, row) => describePassage(counts, row, median ? toDrawable(result.values(median.key)[row] ?? null) : null));
  return {
    kind: 'funnel',
    x: { title: toShownText(step.shortTitle), scale: 'category', ordered: false, labels, positions: labels.map((_, place) => place), ends: [], flags: labels.map(() => 0), asides },
    panels: [{ title: toShownText(count.shortTitle), format: count.format, additive: false, series: [{ label: toShownText(count.shortTitle), role: 'plain', values: counts, flags: counts.map(() => 0) }] }],
    annotations: [], notes: [],
  };
}

/** Who went on to a step and who did not. */
function describePassage(counts: readonly (number | null)[], row: number, median: number | null): string {
  const count = counts[row] ?? null;
  const before = counts[row - 1] ?? null;
  if (row === 0 || count === null || before === null) return '';
  if (before === 0) return 'nobody was left to go on';
  const timed = median === null ? '' : `, median ${formatDuration(median * 1000)} since step 1`;
  return `${formatShare(toPercent(count, before))} went on, ${formatNumber(before - count)} dropped off${timed}`;
}

/** Neither all nor nobody unless it is so. */
export function formatShare(percent: number | null): string {
  if (percent === null) return '–';
  const shown = percent > 99.9 && percent < 100 ? 99.9 : percent > 0 && percent < 0.1 ? 0.1 : Math.round(percent * 10) / 10;
  return `${shown.toFixed(1)}%`;
}

/** What is drawn of a funnel that is not one for all, but for each value or bucket. */
export interface FunnelGroups {
  readonly result: Result<object>;
  readonly roles: ColumnRoles;
  /** The funnel's name. */
  readonly name: string;
  /** What is measured: `Conversion from cart`. */
  readonly measured: string;
}

/** The share of those who began that came to each step; to the first one, all did. No more come to a later step, so that the largest first is their order. */
export function toFunnelGroups(result: Result<object>, roles: ColumnRoles, funnel: FunnelColumns): FunnelGroups {
  const { step, name, count, conversion } = funnel;
  const numbers = result.values(step.key);
  const nameAt = (row: number) => (name ? toName(result.values(name.key)[row] ?? null, name) : undefined);
  const first = rowsBetween(0, result.rowCount).find((row) => Number(numbers[row]) === 1);
  const began = (first === undefined ? undefined : nameAt(first)) ?? 'the first step';
  const kept = takeRows(result, rowsBetween(0, result.rowCount).filter((row) => Number(numbers[row]) > 1));
  const stepNames = Array.from(kept.values(step.key), (number, row) => (name ? `${toName(number, step)} ${toName(kept.values(name.key)[row] ?? null, name)}` : `Step ${toName(number, step)}`));
  const steps: Column = { ...(name ?? step), type: 'string', title: 'Step', shortTitle: 'Step' };
  const columns = [...kept.columns.filter((column) => column !== step && column.key !== steps.key), steps];
  return {
    result: toResult({ columns, data: columns.map((column) => (column === steps ? stepNames : kept.values(column.key))), marks: kept.marks, provenance: kept.provenance, types: kept.types }),
    roles: { ...roles, dimensions: [...roles.dimensions, steps], steps, measures: [{ column: conversion ?? count, previous: [] }], funnel: undefined },
    name: toShownText(step.member.slice(0, step.member.lastIndexOf('.'))),
    measured: conversion ? `Conversion from ${began}` : toShownText(count.shortTitle),
  };
}

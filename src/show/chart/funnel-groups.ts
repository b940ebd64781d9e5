import { type Column, labelOf } from '../../plan/column.ts';
import { type Result, toResult } from '../../shape/result/result.ts';
import { takeRows } from '../../shape/result/take-rows.ts';
import { rowsBetween } from '../../shape/values/take.ts';
import type { ColumnRoles, FunnelColumns } from './column-roles.ts';
import { toName, toShownText } from './names.ts';

/** The name of the funnel that the columns belong to, not sanitized. */
export function toFunnelName({ step: { member } }: Pick<FunnelColumns, 'step'>): string {
  return member.slice(0, member.lastIndexOf('.'));
}

/** A funnel that is drawn for each value or bucket, not for all users together. */
export interface FunnelGroups {
  readonly result: Result<object>;
  readonly roles: ColumnRoles;
  /** The funnel's name. */
  readonly name: string;
  /** The measured quantity, such as `Conversion from cart`. */
  readonly measured: string;
}

/**
 * The share of those who began that reached each step. The first step is omitted: everyone reached it. Later steps have
 * no more users than earlier ones, so “largest first” is their order.
 */
export function toFunnelGroups(result: Result<object>, roles: ColumnRoles, funnel: FunnelColumns): FunnelGroups {
  const { step, name, count, conversion } = funnel;
  const numbers = result.values(step.key);
  const nameAt = (row: number) => (name ? toName(result.values(name.key)[row] ?? null, name) : undefined);
  const first = rowsBetween(0, result.rowCount).find((row) => Number(numbers[row]) === 1);
  const began = (first === undefined ? undefined : nameAt(first)) ?? 'the first step';
  const kept: Result<object> = takeRows(
    result as Result<object> as Result,
    rowsBetween(0, result.rowCount).filter((row) => Number(numbers[row]) > 1),
  );
  const stepNames = Array.from(kept.values(step.key), (number, row) =>
    name
      ? `${toName(number, step)} ${toName(kept.values(name.key)[row] ?? null, name)}`
      : `Step ${toName(number, step)}`,
  );
  const steps: Column = { ...(name ?? step), type: 'string', title: 'Step', shortTitle: 'Step', label: undefined };
  const columns = [...kept.columns.filter((column) => column !== step && column.key !== steps.key), steps];
  return {
    result: toResult({
      columns,
      data: columns.map((column) => (column === steps ? stepNames : kept.values(column.key))),
      marks: kept.marks,
      provenance: kept.provenance,
      types: kept.types,
    }),
    roles: {
      ...roles,
      dimensions: [...roles.dimensions, steps],
      steps,
      measures: [{ column: conversion ?? count, previous: [] }],
      funnel: undefined,
    },
    name: toShownText(toFunnelName(funnel)),
    measured: conversion ? `Conversion from ${began}` : toShownText(labelOf(count)),
  };
}

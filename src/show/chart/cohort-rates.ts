import type { Column } from '../../plan/column.ts';
import type { ColumnRoles } from './column-roles.ts';

/** What is drawn of a retention: one figure of each cohort, or value, and period. */
export interface CohortRates {
  readonly roles: ColumnRoles;
  /** How many users there are in each cohort, or value: the same in each of its periods. */
  readonly size: Column | undefined;
  /** The breakdown, where cohorts are told apart too: a picture of cohorts for each of its values. */
  readonly apart: Column | undefined;
}

/**
 * A retention's rates, or values, alone, where an answer has its sizes and users beside them: they are what the rates
 * are made of. Undefined for every other answer. Sizes stand beside cohorts, or values, where these tell the series
 * apart.
 */
export function toCohortRates(roles: ColumnRoles): CohortRates | undefined {
  const rate =
    roles.measures.find(({ column }) => isOf(column, 'value')) ??
    roles.measures.find(({ column }) => isOf(column, 'rate'));
  const size = roles.measures.find(({ column }) => isOf(column, 'size'))?.column;
  const period = roles.dimensions.find((column) => isOf(column, 'period') && column.type === 'number');
  if (!rate || !period || (roles.time && !isOf(roles.time, 'cohort'))) return undefined;
  const cube = cubeOf(rate.column);
  if ([period, size, roles.time].some((column) => column && cubeOf(column) !== cube)) return undefined;
  if (roles.measures.some(({ column, previous }) => previous.length > 0 || !parts.some((part) => isOf(column, part))))
    return undefined;
  const others = roles.dimensions.filter((column) => column !== period);
  const [value, another] = others;
  const apart = roles.time && value && !another && isOf(value, 'breakdown') ? value : undefined;
  const dimensions = apart ? [period] : roles.dimensions;
  const isSized = (roles.time ? 1 : 0) + others.length === 1 || apart !== undefined;
  return { roles: { ...roles, dimensions, measures: [rate] }, size: isSized ? size : undefined, apart };
}

const parts = ['value', 'rate', 'size', 'users'] as const;

function isOf({ member }: Column, short: string): boolean {
  return member.endsWith(`.${short}`);
}

function cubeOf({ member }: Column): string {
  return member.slice(0, member.indexOf('.'));
}

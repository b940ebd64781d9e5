import type { Result } from '../../shape/result.ts';
import type { MeasureColumns } from './column-roles.ts';
import { toDrawable } from './drawable-number.ts';

/** Where one measure is so many times another, the smaller would be a flat line on their common scale. */
const mostApart = 20;

/**
 * Measures that can be read off one scale: the same unit, of a size, and all amounts or all averages. What `pivot` made of
 * one measure always belongs together. Never two scales in one picture: where their lines cross would say nothing.
 */
export function toScaleGroups(result: Result<object>, measures: readonly MeasureColumns[]): readonly (readonly MeasureColumns[])[] {
  const groups: MeasureColumns[][] = [];
  const sizes = new Map(measures.map(({ column }) => [column, sizeOf(result, column.key)]));
  for (const measure of measures) {
    const group = groups.find((others) => measure.previous.length === 0 && others.every((other) => {
      if (other.previous.length > 0) return false;
      const [a, b] = [measure.column, other.column];
      if (a.member === b.member && a.key.startsWith(`${a.member}[`) && b.key.startsWith(`${b.member}[`)) return true;
      if (a.format !== b.format || a.whenAbsent !== b.whenAbsent || a.whenAbsent === null && a.format !== 'percent') return false;
      const [small = 0, large = 0] = [sizes.get(a) ?? 0, sizes.get(b) ?? 0].sort((x, y) => x - y);
      return small === 0 || large / small <= mostApart;
    }));
    if (group) group.push(measure);
    else groups.push([measure]);
  }
  return groups;
}

function sizeOf(result: Result<object>, key: string): number {
  let size = 0;
  for (const value of result.values(key)) size = Math.max(size, Math.abs(toDrawable(value) ?? 0));
  return size;
}

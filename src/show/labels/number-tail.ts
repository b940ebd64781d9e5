import type { Column } from '../../plan/column.ts';

/** True for a column of figures, which are aligned at the right. Weekdays are numbers that words name. */
export function isFigures({ type, format }: Pick<Column, 'type' | 'format'>): boolean {
  return type === 'number' && format !== 'weekday';
}

const tail = /\.\d*%?$|%$/;

/** What follows the last whole digit of a formatted number, such as `.25%`, so that columns align there. */
export function numberTail(text: string): string {
  return tail.exec(text)?.[0] ?? '';
}

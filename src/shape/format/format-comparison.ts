import { daysInMonth } from '../../ask/time/calendar.ts';

const wholeDays = /^(\d{4,}-\d\d)-(\d\d)T00:00:00\.000 - (\d{4,}-\d\d)-(\d\d)T23:59:59\.999$/;

/**
 * The label of a comparison's range as people read it: `2024-03` for a whole month, `2024-03-08` for a day,
 * `2024-03-01 to 2024-03-14` for whole days, else first and last instant.
 */
export function formatComparison(label: string): string {
  const match = wholeDays.exec(label);
  if (!match) return label.replace(' - ', ' to ').replaceAll('T', ' ');
  const [, firstMonth = '', firstDay = '', lastMonth = '', lastDay = ''] = match;
  const [first, last] = [`${firstMonth}-${firstDay}`, `${lastMonth}-${lastDay}`];
  if (first === last) return first;
  return firstMonth === lastMonth && firstDay === '01' && Number(lastDay) === lengthOf(firstMonth)
    ? firstMonth
    : `${first} to ${last}`;
}

function lengthOf(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return daysInMonth(year!, number! - 1);
}

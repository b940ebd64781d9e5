import type { ChartAxis } from './chart.ts';
import { toDistinct } from './names.ts';

export const shortMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Times as they stand below columns: no longer than it takes to tell them apart. */
export function toShortTimes({ granularity, labels }: Pick<ChartAxis, 'granularity' | 'labels'>): readonly string[] {
  const years = new Set(labels.map((label) => label.slice(0, 4)));
  const days = new Set(labels.map((label) => label.slice(0, 10)));
  return toDistinct(labels.map((label) => {
    const [date = '', clock = ''] = label.split(' ');
    const [year = '', month = '', dayOfMonth = ''] = date.split('-');
    const named = `${shortMonths[Number(month) - 1] ?? month} ${dayOfMonth}`;
    switch (granularity) {
      case 'month':
        return years.size > 1 ? `${shortMonths[Number(month) - 1] ?? month} ${year}` : shortMonths[Number(month) - 1] ?? month;
      case 'day':
        return years.size > 1 ? label : named;
      case 'hour':
      case 'minute':
      case 'second':
        return days.size > 1 ? `${named} ${clock}` : clock;
      default:
        return label;
    }
  }));
}

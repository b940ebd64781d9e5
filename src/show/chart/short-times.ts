import { UTCDateMini } from '@date-fns/utc/date/mini';
import { format } from 'date-fns/format';
import type { ChartAxis } from './chart.ts';
import { toDistinct } from './names.ts';

/** `Mar 08` of a wall time (epoch ms as if UTC). */
export function writeShortDay(local: number): string {
  return format(new UTCDateMini(local), 'MMM dd');
}

/** Times as they stand below columns: no longer than it takes to tell them apart. */
export function toShortTimes({ granularity, labels }: Pick<ChartAxis, 'granularity' | 'labels'>): readonly string[] {
  const years = new Set(labels.map((label) => label.slice(0, 4)));
  const days = new Set(labels.map((label) => label.slice(0, 10)));
  return toDistinct(
    labels.map((label) => {
      const [date = '', clock = ''] = label.split(' ');
      const local = Date.parse(`${date.length === 7 ? `${date}-01` : date}T00:00:00Z`);
      if (Number.isNaN(local)) return label;
      switch (granularity) {
        case 'month':
          return format(new UTCDateMini(local), years.size > 1 ? 'MMM yyyy' : 'MMM');
        case 'day':
          return years.size > 1 ? label : `${writeShortDay(local)} ${clock}`.trimEnd();
        case 'hour':
        case 'minute':
        case 'second':
          return days.size > 1 ? `${writeShortDay(local)} ${clock}` : clock;
        default:
          return label;
      }
    }),
  );
}

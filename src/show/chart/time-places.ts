import { UTCDateMini } from '@date-fns/utc/date/mini';
import { format } from 'date-fns/format';
import { addBuckets } from '../../ask/time/calendar.ts';
import {
  type BucketSize,
  day,
  type Granularity,
  hasGrid,
  hour,
  isCalendarUnit,
  minute,
} from '../../ask/time/granularity.ts';
import { writeLocal } from '../../ask/time/local-time.ts';
import { readWrittenTime } from '../../ask/time/read-written-time.ts';
import { offsetAt, toLocal, toInstant as toZoneInstant } from '../../ask/time/zone.ts';
import type { Column } from '../../plan/column.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { ChartAxis } from './chart.ts';
import { toDistinct } from './names.ts';

/** Times along an axis. */
export interface TimePlaces extends Pick<ChartAxis, 'labels' | 'positions' | 'ends' | 'ticks'> {
  /** The place of each text; −1 if it is not a time. */
  readonly placeOf: (text: string) => number;
  /** The position and label of a date or time written by a person; undefined if it is not one. */
  readonly find: (written: string) => { readonly position: number; readonly label: string } | undefined;
}

interface Moment {
  /** Wall time of the zone, as if it were UTC. */
  readonly local: number;
  readonly offset: number;
  readonly label: string;
}

/**
 * Positions are the zone's wall clock as if it were UTC, so that pictures can be drawn with the UTC clock of every
 * machine. If the clock changes between two short buckets, two hours would share a place (and a day of 25 hours would
 * have 24). Then positions are elapsed time, counted by the clock before the change, and `ticks` label the axis.
 */
export function toTimePlaces(
  texts: readonly string[],
  { granularity, custom }: Pick<Column, 'granularity' | 'custom'>,
  zone: string,
): TimePlaces {
  const size = custom ?? granularity;
  const moments = new Map(
    texts.flatMap((text) => {
      const moment = readMoment(text, granularity, zone);
      return moment ? [[text, moment] as const] : [];
    }),
  );
  const isCalendar = granularity !== undefined && isCalendarUnit(granularity);
  const ordered = [...moments.values()].sort((a, b) => a.local - a.offset - (b.local - b.offset));
  const base = ordered[0]?.offset ?? 0;
  const steady = isCalendar || ordered.every(({ offset }) => offset === base);
  const toPosition = ({ local, offset }: Pick<Moment, 'local' | 'offset'>) => (steady ? local : local - offset + base);
  const positions = withGaps([...new Set(ordered.map(toPosition))], size);
  const places = new Map(positions.map((position, place) => [position, place]));
  const labels = positions.map((position) => formatTime(writeLocal(position), granularity));
  for (const moment of ordered) labels[places.get(toPosition(moment)) ?? 0] = moment.label;
  return {
    labels,
    positions,
    ends:
      size === undefined || !hasGrid(size)
        ? []
        : positions.map((position, place) =>
            Math.min(nextPosition(position, size), isCalendar ? Infinity : (positions[place + 1] ?? Infinity)),
          ),
    ticks: steady ? undefined : toTicks(ordered, toPosition),
    placeOf: (text) => {
      const moment = moments.get(text);
      return moment ? (places.get(toPosition(moment)) ?? -1) : -1;
    },
    find: (written) => {
      const read = readWrittenTime(written.trim());
      if (!read?.ok) return undefined;
      const { local, offset, unit } = read.value;
      const instant = offset === undefined ? toZoneInstant(local, zone, 'first') : local - offset;
      const moment = { local: offset === undefined ? local : toLocal(instant, zone), offset: offsetAt(zone, instant) };
      return {
        position: toPosition(moment),
        label: unit === 'millisecond' ? formatTime(writeLocal(moment.local), 'minute') : written.trim(),
      };
    },
  };
}

/** Beyond this many places, one place per gap suffices; see `isBreak`. */
const mostPlaces = 750;

/** True for an empty place that stands for several missing buckets. */
export function isBreak({ positions, ends }: Pick<ChartAxis, 'positions' | 'ends'>, place: number): boolean {
  return (ends[place] ?? Infinity) < (positions[place + 1] ?? -Infinity);
}

/** Adds the missing buckets between the first and the last, so that no line crosses them as if they were known. */
function withGaps(positions: readonly number[], size: BucketSize | undefined): readonly number[] {
  const [first] = positions;
  const last = positions.at(-1);
  if (size === undefined || !hasGrid(size) || first === undefined || last === undefined) return positions;
  const all = [first];
  for (let next = nextPosition(first, size); next <= last && all.length <= mostPlaces; next = nextPosition(next, size))
    all.push(next);
  const grid = new Set(all);
  if (all.length <= mostPlaces) return positions.every((position) => grid.has(position)) ? all : positions;
  return positions.flatMap((position, place) => {
    const next = nextPosition(position, size);
    return next < (positions[place + 1] ?? -Infinity) ? [position, next] : [position];
  });
}

/** Start of the next bucket. Short buckets may be at elapsed time, off their grid. */
function nextPosition(position: number, size: BucketSize): number {
  if (typeof size === 'string' || isCalendarUnit(size)) return addBuckets(position, size, 1);
  return position + (size.grid?.step.length ?? 0);
}

const withOffset = /(Z|[+-]\d\d:\d\d(?::\d\d)?)$/;

/** Buckets of a day or longer are calendar dates. Other times without an offset are in UTC. */
function readMoment(text: string, granularity: Granularity | undefined, zone: string): Moment | undefined {
  const read = readWrittenTime(text);
  if (!read?.ok) return undefined;
  const { local, offset } = read.value;
  if (granularity !== undefined && isCalendarUnit(granularity))
    return { local, offset: 0, label: formatTime(text, granularity) };
  if (granularity !== undefined && withOffset.test(text))
    return { local, offset: offset ?? 0, label: formatTime(text, granularity) };
  const instant = local - (offset ?? 0);
  const own = offsetAt(zone, instant);
  return { local: instant + own, offset: own, label: formatTime(writeLocal(instant + own), granularity) };
}

const steps = [minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 7 * day];
const mostTicks = 8;

/** Ticks at round times of the wall clock, as many as fit side by side. */
function toTicks(moments: readonly Moment[], toPosition: (moment: Moment) => number): ChartAxis['ticks'] {
  const first = moments[0]?.local ?? 0;
  const span = (moments.at(-1)?.local ?? 0) - first;
  const step = steps.find((size) => span / size <= mostTicks) ?? day * Math.ceil(span / day / mostTicks);
  const round = moments.filter(({ local }) => local % step === 0);
  return round.map((moment) => {
    const label = moment.local % day === 0 ? writeShortDay(moment.local) : writeLocal(moment.local).slice(11, 16);
    return { position: toPosition(moment), label };
  });
}

/** A wall time (epoch ms as if UTC) as `Mar 08`. */
function writeShortDay(local: number): string {
  return format(new UTCDateMini(local), 'MMM dd');
}

/** The label of a break in an axis of bands. */
export const breakSign = '…';

/** Times as labels below columns: only as long as needed to distinguish them. */
export function toShortTimes({ granularity, labels }: Pick<ChartAxis, 'granularity' | 'labels'>): readonly string[] {
  const dated = labels.filter((label) => !label.includes(breakSign));
  const years = new Set(dated.map((label) => label.slice(0, 4)));
  const days = new Set(dated.map((label) => label.slice(0, 10)));
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

import { hour, minute } from './granularity.ts';
import type { TimeRange } from './range.ts';
import { offsetAt, toLocal } from './zone.ts';

/** Writes a wall time (epoch ms as if UTC) as `YYYY-MM-DDTHH:mm:ss.SSS`. */
export function writeLocal(local: number): string {
  return new Date(local).toISOString().slice(0, -1);
}

/** The zone's wall time at an instant, without offset. */
export function writeInstantLocal(instant: number, zone: string): string {
  return writeLocal(toLocal(instant, zone));
}

/** The zone's wall time at an instant, with offset: `2024-11-03T01:00:00.000-04:00`; in UTC with `Z`. */
export function writeWithOffset(instant: number, zone: string): string {
  if (zone === 'UTC') return writeUtc(instant);
  const offset = offsetAt(zone, instant);
  return writeLocal(instant + offset) + writeOffset(offset);
}

/** Writes an instant as `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export function writeUtc(instant: number): string {
  return new Date(instant).toISOString();
}

/** The ends of a range, as `writeUtc` writes them. */
export function writeRange({ start, end }: TimeRange): { readonly start: string; readonly end: string } {
  return { start: writeUtc(start), end: writeUtc(end) };
}

/** Writes `+05:30`, with seconds only if the offset has some, like Monrovia's `-00:44:30` until 1972. */
function writeOffset(offset: number): string {
  const size = Math.abs(offset);
  const parts = [Math.floor(size / hour), Math.floor((size % hour) / minute)];
  const seconds = (size % minute) / 1000;
  if (seconds !== 0) parts.push(seconds);
  return (offset < 0 ? '-' : '+') + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

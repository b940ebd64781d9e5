import { hour, minute } from './granularity.ts';
import { offsetAt, toLocal } from './zone.ts';

/** `YYYY-MM-DDTHH:mm:ss.SSS` of a wall time (epoch ms as if UTC). */
export function writeLocal(local: number): string {
  return new Date(local).toISOString().slice(0, -1);
}

/** The zone's wall time at an instant, without offset. */
export function writeInstantLocal(instant: number, zone: string): string {
  return writeLocal(toLocal(instant, zone));
}

/** The zone's wall time at an instant with its offset: `2024-11-03T01:00:00.000-04:00`; in UTC with `Z`. */
export function writeWithOffset(instant: number, zone: string): string {
  if (zone === 'UTC') return writeUtc(instant);
  const offset = offsetAt(zone, instant);
  return writeLocal(instant + offset) + writeOffset(offset);
}

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` of an instant. */
export function writeUtc(instant: number): string {
  return new Date(instant).toISOString();
}

/** `+05:30`; seconds only where an offset has some, as Monrovia's `-00:44:30` until 1972. */
function writeOffset(offset: number): string {
  const size = Math.abs(offset);
  const parts = [Math.floor(size / hour), Math.floor((size % hour) / minute)];
  const seconds = (size % minute) / 1000;
  if (seconds !== 0) parts.push(seconds);
  return (offset < 0 ? '-' : '+') + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

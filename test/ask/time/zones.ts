import fc from 'fast-check';
import { transitions } from '../../../src/ask/time/zone.ts';

/** Zones with unusual clocks: whole and half hours, changes at or just after midnight, a skipped day, Ramadan. */
export const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'America/Havana',
  'Pacific/Auckland',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Asia/Gaza',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Pacific/Kwajalein',
];

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const anyZone = fc.constantFrom(...zones);
export const anyInstant = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2038, 0, 1) - 1 });

/** Mostly instants near a clock change of the zone, where mistakes are likely. */
export const anyZoneAndInstant = fc
  .tuple(
    anyZone,
    anyInstant,
    fc.oneof(fc.integer({ min: -36 * hour, max: 36 * hour }), fc.integer({ min: -hour, max: hour })),
    fc.boolean(),
  )
  .map(([zone, instant, away, near]) => {
    const change = near ? transitions(zone, instant, instant + 366 * day)[0] : undefined;
    return { zone, instant: change === undefined ? instant : change.instant + away };
  });

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The local time in the zone, `YYYY-MM-DDTHH:mm:ss`, from the fields that Intl prints: an independent implementation.
 */
export function wallByIntl(instant: number, zone: string): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, format);
  }
  const found = /^(\d\d)\/(\d\d)\/(\d+), (.*)$/.exec(format.format(instant));
  if (!found) throw new Error(`unexpected: ${format.format(instant)}`);
  return `${found[3]!.padStart(4, '0')}-${found[1]}-${found[2]}T${found[4]}`;
}

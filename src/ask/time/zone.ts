import { invariant } from '../invariant.ts';
import { badWith, good, type Outcome } from '../outcome.ts';
import { nearest, offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { day } from './granularity.ts';

/** An instant (epoch ms) at which a zone's clock changes, and the offset from UTC (ms) from then on. */
interface Transition {
  readonly instant: number;
  readonly offset: number;
}

/** A stretch of a zone's history: the offset just before it, and the changes in it. */
interface Stretch {
  readonly before: number;
  readonly changes: readonly Transition[];
}

const stretchLength = 384 * day;
/**
 * Short enough to miss no change: the two closest changes of any zone (Recife in 2000, Gaza in 2040) are 6 days and 23
 * hours apart, …
 */
const sampleStep = 6 * day;
/** … except in Freetown in 1939: 3 days and 23:40. */
const restless = { from: Date.UTC(1900, 0, 1), to: Date.UTC(1950, 0, 1), sampleStep: 3 * day };
/** Before this, every place kept its solar time, so all earlier instants have this one's offset. */
const earliest = Date.UTC(1800, 0, 1);
/**
 * No law reaches this far, so all later instants have this one's offset. A zone's history therefore ends, and can be
 * written out for an engine whose own tables are of another year.
 */
const latest = Date.UTC(2100, 0, 1);

/** The end of a written time that names its zone, as a regular expression without case. */
export const writtenZone = '\\d[t ,]+\\d.*?([0-9 .,](z|ut)|[+-]\\d\\d(:?\\d\\d){0,2}|[a-z]{3,}[a-z0-9_/+-]*)\\s*$';

/** A date and a time of day in digits alone, `20240308103000`, as a regular expression: no recent time since 1970. */
export const compactTime =
  '(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:[01]\\d|2[0-3])(?:(?:[0-5]\\d){0,2}|[0-5]\\d[0-5]\\d\\d{3})';

const isCompact = new RegExp(`^${compactTime}$`);

/** Whether neither a column's name nor its written times name a zone. Numbers count from 1970, in UTC. */
export function isLocalTime(name: string, times: readonly string[]): boolean {
  if (/utc|gmt/i.test(name)) return false;
  const named = new RegExp(writtenZone, 'i');
  return (
    times.length > 0 &&
    times.every((text) => !named.test(text) && (isCompact.test(text) || !/^\s*-?\d{9,}(\.\d+)?\s*$/.test(text)))
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();
const tables = new Map<string, Map<number, Stretch>>();

function stretchIndex(instant: number): number {
  return Math.floor(within(instant) / stretchLength);
}

/** The stretch at an index, computed on first use. Intl must know the zone. */
function stretchAt(zone: string, index: number): Stretch {
  let table = tables.get(zone);
  if (table === undefined) tables.set(zone, (table = new Map()));
  let stretch = table.get(index);
  if (stretch === undefined) table.set(index, (stretch = findStretch(zone, index)));
  return stretch;
}

function findStretch(zone: string, index: number): Stretch {
  const first = index * stretchLength;
  const last = Math.min(first + stretchLength - 1, latest);
  const step = first > restless.from - stretchLength && first < restless.to ? restless.sampleStep : sampleStep;
  const before = offsetByIntl(zone, first - 1);
  const changes: Transition[] = [];
  let low = first - 1;
  let offset = before;
  while (low < last) {
    const high = Math.min(low + step, last);
    const offsetThen = offsetByIntl(zone, high);
    if (offsetThen !== offset) changes.push({ instant: findChange(zone, low, high, offset), offset: offsetThen });
    low = high;
    offset = offsetThen;
  }
  return { before, changes };
}

/**
 * The first instant in (low, high] at which the offset differs from the one at `low`. Clocks change on whole seconds.
 */
function findChange(zone: string, low: number, high: number, offsetAtLow: number): number {
  let same = Math.floor(low / 1000);
  let other = Math.floor(high / 1000);
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetByIntl(zone, middle * 1000) === offsetAtLow) same = middle;
    else other = middle;
  }
  return other * 1000;
}

function within(instant: number): number {
  return Math.min(Math.max(instant, earliest), latest);
}

/**
 * Uses Intl, which is exact to the second. date-fns-tz is wrong in the hours before a clock change of the zone, and at
 * those of the machine's zone: test/ask/time/date-fns-tz.test.ts shows both.
 */
function offsetByIntl(zone: string, instant: number): number {
  const whole = Math.floor(within(instant) / 1000) * 1000;
  const text = formatOf(zone).format(whole);
  const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (found?.[1] === undefined) return 0;
  const size = (Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0)) * 1000;
  return found[1] === '-' ? -size : size;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    // A weekday takes half the time of the date that Intl would otherwise write.
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', weekday: 'short' });
    formats.set(zone, format);
  }
  return format;
}

/**
 * Names that Intl (CLDR) still returns although the IANA database has renamed them. This map gives a zone the same name
 * on every runtime. Source: `backward` of the IANA time zone database.
 */
const renamed: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
]);

/** The IANA names without a region. Intl accepts more, but reads `BST` as Dhaka and `IST` as Kolkata. */
const plainNames = new Set([
  'cet',
  'cst6cdt',
  'cuba',
  'eet',
  'egypt',
  'eire',
  'est',
  'est5edt',
  'gb',
  'gb-eire',
  'gmt',
  'gmt+0',
  'gmt-0',
  'gmt0',
  'greenwich',
  'hongkong',
  'hst',
  'iceland',
  'iran',
  'israel',
  'jamaica',
  'japan',
  'kwajalein',
  'libya',
  'met',
  'mst',
  'mst7mdt',
  'navajo',
  'nz',
  'nz-chat',
  'poland',
  'portugal',
  'prc',
  'pst8pdt',
  'roc',
  'rok',
  'singapore',
  'turkey',
  'uct',
  'universal',
  'utc',
  'w-su',
  'wet',
  'zulu',
]);

/** The canonical IANA name of a zone, from any spelling or alias in the database; undefined if it is unknown. */
function canonicalZone(name: string): string | undefined {
  // Intl starts slowly, and most questions are in UTC.
  if (/^(?:z|utc)$/i.test(name)) return 'UTC';
  if (!name.includes('/') && !plainNames.has(name.toLowerCase())) return undefined;
  try {
    const canonical = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return /^(?:Etc\/)?(?:UTC|GMT|UCT)$/.test(canonical) ? 'UTC' : (renamed.get(canonical) ?? canonical);
  } catch {
    return undefined;
  }
}

/** The zone that a wrong name most likely means: one with that city, or else the nearest spelling. */
function nearestZone(name: string): string | undefined {
  const wanted = name.replaceAll(/\s+/g, '_').toLowerCase();
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => renamed.get(zone) ?? zone)];
  const city = wanted.slice(wanted.lastIndexOf('/') + 1);
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(wanted, zones);
}

/**
 * Reads a time zone into its canonical IANA name, from any case and alias; `UTC`, `Etc/UTC`, `GMT` and `Z` are `UTC`.
 * Issue: `unknown-zone`, also for offsets (`+02:00`) and abbreviations (`PST`), which do not tell when the clock
 * changes.
 */
export function readZone(name: string): Outcome<string> {
  const wanted = name.trim();
  const zone = wanted.length <= 64 ? canonicalZone(wanted) : undefined;
  if (zone !== undefined) return good(zone);
  return badWith('unknown-zone', `${quote(wanted)} is not a time zone.`, { hint: zoneHint(wanted) });
}

function zoneHint(wanted: string): string {
  const near = wanted !== '' && wanted.length <= 64 ? nearestZone(wanted) : undefined;
  return near === undefined ? 'Use an IANA time zone, such as Europe/Berlin, America/New_York or UTC.' : offer(near);
}

/** No clock differs from UTC by a day or more. */
const reach = day;

/** The zone's offset from UTC in ms at an instant, positive east of Greenwich. The zone is a canonical name. */
export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC') return 0;
  const { before, changes } = stretchAt(zone, stretchIndex(instant));
  for (let i = changes.length - 1; i >= 0; i--) {
    const change = changes[i]!;
    if (change.instant <= instant) return change.offset;
  }
  return before;
}

/** Wall time of an instant in a zone, as epoch ms as if UTC. */
export function toLocal(instant: number, zone: string): number {
  return instant + offsetAt(zone, instant);
}

/** As `toLocal`, for the start or end of a range: the midnight that begins a day, even if the clock skipped it. */
export function toLocalEdge(instant: number, zone: string): number {
  const local = toLocal(instant, zone);
  const midnight = Math.floor(local / day) * day;
  return toInstant(midnight, zone, 'first') === instant ? midnight : local;
}

/**
 * The instant of a wall time (epoch ms as if UTC) in a zone. If it occurs twice, `when` selects the first or last
 * occurrence. If the clock skipped it, returns the instant of the jump.
 */
export function toInstant(local: number, zone: string, when: 'first' | 'last'): number {
  const changes = transitions(zone, local - reach, local + reach);
  if (changes.length === 0) return local - offsetAt(zone, local);
  let offset = offsetAt(zone, local - reach);
  let since = -Infinity;
  let found: number | undefined;
  let jump: number | undefined;
  for (const change of [...changes, { instant: Infinity, offset: 0 }]) {
    const instant = local - offset;
    if (instant >= since && instant < change.instant) {
      if (when === 'first') return instant;
      found = instant;
    }
    if (instant >= change.instant && local - change.offset < change.instant) jump = change.instant;
    since = change.instant;
    offset = change.offset;
  }
  const instant = found ?? jump;
  invariant(instant !== undefined, `no instant for wall time ${local} in ${zone}`);
  return instant;
}

/** The changes of the zone's clock in (from, to], in order. */
export function transitions(zone: string, from: number, to: number): readonly Transition[] {
  if (zone === 'UTC') return none;
  const last = stretchIndex(to);
  let found: Transition[] | undefined;
  for (let index = stretchIndex(from); index <= last; index++) {
    for (const change of stretchAt(zone, index).changes) {
      if (change.instant > from && change.instant <= to) (found ??= []).push(change);
    }
  }
  return found ?? none;
}

const none: readonly Transition[] = [];

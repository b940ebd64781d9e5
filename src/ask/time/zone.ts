import { invariant } from '../invariant.ts';
import { type Outcome, bad, errorIssue, good } from '../outcome.ts';
import { day } from './duration.ts';
import { canonicalZone, nearestZone } from './zone-names.ts';
import { type Transition, stretchAt, stretchIndex } from './zone-table.ts';
import { quote } from '../quote.ts';
import { offer } from '../did-you-mean.ts';

export type { Transition } from './zone-table.ts';

/**
 * A time zone as a person names it, as its canonical IANA name: any case, any alias; `UTC`, `Etc/UTC`, `GMT` and `Z` are `UTC`.
 * Issue: `unknown-zone`. Offsets (`+02:00`) and abbreviations (`PST`) are not zones: they do not tell when the clock changes.
 */
export function readZone(name: string): Outcome<string> {
  const wanted = name.trim();
  const zone = wanted.length <= 64 ? canonicalZone(wanted) : undefined;
  if (zone !== undefined) return good(zone);
  return bad([errorIssue('unknown-zone', `${quote(wanted)} is not a time zone.`, { hint: zoneHint(wanted) })]);
}

function zoneHint(wanted: string): string {
  const near = wanted !== '' && wanted.length <= 64 ? nearestZone(wanted) : undefined;
  return near === undefined ? 'Name a place of the IANA time zone database, such as Europe/Berlin or America/New_York, or UTC.' : offer(near);
}

/** No clock differs from UTC by a day or more. */
const reach = day;

/** Offset from UTC in ms (positive east of Greenwich) that the zone's clock has at an instant. The zone is a canonical name. */
export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC') return 0;
  const { before, changes } = stretchAt(zone, stretchIndex(instant));
  for (let i = changes.length - 1; i >= 0; i--) {
    const change = changes[i]!;
    if (change.instant <= instant) return change.offset;
  }
  return before;
}

/** Wall clock of an instant in a zone, as epoch ms as if the clock stood at UTC. */
export function toLocal(instant: number, zone: string): number {
  return instant + offsetAt(zone, instant);
}

/**
 * The instant at which the zone's clock shows a wall time (epoch ms as if UTC). A wall time that occurs twice gives its first
 * or last occurrence, as asked; one that the clock jumped over gives the instant of the jump.
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

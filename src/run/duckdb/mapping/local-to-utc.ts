import { offsetAt, toInstant, transitions } from '../../../ask/time/zone.ts';

/** A stretch of a zone's wall clock, epoch milliseconds as if it stood at UTC. */
interface Stretch {
  readonly start: number;
  /** Added to the wall time; undefined: all of it is one instant, the jump over it. */
  readonly shift: number | undefined;
  readonly instant: number;
}

const [earliest, latest] = [Date.UTC(1800, 0, 1), Date.UTC(2100, 0, 1)];

/**
 * SQL for the instant (naive UTC TIMESTAMP) of a zone's wall time (naive TIMESTAMP), by the rules of `toInstant`: of a
 * time that occurs twice its first, and of one that the clock jumped over the jump. By the zone's history as numbers,
 * since the engine's own tables may be of another year.
 */
export function localToUtc(local: string, zone: string): string {
  if (zone === 'UTC') return local;
  const starts = transitions(zone, earliest, latest).flatMap(({ instant, offset }) => {
    // Clocks change on whole seconds: what this one showed just before, and what it showed then.
    return [instant + offsetAt(zone, instant - 1), instant + offset];
  });
  const edges = [earliest, ...new Set(starts)].sort((one, other) => one - other);
  const stretches = edges.map((start, index): Stretch => {
    const end = edges[index + 1] ?? start + 1000;
    const first = toInstant(start, zone, 'first');
    const isJump = end - start > 1 && toInstant(end - 1, zone, 'first') === first;
    return { start, shift: isJump ? undefined : first - start, instant: first };
  });
  const different = stretches.filter(
    ({ shift }, index) => index === 0 || shift === undefined || shift !== stretches[index - 1]!.shift,
  );
  // A list of one: the wall time is worked out once, and compared again and again.
  return `list_transform([${local}], lambda t: ${bySearch(different, 't')})[1]`;
}

/** Halves the list again and again, so that a row is compared with few of its starts. */
function bySearch(stretches: readonly Stretch[], local: string): string {
  if (stretches.length === 1) {
    const { shift, instant } = stretches[0]!;
    return shift === undefined ? `make_timestamp(${instant}000)` : `${local} + to_milliseconds(${shift})`;
  }
  const middle = Math.floor(stretches.length / 2);
  const [earlier, later] = [stretches.slice(0, middle), stretches.slice(middle)].map((half) => bySearch(half, local));
  return `CASE WHEN ${local} >= make_timestamp(${stretches[middle]!.start}000) THEN ${later!} ELSE ${earlier!} END`;
}

import { offsetAt, toInstant, transitions } from '../../ask/time/zone.ts';

/** A section of a zone's wall clock, in epoch milliseconds as if it were UTC. */
interface Stretch {
  readonly start: number;
  /** Added to the wall time; undefined if the clock skips this section, so that all of it means one instant. */
  readonly shift: number | undefined;
  readonly instant: number;
}

const [earliest, latest] = [Date.UTC(1800, 0, 1), Date.UTC(2100, 0, 1)];

/** The years of most events are in spans of so many days; see `shiftsOf`. Longer lists take longer to plan. */
const [firstSpan, lastSpan, spanDays] = [Date.UTC(1995, 0, 1), Date.UTC(2050, 0, 1), 10];

/**
 * SQL that converts a zone's wall time (naive TIMESTAMP) to the instant (naive UTC TIMESTAMP), by the rules of
 * `toInstant`: a repeated time means its first occurrence, and a skipped time means the moment of the jump. It uses the
 * zone's history as numbers, because DuckDB may have another version of the zone tables. Most times are in a span
 * without a clock change.
 */
export function localToUtc(local: string, zone: string): string {
  if (zone === 'UTC') return local;
  const stretches = stretchesOf(zone);
  const micros = `epoch_us(${local})`;
  const span = `greatest((${micros} - ${firstSpan}000) // ${spanDays * 86_400_000_000} + 1, 0)`;
  const [starts, shifts, instants] = [
    stretches.map(({ start }) => start),
    stretches.map(({ shift }) => shift),
    stretches.map(({ shift, instant }) => (shift === undefined ? instant : undefined)),
  ].map(listOf);
  // Single-element lists keep DuckDB from extracting repeated expressions and computing them for every row.
  const searched = `list_transform([${micros}], lambda t: list_transform([greatest(len(list_filter(${starts!}, lambda s: s * 1000 <= t)), 1)],
    lambda n: coalesce(t + ${shifts!}[n] * 1000, ${instants!}[n] * 1000))[1])[1]`;
  return `make_timestamp(coalesce(${micros} + ${listOf(shiftsOf(stretches))}[${span}] * 1000, ${searched}))`;
}

function stretchesOf(zone: string): readonly Stretch[] {
  const starts = transitions(zone, earliest, latest).flatMap(({ instant, offset }) => {
    // The clock's reading just before and at the change. Clocks change on whole seconds.
    return [instant + offsetAt(zone, instant - 1), instant + offset];
  });
  const edges = [earliest, ...new Set(starts)].sort((one, other) => one - other);
  const stretches = edges.map((start, index): Stretch => {
    const end = edges[index + 1] ?? start + 1000;
    const first = toInstant(start, zone, 'first');
    const isJump = end - start > 1 && toInstant(end - 1, zone, 'first') === first;
    return { start, shift: isJump ? undefined : first - start, instant: first };
  });
  return stretches.filter(
    ({ shift }, index) => index === 0 || shift === undefined || shift !== stretches[index - 1]!.shift,
  );
}

/**
 * The shift of each span from `firstSpan` on; undefined if it has several shifts. The first span is always undefined.
 */
function shiftsOf(stretches: readonly Stretch[]): readonly (number | undefined)[] {
  const length = spanDays * 86_400_000;
  const shifts: (number | undefined)[] = [undefined];
  let place = 0;
  for (let start = firstSpan + length; start < lastSpan; start += length) {
    while (place + 1 < stretches.length && stretches[place + 1]!.start <= start) place += 1;
    const next = stretches[place + 1]?.start ?? Infinity;
    shifts.push(next >= start + length ? stretches[place]!.shift : undefined);
  }
  return shifts;
}

/** One text constant, because DuckDB binds thousands of separate numbers slowly. */
function listOf(numbers: readonly (number | undefined)[]): string {
  return `CAST('[${numbers.map((number) => number ?? 'NULL').join(',')}]' AS BIGINT[])`;
}

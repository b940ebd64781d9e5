import { writeUtc } from '../../../../ask/time/local-time.ts';
import type { Engine } from '../../engine/engine.ts';

/** The times of the first and the last event, ISO instants; undefined if there are no events, or if it is unknown. */
export interface EventSpan {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

export const unknownSpan: EventSpan = { first: undefined, last: undefined };

/** From epoch milliseconds; null and infinity for no event. */
export function toSpan(first: unknown, last: unknown): EventSpan {
  const toText = (time: unknown) =>
    time === undefined || time === null || !Number.isFinite(Number(time)) ? undefined : writeUtc(Number(time));
  return { first: toText(first), last: toText(last) };
}

/** The span of events from several sources; an end is unknown if that of any source is. */
export function joinSpans(spans: readonly EventSpan[]): EventSpan {
  const [first, last] = (['first', 'last'] as const).map((end) => spans.map((span) => span[end]));
  return {
    first: first!.includes(undefined) ? undefined : first!.toSorted()[0],
    last: last!.includes(undefined) ? undefined : last!.toSorted().at(-1),
  };
}

/** Two aggregates over events, whose values `toSpan` reads. */
export const endsOfEvents = ['min', 'max'].map((end) => `epoch_ms(${end}(utc_time) FILTER (isfinite(utc_time)))`);

/** The span of a relation of events. */
export async function spanOf(engine: Engine, relation: string): Promise<EventSpan> {
  const [[first, last] = []] = await engine.rows(`SELECT ${endsOfEvents.join(', ')} FROM ${relation}`);
  return toSpan(first, last);
}

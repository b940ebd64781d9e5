import { BackendError } from '../../ask/sluice-error.ts';
import { plural } from '../../ask/text.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { StoreSource } from './store-contents.ts';
import type { StoreManifest } from './store-manifest.ts';

/**
 * Throws `known-at-lost` if something that the store had at a time, epoch milliseconds, was replaced since: its earlier
 * events are gone.
 */
export function demandKnown(sources: readonly StoreSource[], knownAt: number): void {
  const replaced = sources.filter(({ time, earlier, since, window }) => {
    if (isUntil(earlier?.[0]?.time ?? time, knownAt)) return false;
    return since === undefined ? (window?.revision ?? 1) > 1 : isUntil(since, knownAt);
  });
  if (replaced.length === 0) return;
  throw new BackendError(
    `The store replaced the content of ${replaced.length} ${plural(replaced.length, 'file')}` +
      ` after ${writeUtc(knownAt)}. The earlier events are gone.`,
    {
      code: 'known-at-lost',
      hint: 'Choose a later time, or leave it out: the answer then has all events known now.',
    },
  );
}

/** The numbers in the rows that the store had at a time. */
export function numbersKnown(sources: readonly StoreSource[], knownAt: number): ReadonlySet<number> {
  return new Set(
    sources.flatMap(({ number, time, earlier = [] }) =>
      [...earlier, { number, time }].filter((rows) => isUntil(rows.time, knownAt)).map((rows) => rows.number),
    ),
  );
}

/** The sources that the store had at a time, each with the lines of it that had been rejected then. */
export function sourcesKnown(sources: readonly StoreSource[], knownAt: number): readonly StoreSource[] {
  return sources.flatMap((source) => {
    if (isUntil(source.time, knownAt)) return source;
    const rows = source.earlier?.findLast(({ time }) => isUntil(time, knownAt));
    // Earlier versions did not record them. Those of the whole file are the most that there can have been.
    return rows ? { ...source, rejected: rows.rejected ?? source.rejected } : [];
  });
}

/** Whether events that the store had at a time may have been forgotten since. */
export function hasForgotten(
  { forgotten, lastForgotten, time }: Pick<StoreManifest, 'forgotten' | 'lastForgotten' | 'time'>,
  knownAt: number,
): boolean {
  return forgotten.length > 0 && !isUntil(lastForgotten ?? time, knownAt);
}

function isUntil(time: string, knownAt: number): boolean {
  return Date.parse(time) <= knownAt;
}

import { formatNumber } from '../../shape/format/format-number.ts';
import { formatDuration } from '../../shape/format/format-time.ts';
import { noValue } from '../../shape/format/format.ts';
import { toPercent } from '../../shape/funnel-result.ts';

/**
 * Says how many continued from a step to the next one, and how many dropped off. Empty if a count is unknown, or if
 * nobody began. `first`: the count of the first step.
 */
export function describePassage(first: number | null, before: number | null, count: number | null): string {
  if (before === null || count === null || first === 0) return '';
  if (before === 0) return 'nobody was left to continue';
  return `${formatShare(toPercent(count, before))} continued, ${formatNumber(before - count)} dropped off`;
}

/** Adds the median time since the first step (milliseconds), if known. */
export function describeTimedPassage(passage: string, median: number | null | undefined): string {
  return median === null || median === undefined
    ? passage
    : `${passage}, median ${formatDuration(median)} since step 1`;
}

/** A share in percent. It shows 0% or 100% only for exactly none or all. */
export function formatShare(percent: number | null, nothing: string = noValue): string {
  if (percent === null) return nothing;
  const shown =
    percent > 99.9 && percent < 100 ? 99.9 : percent > 0 && percent < 0.1 ? 0.1 : Math.round(percent * 10) / 10;
  return `${shown.toFixed(1)}%`;
}

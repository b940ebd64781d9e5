import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import { day, hour, minute } from '../../ask/time/granularity.ts';

/** The required freshness of a report's data, and how long a scheduled run waits for it. Milliseconds. */
export interface Freshness {
  /** The data must reach the end of every range, or have at most this age. */
  readonly need: { readonly kind: 'range' } | { readonly kind: 'age'; readonly most: number; readonly text: string };
  readonly wait: number;
}

const units: Readonly<Record<string, number>> = { m: minute, h: hour, d: day };

/** A span such as `90m`, `6h` or `2d`, in milliseconds; undefined if it is invalid or longer than 31 days. */
export function readSpan(text: string): number | undefined {
  const found = /^(\d{1,4}) ?([mhd])$/i.exec(text.trim());
  const span = Number(found?.[1]) * (units[found?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  return span >= minute && span <= 31 * day ? span : undefined;
}

export const coversRange = 'covers range';

const usualWait = '6h';

/** Converts the validated `fresh:` of a report. */
export function toFreshness(
  written: string | { readonly data: string; readonly wait?: string | undefined },
): Freshness {
  const { data, wait = usualWait } = typeof written === 'string' ? { data: written } : written;
  const age = readSpan(data);
  return {
    need: age === undefined ? { kind: 'range' } : { kind: 'age', most: age, text: data.trim() },
    wait: readSpan(wait) ?? 0,
  };
}

/** Judges an answer of a report that requires fresh data. `late`: the data is not fresh, and waiting may help. */
export function judgeFreshness(
  { need }: Freshness,
  { freshness, refreshed, asOf, zone }: Pick<Provenance, 'freshness' | 'refreshed' | 'asOf' | 'zone'>,
): { readonly late: boolean; readonly text: string } | undefined {
  const newest = Math.min(...[freshness, refreshed].flatMap((time) => (time ? [Date.parse(time)] : [])));
  if (newest === Infinity) {
    const text = 'The backend does not say how recent its data are, so they may end before the range.';
    return { late: false, text };
  }
  // Data that ends before its range is reported in any case.
  if (need.kind === 'range' || newest >= Date.parse(asOf) - need.most) return undefined;
  const from = formatTime(writeInstantLocal(newest, zone), 'minute');
  return {
    late: true,
    text: `The newest data are from ${from}, but the report requires data of the last ${need.text}.`,
  };
}

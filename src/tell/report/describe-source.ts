import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatComparison } from '../../shape/format/format-time.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { describeRange } from '../../show/chart/chart-texts.ts';
import type { Result } from '../../shape/result/result.ts';

/**
 * The source of an answer's figures in one line: range, zone and data. Truncated, partial or missing data is in its
 * notes and marks. May contain hostile text: sanitize it.
 */
export function describeSource({
  provenance,
  columns,
}: { readonly provenance: SteadyProvenance } & Pick<Result, 'columns'>): string {
  const { zone, source, backend } = provenance;
  return [
    comparedRanges(columns) ?? dateRangeText(provenance) + (isOpen(provenance) ? ', not over yet' : ''),
    zone,
    `from ${source} (${backend})`,
  ].join(' · ');
}

/** `2026-10`, `2026-10-05 to 2026-10-11`, `all time`. */
function dateRangeText(provenance: Pick<SteadyProvenance, 'range' | 'zone'>): string {
  const { range, zone } = provenance;
  if (range === null) return 'all time';
  const [start, end] = [Date.parse(range.start), Date.parse(range.end)];
  const label = `${writeInstantLocal(start, zone)} - ${writeInstantLocal(Math.max(start, end - 1), zone)}`;
  const days = formatComparison(label);
  return days.includes(':') ? (describeRange(provenance) ?? days) : days;
}

/** True if the range ends after the reference time of the answer. */
function isOpen({ range, asOf }: Pick<SteadyProvenance, 'range' | 'asOf'>): boolean {
  return range !== null && Date.parse(range.end) > Date.parse(asOf);
}

/** The ranges of a comparison, which are in the titles of its columns. */
function comparedRanges(columns: Result['columns']): string | undefined {
  const previous = columns.find(({ kind, key }) => kind === 'measure' && key.endsWith('.previous'));
  const current = previous && columns.find(({ key }) => key === previous.key.slice(0, -'.previous'.length));
  const [now, before] = [current, previous].map((column) => /\(([^()]*)\)$/.exec(column?.title ?? '')?.[1]);
  return now === undefined || before === undefined ? undefined : `${now}, compared with ${before}`;
}

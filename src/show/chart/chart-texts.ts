import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { type MarkKind, toMarkLegend } from '../labels/mark-legend.ts';
import { toNotes } from '../labels/notes.ts';
import { toShownText } from './names.ts';

/** Formats the range of an answer: whole days as dates, the last one included. Undefined if the range is all time. */
export function describeRange({ range, zone }: Pick<SteadyProvenance, 'range' | 'zone'>): string | undefined {
  if (!range) return undefined;
  const first = writeInstantLocal(Date.parse(range.start), zone);
  const end = writeInstantLocal(Date.parse(range.end), zone);
  const midnight = 'T00:00:00.000';
  if (!first.endsWith(midnight) || !end.endsWith(midnight))
    return `${formatTime(first, 'minute')} to ${formatTime(end, 'minute')}`;
  const last = writeInstantLocal(Date.parse(range.end) - 1, zone);
  return first.slice(0, 10) === last.slice(0, 10)
    ? first.slice(0, 10)
    : `${first.slice(0, 10)} to ${last.slice(0, 10)}`;
}

/** Notes about the origin of the figures. A picture must carry them, because it is easily shown without its context. */
export function describeNotes(provenance: SteadyProvenance): readonly string[] {
  return toNotes(provenance).map(({ text }) => toShownText(text));
}

/** Explains the signs of marked values. */
export function describeMarks(
  flags: number,
  signs: Readonly<Record<MarkKind, string>>,
  provenance: SteadyProvenance,
): readonly string[] {
  return toMarkLegend(flags, provenance).map(
    ({ kind, meaning }) => `${signs[kind]} ${meaning.replace(/^partial: /, 'partial, ')}.`,
  );
}

import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { type MarkKind, toMarkLegend } from '../labels/mark-legend.ts';
import { toNotes } from '../labels/notes.ts';
import { toShownText } from './names.ts';

/** The range of an answer as people read it: whole days as dates, the last one inside; undefined for all of time. */
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

/** What is to be known of where the figures come from: a picture is easily taken out of what stands around it. */
export function describeNotes(provenance: SteadyProvenance): readonly string[] {
  return toNotes(provenance).map(({ text }) => toShownText(text));
}

/** What the signs of marked values mean. */
export function describeMarks(flags: number, signs: Readonly<Record<MarkKind, string>>): readonly string[] {
  return toMarkLegend(flags).map(
    ({ kind, meaning }) => `${signs[kind]} ${meaning.replace(/^partial: /, 'partial, ')}.`,
  );
}

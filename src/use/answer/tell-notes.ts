import { BackendError } from '../../ask/sluice-error.ts';
import { formatCount } from '../../shape/format/format-number.ts';
import { isRangeOpen, type Provenance } from '../../shape/result/provenance.ts';
import { nameEnd } from '../../show/labels/mark-legend.ts';
import { type NoteKind, toNotes } from '../../show/labels/notes.ts';

/** One sentence about a result. */
export interface AnswerNote {
  /**
   * `limit`: there may be more rows. `rejected`: lines could not be read. `uncounted`: a measure cannot count some
   * events. `stale`: the data ends before the range. `late`: the data begins after the range. `lacking`: no event has
   * a property of the query. `repeated`: events repeat the ID of another one and are counted. `filled`: zero-fill added
   * values. `partial`: the range, the current time or the end of the data cuts buckets. `note`: everything else.
   */
  readonly kind: NoteKind | 'filled' | 'partial';
  /** The note as one sentence, with full stop. */
  readonly text: string;
}

/** Receives each note of a result, with the provenance of the result. */
export type NoteListener = (note: AnswerNote, provenance: Provenance) => void;

/** Converts the provenance of an answer to notes for readers. */
export function toAnswerNotes(provenance: Provenance): readonly AnswerNote[] {
  const { filledCells, partialBuckets } = provenance;
  const notes: AnswerNote[] = toNotes(provenance).map(({ kind, text }) => ({ kind, text }));
  if (filledCells > 0) notes.push({ kind: 'filled', text: `Zero-fill added ${formatCount(filledCells, 'value')}.` });
  if (partialBuckets > 0)
    notes.push({
      kind: 'partial',
      text:
        `The range or the ${nameEnd(provenance, 'current time')}` +
        ` cuts off ${formatCount(partialBuckets, 'time bucket')}.`,
    });
  return notes;
}

/**
 * Returns the listener. By default, each distinct note is emitted once as a process warning. If an asynchronous
 * listener fails, that is a warning too: nothing waits for it, and an unhandled rejection would end the process.
 */
export function noteTeller(onNote: NoteListener | undefined): NoteListener {
  if (onNote)
    return (note, provenance) => {
      Promise.resolve(onNote(note, provenance) as unknown).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        process.emitWarning(`onNote() failed: ${why}`, { type: 'SluiceNote', code: 'SLUICE_LISTENER' });
      });
    };
  const told = new Set<string>();
  return ({ kind, text }) => {
    if (told.has(text)) return;
    told.add(text);
    process.emitWarning(text, { type: 'SluiceNote', code: `SLUICE_${kind.toUpperCase()}` });
  };
}

/**
 * Throws `incomplete-answer` if the answer reached a limit, if lines could not be read, if the time range is not over,
 * or if the data ends before it.
 */
export function refuseIncomplete(provenance: Provenance): void {
  const { truncated, rejected, partialBuckets, endsEarly, lacking = [] } = provenance;
  const kinds = [
    ...(truncated ? ['limit'] : []),
    ...(rejected.count > 0 ? ['rejected'] : []),
    ...(partialBuckets > 0 ? ['partial'] : []),
    ...(endsEarly === undefined ? [] : ['stale']),
    ...(lacking.length > 0 ? ['lacking'] : []),
  ];
  const isOpen = partialBuckets === 0 && isRangeOpen(provenance);
  if (kinds.length === 0 && !isOpen) return;
  const why = toAnswerNotes(provenance)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ text }) => text);
  if (isOpen) why.push('The range is not over.');
  throw new BackendError(`The answer is incomplete. ${why.join(' ')}`, {
    code: 'incomplete-answer',
    hint: 'Use a range in the past, no limit, and readable files, or pass `strict: false`.',
  });
}

import { plural } from '../../ask/text.ts';
import { encodingHint } from '../../run/duckdb/reading/formats/unfit-file.ts';
import { formatCount, formatNumber } from '../../shape/format/format-number.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';

/**
 * `limit`: there are, or may be, more rows. `rejected`: lines could not be read. `uncounted`: events a measure cannot
 * count. `stale`: the data ends before the range. `late`: the data begins after the range. `lacking`: the events lack
 * what the question asks about. `repeated`: events repeat the ID of another one and are counted.
 */
export type NoteKind = 'limit' | 'rejected' | 'uncounted' | 'stale' | 'late' | 'lacking' | 'repeated' | 'note';

/** One sentence about an answer as a whole. An alert tells that data is missing, so readers must see it. */
export interface Note {
  readonly kind: NoteKind;
  readonly text: string;
  readonly alert: boolean;
}

/** The notes to show with an answer. They may contain hostile text: sanitize them. */
export function toNotes({
  truncated,
  total,
  rows,
  uncounted,
  rejected,
  beginsLate,
  endsEarly,
  notes,
  lacking = [],
  repeated = [],
}: SteadyProvenance): readonly Note[] {
  const said: Note[] = endsEarly === undefined ? [] : [{ kind: 'stale', text: endsEarly, alert: true }];
  for (const text of lacking) said.push({ kind: 'lacking', text, alert: true });
  if (truncated) {
    const all = total === undefined ? 'there may be more' : `there are ${formatCount(total, 'row')} in all`;
    said.push({
      kind: 'limit',
      text: `Limit of ${formatCount(truncated.limit, 'row')} reached: ${all}.`,
      alert: true,
    });
  } else if (total !== undefined && total > rows) {
    said.push({ kind: 'limit', text: `${formatCount(rows, 'row')} of ${formatNumber(total)} in all.`, alert: false });
  }
  if (rejected.count > 0) {
    const [first] = rejected.examples;
    const where = first ? ` The first: ${first.file}:${first.line}, ${first.reason}` : '';
    said.push({
      kind: 'rejected',
      text:
        `${formatCount(rejected.count, 'line')} could not be read and ${plural(rejected.count, 'is', 'are')}` +
        ` not included.${where}`,
      alert: true,
    });
    const hint = encodingHint(rejected.examples);
    if (hint !== undefined) said.push({ kind: 'rejected', text: hint, alert: true });
  }
  for (const { what, rows: left } of uncounted)
    if (left > 0)
      said.push({
        kind: 'uncounted',
        text: toUncounted(what, left),
        alert: false,
      });
  if (beginsLate !== undefined) said.push({ kind: 'late', text: beginsLate, alert: false });
  return [
    ...said,
    ...repeated.map((text) => ({ kind: 'repeated' as const, text, alert: false })),
    ...notes.filter((text) => text !== endsEarly).map((text) => ({ kind: 'note' as const, text, alert: false })),
  ];
}

function toUncounted(what: string, rows: number): string {
  const number = formatNumber(rows);
  if (/^\w+ have /.test(what)) return `${number} ${rows === 1 ? what.replace(/^(\w+)s have/, '$1 has') : what}.`;
  return (
    `${number} ${rows === 1 ? what.replace(/^(\w+?(?: \w+?)??)s\b/, '$1') : what}` +
    ` ${plural(rows, 'is', 'are')} not counted.`
  );
}

import { encodingHint } from '../run/embedded/reading/unfit-file.ts';
import { formatNumber } from '../shape/format/format-number.ts';
import type { SteadyProvenance } from '../shape/provenance.ts';
import { plural } from '../ask/plural.ts';

/** One sentence about an answer as a whole. An alert is what a reader must not miss: some of the data is not in it. */
export interface Note {
  readonly text: string;
  readonly alert: boolean;
}

/** What is to be said beside an answer wherever people see it. The sentences may hold text from anywhere: not sanitized. */
export function toNotes({ truncated, total, rows, uncounted, rejected, notes }: SteadyProvenance): readonly Note[] {
  const said: Note[] = [];
  if (truncated) {
    const all = total === undefined ? 'there may be more' : `there are ${count(total, 'row')} in all`;
    said.push({ text: `Stopped at the limit of ${count(truncated.limit, 'row')}: ${all}.`, alert: true });
  } else if (total !== undefined && total > rows) {
    said.push({ text: `${count(rows, 'row')} of ${formatNumber(total)} in all.`, alert: false });
  }
  if (rejected.count > 0) {
    const [first] = rejected.examples;
    const where = first ? ` The first: ${first.file}:${first.line}, ${first.reason}` : '';
    said.push({ text: `${count(rejected.count, 'line')} could not be read and ${plural(rejected.count, 'is', 'are')} in no figure.${where}`, alert: true });
    const hint = encodingHint(rejected.examples);
    if (hint !== undefined) said.push({ text: hint, alert: true });
  }
  for (const { what, rows: left } of uncounted) if (left > 0) said.push({ text: `Not counted: ${formatNumber(left)} ${left === 1 ? what.replace(/^(\w+)s\b/, '$1') : what}.`, alert: false });
  return [...said, ...notes.map((text) => ({ text, alert: false }))];
}

function count(n: number, noun: string): string {
  return `${formatNumber(n)} ${plural(n, noun)}`;
}

import { functionOf } from '../../../ask/notation/tokens.ts';
import { shorten } from '../../../ask/notation/write-notation.ts';
import { cubeOf, shortNameOf } from '../../../ask/query/member-name.ts';
import { memberLabel } from '../../../plan/model/member-label.ts';
import { type Completion, type CompletionWorld, emptyLast, rankCandidates } from './rank-candidates.ts';

/** A function and the begun name of its column: `sum(`, `Sessions.distinct(land`. */
const openCall = /(?<![\w.])(?:(?<cube>\w+)\.)?(?<word>\w+)\(\s*(?<typed>[^\s(),'"=<>~]*)$/;

/**
 * Candidates for the column of a function at the cursor, such as `sum(price)`; undefined if the cursor is in none.
 * Candidates are whole calls, and replace a bracket behind the cursor.
 */
export function completeCall(
  text: string,
  cursor: number,
  { catalog, home, empty }: CompletionWorld,
): Completion | undefined {
  const found = openCall.exec(text.slice(0, cursor));
  const { cube: written, word = '', typed = '' } = found?.groups ?? {};
  const lower = word.toLowerCase();
  const compute = functionOf(lower);
  if (!found || compute === undefined) return undefined;
  const cube = written ?? home;
  const columns = emptyLast(
    catalog.names('dimension').filter((name) => cubeOf(name) === cube),
    empty?.members ?? new Set(),
  );
  const candidates = columns.flatMap((column) => {
    const computed = catalog.find(`${cube}.${compute}(${shortNameOf(column)})`);
    if (computed?.kind !== 'measure') return [];
    const { member } = computed;
    const { title: full, shortTitle, description = '' } = member;
    const label = shorten(column, cube)
      .replaceAll('"', '')
      .replace(/^props\./, '');
    const title = memberLabel(member) ?? (written === undefined ? shortTitle : full);
    return [
      {
        text: shorten(`${cube}.${compute}(${shortNameOf(column)})`, home),
        label,
        title,
        description,
        kind: 'measure' as const,
      },
    ];
  });
  const [rest = ''] = /^\w*\)?/.exec(text.slice(cursor)) ?? [];
  return { from: found.index, to: cursor + rest.length, candidates: rankCandidates(candidates, typed) };
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type EarlierRows, rowsRead, type StoreSource } from '../../store/store-contents.ts';
import type { Part } from './rows-to-drop.ts';
import type { RejectedEntry } from './rejected-file.ts';
import type { StagedFile } from './stage-file.ts';
import { rejectedFolder } from './sweep-store.ts';

/** When the store had the rows of a file that replaces an earlier one, so that they can be told apart by time. */
export type History = Pick<StoreSource, 'earlier' | 'since'>;

/** More would make the list of sources long. */
const mostEarlier = 1000;

/**
 * What to remember of a replaced source: the rows that a grown file shares with it, if they are the first of the file
 * as it is read now, and otherwise only since when the store had other content.
 */
export async function historyOf(
  folder: string,
  { source, grown }: Extract<StagedFile, { readonly kind: 'staged' }>,
  replaces: StoreSource,
): Promise<History> {
  const { number, time, rejected, earlier = [], since } = replaces;
  // Events that another file had before it was replaced come back now. The store lacked them meanwhile.
  const lacks = replaces.again === true;
  if (grown && !lacks && earlier.length < mostEarlier && (await readsAlike(folder, replaces, source)))
    return { earlier: [...earlier, { number, read: rowsRead(replaces), time, rejected }], since };
  return { since: since ?? earlier[0]?.time ?? time };
}

/** Whether the first records of a grown file are read as they were, so that they are the same rows. */
async function readsAlike(folder: string, old: StoreSource, grown: StoreSource): Promise<boolean> {
  const form = ({ format, mapping, encoding }: StoreSource) => [format.split(',')[0], mapping, encoding].join();
  if (form(old) !== form(grown)) return false;
  // Only the last line may have been half written. A record takes a line at least.
  const last = rowsRead(old) + old.rejected;
  const before = (lines: readonly number[]) => lines.filter((line) => line < last).join();
  const [then, now] = [await rejectedLines(folder, old), await rejectedLines(folder, grown)];
  return then !== undefined && now !== undefined && before(then) === before(now);
}

async function rejectedLines(folder: string, { rejectedFile }: StoreSource): Promise<readonly number[] | undefined> {
  if (rejectedFile === undefined) return [];
  const text = await readFile(path.join(rejectedFolder(folder), rejectedFile), 'utf8').catch(() => undefined);
  return text?.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as RejectedEntry).line));
}

/** The part of a source with the numbers that its rows have. */
export function labelled(part: Part, number: number, histories: ReadonlyMap<number, History>): Part {
  const { earlier = [] } = histories.get(number) ?? {};
  return earlier.length === 0 ? part : { ...part, label: labelOf(earlier, String(number)) };
}

/** As a tree, because the engine tries the cases of a list one after another. */
function labelOf(earlier: readonly EarlierRows[], last: string): string {
  const middle = earlier.length >> 1;
  const rows = earlier[middle];
  if (!rows) return last;
  const [before, after] = [earlier.slice(0, middle), earlier.slice(middle + 1)];
  return `CASE WHEN file_row_number < ${rows.read} THEN ${labelOf(before, String(rows.number))} ELSE ${labelOf(after, last)} END`;
}

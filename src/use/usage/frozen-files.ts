import { readFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { frozenMonthSchema, type FrozenMonth } from '../../tell/usage/frozen-month.ts';
import { nameMonth, type Month } from '../../tell/usage/month.ts';
import { showPath } from '../output/show-path.ts';

/** The frozen ones among some months, of the files `2026-10.json` in a folder. Error: `frozen-month-broken`. */
export async function readFrozenMonths(folder: string, months: readonly Month[], cwd: string): Promise<readonly FrozenMonth[]> {
  const found = await Promise.all(months.map((month) => readFrozenMonth(path.join(folder, `${month}.json`), month, cwd)));
  return found.filter((month) => month !== undefined);
}

async function readFrozenMonth(file: string, month: Month, cwd: string): Promise<FrozenMonth | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const read = frozenMonthSchema.safeParse(parse(text));
  if (read.success && read.data.month === month) return read.data;
  const message = `${showPath(file, cwd)} does not hold ${nameMonth(month)} as it was issued.`;
  const hint = 'Restore the file; without it, the month is reported as it is counted now.';
  throw new InvalidInputError(message, [errorIssue('frozen-month-broken', message, { hint })], { hint });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a month as it is issued, whole or not at all. Resolves with its file. */
export async function writeFrozenMonth(folder: string, frozen: FrozenMonth): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${frozen.month}.json`);
  await writeFileWhole(file, [`${JSON.stringify(frozen, null, 2)}\n`]);
  return file;
}

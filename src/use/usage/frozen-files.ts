import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BackendError, inputError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { takeLock } from '../../run/file/take-lock.ts';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { completeMonth, type FrozenMonth, frozenMonthSchema } from '../../tell/usage/frozen-month.ts';
import { type Month, nameMonth } from '../../tell/usage/month.ts';
import { showPath } from '../process/show-path.ts';
import { thisProcess } from '../process/this-process.ts';
import { readJson } from '../../ask/document/parse-exactly.ts';
import { toSystemError, unlessMissing } from '../../run/file/system-error.ts';

/** Frozen months, and sentences about those that cannot be read. */
export interface FrozenMonths {
  readonly frozen: readonly FrozenMonth[];
  readonly unread: readonly string[];
}

/** Reads frozen months from the files `2026-10.json` in a folder. One that is damaged does not hide the others. */
export async function readFrozenMonths(folder: string, months: readonly Month[], cwd: string): Promise<FrozenMonths> {
  const frozen: FrozenMonth[] = [];
  const unread: string[] = [];
  for (const month of months) {
    try {
      const read = await readFrozenMonth(path.join(folder, `${month}.json`), month, cwd);
      if (read) frozen.push(read);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      unread.push(`${error.message} ${nameMonth(month)} is shown as counted now. ${error.hint}`);
    }
  }
  return { frozen, unread };
}

/** Throws `frozen-month-broken` and `file-unreadable`. */
async function readFrozenMonth(file: string, month: Month, cwd: string): Promise<FrozenMonth | undefined> {
  const text = await unlessMissing(readFile(file, 'utf8')).catch((error: unknown) => {
    throw toSystemError(error, file) ?? error;
  });
  if (text === undefined) return undefined;
  const read = frozenMonthSchema.safeParse(readJson(text));
  if (read.success && read.data.month === month) return read.data;
  throw inputError(
    'frozen-month-broken',
    `${showPath(file, cwd)} is not a valid frozen report of ${nameMonth(month)}.`,
    'Restore the file, or remove it if the month need not be compared with what was issued.',
  );
}

/** The result of freezing a month. */
export interface FreezeOutcome {
  readonly file: string;
  /** The month as it was frozen before, if it was. */
  readonly before: FrozenMonth | undefined;
  readonly month: FrozenMonth;
  /** The projects that this run froze. */
  readonly added: FrozenMonth['projects'];
}

/**
 * Freezes a month atomically. A month that is already frozen keeps its projects and gets the missing ones. A lock lets
 * one process write at a time. Throws `frozen-month-broken`, `cannot-freeze` if the month is frozen in another time
 * zone, `freeze-locked`, and errors of writing files.
 */
export async function freezeInto(
  folder: string,
  fresh: FrozenMonth,
  cwd: string,
  signal?: AbortSignal,
): Promise<FreezeOutcome> {
  await mkdir(folder, { recursive: true });
  using _held = await waitForLock(path.join(folder, '.freeze.lock'), signal);
  const file = path.join(folder, `${fresh.month}.json`);
  const before = await readFrozenMonth(file, fresh.month, cwd);
  const { month, added } = before ? completeMonth(before, fresh) : { month: fresh, added: fresh.projects };
  if (before && before.zone !== fresh.zone && added.length > 0) {
    throw inputError(
      'cannot-freeze',
      `${nameMonth(fresh.month)} is frozen in the time zone ${before.zone}. Figures in ${fresh.zone} cannot be added.`,
      `Freeze with --timezone ${before.zone}.`,
    );
  }
  const isNew = before === undefined || added.length > 0 || month.missing.join() !== before.missing.join();
  if (isNew) await writeFileWhole(file, [`${JSON.stringify(month, null, 2)}\n`], signal);
  return { file, before, month, added };
}

/** Freezing takes milliseconds, so a process that holds the lock for longer hangs. */
const longestWaitMs = 30_000;

async function waitForLock(file: string, signal: AbortSignal | undefined): Promise<Disposable> {
  for (let waited = 0; ; waited += 50) {
    throwIfAborted(signal);
    const taken = await takeLock(file, { holder: thisProcess, what: 'report' });
    if (taken.kind === 'held') return taken;
    if (waited >= longestWaitMs) {
      const message = `Another process (${taken.holder}) is writing to the folder of frozen months.`;
      throw new BackendError(message, { code: 'freeze-locked', hint: 'Try again when it has finished.' });
    }
    await setTimeout(50);
  }
}

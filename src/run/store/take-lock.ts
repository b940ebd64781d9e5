import { link, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BackendError } from '../../ask/sluice-error.ts';
import type { Engine } from '../embedded/engine.ts';
import { quoteName, quoteText } from '../embedded/sql-text.ts';

export interface LockTools {
  readonly engine: Engine;
  /** For names. */
  readonly randomText: () => string;
  /** For people: `store`. */
  readonly what: string;
}

export type TakenLock =
  | { readonly kind: 'held'; release(): Promise<void> }
  /** `holder` for people: `process 4711 (node)`. */
  | { readonly kind: 'taken'; readonly holder: string };

/**
 * Takes a lock, or tells who has it. The lock is the kernel's own on a small DuckDB file that the engine attaches: it
 * goes with the process that holds it, however that ends, so none is ever left over. The kernel tells processes apart and
 * nothing within one. Errors: `store-lock-damaged`, and those of the system.
 */
export async function takeLock(file: string, tools: LockTools): Promise<TakenLock> {
  const { engine, what } = tools;
  if (!(await isThere(file))) await makeLockFile(file, tools);
  const name = `${what}_lock_${engine.nextNumber()}`;
  try {
    await attach(engine, file, name);
    return { kind: 'held', release: async () => void (await engine.rows(`DETACH ${quoteName(name)}`)) };
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    const holder = /Conflicting lock is held in (.+?) \(PID (\d+)\)/.exec(text);
    if (!holder && /not a valid DuckDB|corrupt|checksum/i.test(text)) throw damagedLock(file, what, error);
    if (!holder && !/Could not set lock/.test(text)) throw error;
    return { kind: 'taken', holder: holder ? `process ${holder[2]!} (${path.basename(holder[1]!)})` : 'another process' };
  }
}

/** Made beside its place, so that whoever finds one finds it whole. */
async function makeLockFile(file: string, { engine, randomText, what }: LockTools): Promise<void> {
  const beside = `${file}.${randomText()}.part`;
  try {
    const name = `${what}_lock_${engine.nextNumber()}`;
    await attach(engine, beside, name);
    await engine.rows(`DETACH ${quoteName(name)}`);
    await using made = await open(beside, 'r+');
    await made.sync();
    await link(beside, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

async function attach(engine: Engine, file: string, name: string): Promise<void> {
  await engine.rows(`ATTACH ${quoteText(file)} AS ${quoteName(name)} (TYPE duckdb, READ_WRITE)`);
}

function damagedLock(file: string, what: string, cause: unknown): BackendError {
  return new BackendError(`The ${what}'s lock ${file} is damaged.`, { code: `${what}-lock-damaged`, cause, hint: `Remove that file while no other sluice is at work on the ${what}; nothing is lost with it.` });
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(() => true, () => false);
}

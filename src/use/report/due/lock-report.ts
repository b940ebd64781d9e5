import path from 'node:path';
import { makeOwnFolder } from '../../../run/file/owner-only.ts';
import { takeLock, type TakenLock } from '../../../run/file/take-lock.ts';
import { thisProcess } from '../../this-process.ts';

/** Makes the caller the only one who runs a report, until disposed, or tells who does; nobody waits. Errors: `report-lock-damaged`, and those of the system. */
export async function lockReport(file: string): Promise<TakenLock> {
  await makeOwnFolder(path.dirname(file));
  return takeLock(file, { holder: thisProcess, what: 'report' });
}

import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';

const memory = '/dev/shm';
const leastRoom = 8 * 2 ** 30;

/**
 * Puts the temporary files of tests into memory if the system has room. Tests sync what they write, and on a disk they
 * would spend a third of their time waiting for it.
 */
export function setup(): (() => void) | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return undefined;
  for (const name of readdirSync(memory)) {
    const id = /^sluice-tests-(\d+)$/.exec(name)?.[1];
    // Remove the files of killed processes.
    if (id !== undefined && !existsSync(`/proc/${id}`)) rmSync(`${memory}/${name}`, { recursive: true, force: true });
  }
  const folder = `${memory}/sluice-tests-${process.pid}`;
  mkdirSync(folder);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  if (process.platform !== 'linux' || !existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= leastRoom;
}

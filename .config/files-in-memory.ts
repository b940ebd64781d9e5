import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';

const memory = '/dev/shm';
const leastRoom = 8 * 2 ** 30;

/**
 * Puts the temporary files of tests into memory, where the system has room for them there: what is written is synced,
 * and on a disk the tests would wait for that for a third of their time.
 */
export function setup(): (() => void) | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return undefined;
  for (const name of readdirSync(memory)) {
    const id = /^sluice-tests-(\d+)$/.exec(name)?.[1];
    // Whoever was killed has left its files.
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

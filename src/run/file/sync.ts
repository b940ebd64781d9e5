import { open } from 'node:fs/promises';

/** Sees to it that what was written to a file is on the disk. */
export async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.sync();
}

/** The same for the names in a folder, new and renamed ones. */
export async function syncFolder(folder: string): Promise<void> {
  // Not every system lets one open a folder.
  const handle = await open(folder, 'r').catch(() => undefined);
  if (!handle) return;
  await handle.sync().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL' && error.code !== 'EPERM') throw error;
  });
  await handle.close();
}

import { access } from 'node:fs/promises';

/** Whether there is a file or folder at a path. */
export function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

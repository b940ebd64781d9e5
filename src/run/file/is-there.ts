import { access } from 'node:fs/promises';

/** True if a file or folder exists at the path. */
export function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** An absolute path or pattern of data; `-` (standard input) and addresses stay as they are. */
export function toSourcePath(file: string, base: string): string {
  if (file === '-') return file;
  if (/^file:\/\//i.test(file)) return fileURLToPath(file);
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(file)) return file;
  // A shell expands it only at the start of a word of its own.
  if (file === '~' || file.startsWith('~/')) return path.join(homedir(), file.slice(1));
  return path.resolve(base, file);
}

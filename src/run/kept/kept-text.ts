import { hash } from 'node:crypto';
import path from 'node:path';

export interface KeptText {
  readonly text: string;
  /** When it was kept, epoch milliseconds. */
  readonly since: number;
}

const format = 1;
export const keptEnding = '.answer';
/** Notes that a command was answered; see `askedPath`. */
export const askedEnding = '.asked';

/** The file of what is kept under a key. */
export function keptPath(folder: string, key: string): string {
  return path.join(folder, `${fingerprint(key)}${keptEnding}`);
}

/** An empty file that notes that a command was answered in a workspace: a hint for speed alone. */
export function askedPath(folder: string, command: string): string {
  return path.join(folder, `${fingerprint(command)}${askedEnding}`);
}

/** Finds files and damage; whoever must be sure compares the text itself. */
export function fingerprint(text: string): string {
  return hash('sha256', text).slice(0, 16);
}

export function encodeKept(key: string, { text, since }: KeptText): string {
  const body = JSON.stringify([key, since, text]);
  return `${JSON.stringify({ sluice: 'answer', format, mark: fingerprint(body) })}\n${body}`;
}

/** undefined: of another key, of another version, or damaged. */
export function decodeKept(written: string, key: string): KeptText | undefined {
  try {
    const end = written.indexOf('\n');
    const head = JSON.parse(written.slice(0, end)) as { readonly format?: unknown; readonly mark?: unknown };
    const body = written.slice(end + 1);
    if (head.format !== format || head.mark !== fingerprint(body)) return undefined;
    const [own, since, text] = JSON.parse(body) as readonly unknown[];
    return own === key && typeof since === 'number' && typeof text === 'string' ? { text, since } : undefined;
  } catch {
    return undefined;
  }
}

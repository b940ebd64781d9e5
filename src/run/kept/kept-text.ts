import path from 'node:path';
import { crc32 } from 'node:zlib';

export interface KeptText {
  readonly text: string;
  /** When it was stored, epoch milliseconds. */
  readonly since: number;
}

const format = 2;
export const keptEnding = '.answer';
/** Files that note that a command was answered; see `askedPath`. */
export const askedEnding = '.asked';

/** The file of a key. */
export function keptPath(folder: string, key: string): string {
  return path.join(folder, `${fingerprint(key)}${keptEnding}`);
}

/** An empty file that notes that a command was answered in a workspace. It is only a hint for speed. */
export function askedPath(folder: string, command: string): string {
  return path.join(folder, `${fingerprint(command)}${askedEnding}`);
}

/**
 * Finds files and detects damage. Compare the text itself if a collision matters. Loading `node:crypto` for a hash
 * takes longer than looking up an answer.
 */
export function fingerprint(text: string): string {
  return crc32(text).toString(16).padStart(8, '0') + text.length.toString(16).padStart(8, '0');
}

export function encodeKept(key: string, { text, since }: KeptText): string {
  const body = JSON.stringify([key, since, text]);
  return `${JSON.stringify({ sluice: 'answer', format, mark: fingerprint(body) })}\n${body}`;
}

/** undefined for another key, another version, or damaged text. */
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

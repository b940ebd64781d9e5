// Loaded first, to replay cached replies: import as little as possible.

import { closeSync, fstatSync, openSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { decodeKept, keptPath } from '../../run/kept/kept-text.ts';
import { lookAt } from '../../run/looks.ts';
import { type Reply, replyKey } from './command/reply.ts';

/**
 * Replays the output of the same command if none of its inputs changed. Returns false if it wrote nothing and the
 * command must run.
 */
export function repeat(argv: readonly string[]): boolean {
  // Files may be full, so let the command itself write to them.
  if (process.getuid === undefined || !isPipeOrTerminal(1) || !isPipeOrTerminal(2)) return false;
  const now = Date.now();
  const cwd = process.cwd();
  const { stdout, stderr, env } = process;
  const key = replyKey({ argv, cwd, env, stdout: screenOf(stdout), stderr: screenOf(stderr), now });
  const reply = key === undefined ? undefined : findReply(cwd, key, now);
  if (!reply?.looks.every(([place, mark]) => lookAt(place).mark === mark)) return false;
  // The reader of a pipe, such as `head`, has closed it.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  for (const [to, text] of reply.written) process[to].write(text);
  return true;
}

function isPipeOrTerminal(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket() || process[descriptor === 1 ? 'stdout' : 'stderr'].isTTY === true;
}

function screenOf({ isTTY, columns, rows }: NodeJS.WriteStream) {
  return { isTerminal: isTTY === true, columns, rows };
}

/** Searches the cache of the workspace in this folder or above. */
function findReply(cwd: string, key: string, now: number): Reply | undefined {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const text = readOwn(keptPath(path.join(folder, '.sluice', 'cache'), key), now);
    if (text !== undefined) {
      const kept = decodeKept(text, key);
      return kept && (JSON.parse(kept.text) as Reply);
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Reads only own private files: the reply goes to the terminal unchanged. */
function readOwn(file: string, now: number): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return undefined;
    const text = readFileSync(descriptor, 'utf8');
    // Mark as used: the least recently used files are deleted first.
    utimesSync(file, now / 1000, now / 1000);
    return text;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

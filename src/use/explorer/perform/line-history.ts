import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder } from '../../../run/file/owner-only.ts';

/** Maximum number of remembered lines. */
const mostLines = 1000;

/** Lines asked in this workspace, without duplicates, oldest first; empty if the file does not exist. */
export async function readHistory(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').flatMap(toLine);
  const latest = [...new Set(lines.reverse())].reverse().slice(-mostLines);
  // Other explorers may append meanwhile, so shorten the file only here and rarely.
  if (lines.length > 2 * mostLines)
    await writeFile(file, latest.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 }).catch(
      () => undefined,
    );
  return latest;
}

export async function addToHistory(file: string, line: string): Promise<void> {
  await makeOwnFolder(path.dirname(file));
  await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

function toLine(written: string): readonly string[] {
  try {
    const line: unknown = JSON.parse(written);
    return typeof line === 'string' && line.trim() !== '' ? [line] : [];
  } catch {
    return [];
  }
}

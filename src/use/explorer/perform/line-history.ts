import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder } from '../../../run/file/owner-only.ts';

/** Lines that are remembered at most. */
const mostLines = 1000;

/** Lines that were asked in this workspace, each once, the oldest first; none where there is no file. */
export async function readHistory(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').flatMap(toLine);
  const latest = [...new Set(lines.reverse())].reverse().slice(-mostLines);
  // Several explorers may add to it, so that it is only ever shortened here, and far from often.
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

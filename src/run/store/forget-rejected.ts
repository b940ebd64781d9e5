import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeOwnFile } from '../file/owner-only.ts';
import { partsOf } from './rejected-file.ts';
import { isObject } from './store-manifest.ts';
import type { StoreSource } from './store-contents.ts';
import { rejectedFolder } from './sweep-store.ts';

export interface ForgottenLines {
  /** The sources, with the names of the files that were written anew. */
  readonly sources: readonly StoreSource[];
  readonly removed: number;
  /** Lines that hold the id as a part of a longer word, and stay. */
  readonly left: number;
}

export interface ForgetLinesOrder {
  readonly folder: string;
  readonly sources: readonly StoreSource[];
  readonly user: string;
  /** For names of new files; without it nothing is written. */
  readonly randomText?: () => string;
}

/** Finds the rejected lines that name a user, and writes their files anew without them, under other names: nothing is changed before the commit. */
export async function forgetInRejected({ folder, sources, user, randomText }: ForgetLinesOrder): Promise<ForgottenLines> {
  let removed = 0;
  let left = 0;
  const changed: StoreSource[] = [];
  for (const source of sources) {
    if (source.rejectedFile === undefined) {
      changed.push(source);
      continue;
    }
    const text = await readFile(path.join(rejectedFolder(folder), source.rejectedFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const lines = text.split('\n').filter((line) => line !== '');
    const stay = lines.filter((line) => !names(textOf(line), user));
    left += stay.filter((line) => textOf(line).includes(user)).length;
    removed += lines.length - stay.length;
    changed.push(stay.length === lines.length || !randomText ? source : await writeAnew(folder, source, stay, randomText));
  }
  return { sources: changed, removed, left };
}

async function writeAnew(folder: string, source: StoreSource, lines: readonly string[], randomText: () => string): Promise<StoreSource> {
  const { rejectedFile = '', ...rest } = source;
  if (lines.length === 0) return { ...rest, rejected: 0 };
  const name = rejectedFile.replace(/\.[^.]+\.ndjson$/, `.${randomText()}.ndjson`);
  await writeOwnFile(path.join(rejectedFolder(folder), name), [lines.map((line) => `${line}\n`).join('')]);
  return { ...rest, rejected: lines.length, rejectedFile: name };
}

/** The rejected line itself, and as JSON and CSV mean it: escapes read, doubled quotes single. */
function textOf(line: string): string {
  const text = rejectedText(line);
  const meant = [text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|([^u]))/g, (_, code: string | undefined, letter: string) => (code === undefined ? shortEscapes[letter] ?? letter : String.fromCharCode(Number.parseInt(code, 16)))), text.replaceAll('""', '"')];
  return [text, ...meant.filter((one) => one !== text)].join('\n');
}

const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function rejectedText(line: string): string {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) ? String(entry['text']) : line;
  } catch {
    return line;
  }
}

/** Whether the id stands there on its own, not as a part of a longer word; where it has no letters, as a whole field. */
function names(text: string, user: string): boolean {
  if (!isWord(user)) return partsOf(text).includes(user);
  for (let at = text.indexOf(user); at >= 0; at = text.indexOf(user, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + user.length])) return true;
  }
  return false;
}

function isWord(text: string | undefined): boolean {
  return text !== undefined && /[\p{L}\p{N}_]/u.test(text);
}

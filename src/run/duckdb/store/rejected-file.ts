import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, ownerOnly } from '../../file/owner-only.ts';
import { rejectedFolder } from './sweep-store.ts';
import type { RejectedRecord } from '../reading/rejected-records.ts';

/** A line of a file of rejected lines. */
export interface RejectedEntry {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

export interface RejectedFile {
  readonly count: number;
  /** Name within the folder of rejected lines; undefined if no line was rejected. */
  readonly name: string | undefined;
  readonly examples: readonly { readonly line: number; readonly reason: string }[];
  add(record: RejectedRecord): Promise<void>;
  /** Discards all lines, because the file is read again. */
  restart(): Promise<void>;
  /** Syncs the file to disk. */
  close(): Promise<void>;
}

const mostExamples = 20;
const pieceSize = 1 << 16;

/** A file beside the store for the rejected lines of `source`. The first line creates it. */
export function openRejectedFile(
  folder: string,
  source: string,
  randomText: () => string,
  isForgotten: (text: string) => boolean,
): RejectedFile {
  const name = `${path
    .basename(source)
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 80)}.${randomText()}.ndjson`;
  let handle: FileHandle | undefined;
  let count = 0;
  let examples: { readonly line: number; readonly reason: string }[] = [];
  let waiting = '';

  const flush = async () => {
    if (waiting === '') return;
    if (!handle) {
      await makeOwnFolder(rejectedFolder(folder));
      handle = await open(path.join(rejectedFolder(folder), name), 'w', ownerOnly.file);
    }
    const text = waiting;
    waiting = '';
    await handle.writeFile(text);
  };

  return {
    get count() {
      return count;
    },
    get name() {
      return count > 0 ? name : undefined;
    },
    get examples() {
      return examples;
    },
    async add({ file, line, reason, text }) {
      const entry: RejectedEntry = isForgotten(text)
        ? { file, line, reason: reason.replace(/:.*/s, ''), text: leftOut }
        : { file, line, reason, text };
      count += 1;
      if (examples.length < mostExamples) examples.push({ line, reason: entry.reason });
      waiting += `${JSON.stringify(entry)}\n`;
      if (waiting.length > pieceSize) await flush();
    },
    async restart() {
      waiting = '';
      count = 0;
      examples = [];
      await handle?.truncate(0);
      await handle?.close();
      handle = undefined;
    },
    async close() {
      await flush();
      await handle?.sync();
      await handle?.close();
      handle = undefined;
    },
  };
}

/** Replaces the text of a rejected line that names a forgotten user. Its reason then quotes nothing either. */
const leftOut = '(left out: it names a forgotten user)';

export function hashId(salt: string, id: string): string {
  return createHash('sha256')
    .update(salt + id)
    .digest('hex');
}

/** Whether a text that is not an event names a forgotten user: as a JSON string, a field, or a whole word. */
export function namesForgotten(salt: string, forgotten: readonly string[]): (text: string) => boolean {
  if (forgotten.length === 0) return () => false;
  const hashes = new Set(forgotten);
  return (text) => partsOf(text).some((part) => hashes.has(hashId(salt, part)));
}

/** The forms that an id can take in a text: a JSON or CSV string, a field, a word. */
export function partsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner]) => inner!);
  const doubled = [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, inner]) => inner!.replaceAll('""', '"'));
  return [
    ...new Set([
      ...quoted,
      ...quoted.map(unescaped),
      ...doubled,
      ...text.split(/[\t,;|]/).map((field) => field.trim()),
      ...text.split(/[^\p{L}\p{N}_.@-]+/u),
    ]),
  ];
}

function unescaped(inner: string): string {
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}

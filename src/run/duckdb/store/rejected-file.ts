import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, ownerOnly } from '../../file/owner-only.ts';
import type { RejectedRecord } from '../reading/event-reading.ts';
import { rejectedFolder } from './sweep-store.ts';

/** What a file of rejected lines holds, a line each. */
export interface RejectedEntry {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

export interface RejectedFile {
  readonly count: number;
  /** Name within the folder of rejected lines; undefined as long as there are none. */
  readonly name: string | undefined;
  readonly examples: readonly { readonly line: number; readonly reason: string }[];
  add(record: RejectedRecord): Promise<void>;
  /** Forgets everything: the file is read anew. */
  restart(): Promise<void>;
  /** Sees it onto the disk. */
  close(): Promise<void>;
}

const mostExamples = 20;
const pieceSize = 1 << 16;

/** A file beside the store for the rejected lines of `source`, made when the first one comes. */
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

/**
 * Stands for the text of a rejected line in which a forgotten user is named; what its reason quotes of it is left out
 * as well.
 */
export const leftOut = '(left out: it names a forgotten user)';

export function hashId(salt: string, id: string): string {
  return createHash('sha256')
    .update(salt + id)
    .digest('hex');
}

/**
 * Tells whether a text that is no event names one of the forgotten: as a text of JSON, a field, or a word of its own.
 */
export function namesForgotten(salt: string, forgotten: readonly string[]): (text: string) => boolean {
  if (forgotten.length === 0) return () => false;
  const hashes = new Set(forgotten);
  return (text) => partsOf(text).some((part) => hashes.has(hashId(salt, part)));
}

/** What an id can be in a text: a text of JSON or CSV, a field, a word. */
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

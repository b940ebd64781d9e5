import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { invariant } from '../../../ask/invariant.ts';
import { writeOwnFile } from '../../file/owner-only.ts';
import { readStore, type StoreSource } from '../../store/store-contents.ts';
import { missingStore, type Segment, segmentPath } from '../../store/store-manifest.ts';
import { openEngine } from '../engine/engine.ts';
import { quoteText } from '../engine/sql-text.ts';
import { isRecord } from '../../../ask/document/json-record.ts';
import { explained, fromWhole } from './damaged-segment.ts';
import { openWriter, type WriterOptions } from './open-writer.ts';
import { hashId, partsOf } from './rejected-file.ts';
import { rejectedFolder } from './sweep-store.ts';
import { idColumns, quoteId, rowsOf, segmentColumns, segmentTextColumns } from './segment-columns.ts';
import { writeSegment } from './write-segment.ts';

interface ForgottenLines {
  /** The sources, with the names of the rewritten files. */
  readonly sources: readonly StoreSource[];
  readonly removed: number;
  /** The users that the removed lines name. */
  readonly named: ReadonlySet<string>;
  /** Lines that contain an id only inside a longer word. They are kept. */
  readonly left: number;
}

interface ForgetLinesOrder {
  readonly folder: string;
  readonly sources: readonly StoreSource[];
  readonly users: readonly string[];
  /** Names new files. Without it nothing is written. */
  readonly randomText?: () => string;
}

/**
 * Finds the rejected lines that name one of the users and writes copies of their files without them, under new names.
 * The old files stay until the commit.
 */
async function forgetInRejected({ folder, sources, users, randomText }: ForgetLinesOrder): Promise<ForgottenLines> {
  let removed = 0;
  let left = 0;
  const named = new Set<string>();
  const changed: StoreSource[] = [];
  for (const source of sources) {
    if (source.rejectedFile === undefined) {
      changed.push(source);
      continue;
    }
    const text = await readFile(path.join(rejectedFolder(folder), source.rejectedFile), 'utf8').catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      },
    );
    const lines = text.split('\n').filter((line) => line !== '');
    const stay = lines.filter((line) => {
      const meant = textOf(line);
      const of = users.filter((user) => namesUser(meant, user));
      for (const user of of) named.add(user);
      if (of.length === 0 && users.some((user) => meant.includes(user))) left += 1;
      return of.length === 0;
    });
    removed += lines.length - stay.length;
    changed.push(
      stay.length === lines.length || !randomText ? source : await writeAnew(folder, source, stay, randomText),
    );
  }
  return { sources: changed, removed, named, left };
}

async function writeAnew(
  folder: string,
  source: StoreSource,
  lines: readonly string[],
  randomText: () => string,
): Promise<StoreSource> {
  const { rejectedFile = '', earlier, ...others } = source;
  const left = earlier?.map((rows) => ({ ...rows, rejected: Math.min(rows.rejected ?? lines.length, lines.length) }));
  const rest = left ? { ...others, earlier: left } : others;
  if (lines.length === 0) return { ...rest, rejected: 0 };
  const name = rejectedFile.replace(/\.[^.]+\.ndjson$/, `.${randomText()}.ndjson`);
  await writeOwnFile(path.join(rejectedFolder(folder), name), [lines.map((line) => `${line}\n`).join('')]);
  return { ...rest, rejected: lines.length, rejectedFile: name };
}

/** The rejected line as written, and as JSON and CSV read it: with escapes resolved, and with doubled quotes halved. */
function textOf(line: string): string {
  const text = rejectedText(line);
  const meant = [
    text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|([^u]))/g, (_, code: string | undefined, letter: string) =>
      code === undefined ? (shortEscapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
    ),
    text.replaceAll('""', '"'),
  ];
  return [text, ...meant.filter((one) => one !== text)].join('\n');
}

const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function rejectedText(line: string): string {
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) ? String(entry['text']) : line;
  } catch {
    return line;
  }
}

/** Whether the text contains the id as a whole word, or as a whole field if the id has no letters. */
export function namesUser(text: string, user: string): boolean {
  if (!isWord(user)) return partsOf(text).includes(user);
  for (let at = text.indexOf(user); at >= 0; at = text.indexOf(user, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + user.length])) return true;
  }
  return false;
}

function isWord(text: string | undefined): boolean {
  return text !== undefined && /[\p{L}\p{N}_]/u.test(text);
}

interface ForgetOptions extends WriterOptions {
  /** Anonymous ids or user ids, exactly as written. */
  readonly users: readonly string[];
  /** Counts without changing anything. */
  readonly dryRun?: boolean | undefined;
}

export interface ForgetReport {
  /** The ids as they were given, with the number of events of each. An event can have two of them. */
  readonly users: readonly { readonly id: string; readonly events: number }[];
  readonly dryRun: boolean;
  /** Events in the store before, events of the users, and events that remain. */
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  /** Removed rejected lines, which named one of the users. */
  readonly removedLines: number;
  /**
   * Texts that still contain an id inside a longer text, counted afterwards by column, in rejected lines, and in names
   * of ingested files.
   */
  readonly traces: readonly { readonly place: string; readonly count: number }[];
  /** Other ids found in these events. */
  readonly otherIds: readonly string[];
  /** Whether more ids were found than are named. */
  readonly moreIds: number;
}

const mostIds = 20;

/**
 * Removes every event with one of these anonymous or user ids, and the rejected lines that name one, from the disk in
 * one commit. Then counts again and searches every text of every segment for the ids. The store keeps a hash of each
 * id, so that ingesting the same exports does not bring the users back. Errors: `store-not-found`, and those of
 * `openWriter`.
 */
export async function forgetUsers(options: ForgetOptions): Promise<ForgetReport> {
  const { folder } = options;
  const users = [...new Set(options.users)];
  const store = await readStore(folder);
  if (!store) throw missingStore(folder);
  if (options.dryRun) {
    await using engine = await openEngine(options);
    const found = await findUsers(
      (text) => engine.rows(text),
      store.segments.map((segment) => segment.path),
      users,
    );
    const lines = await forgetInRejected({ folder, sources: store.sources, users });
    const before = store.segments.reduce((sum, { rows }) => sum + rows, 0);
    const { rows: removed, inPath: _, ...others } = found;
    return {
      ...others,
      dryRun: true,
      before,
      removed,
      after: before - removed,
      removedLines: lines.removed,
      traces: [],
    };
  }
  await using writer = await openWriter(options);
  try {
    const { manifest } = writer;
    const before = manifest.segments.reduce((sum, { rows }) => sum + rows, 0);
    const paths = manifest.segments.map((segment) => segmentPath(folder, segment));
    const { rows: removed, inPath, ...found } = await findUsers(writer.rows, paths, users);
    const lines = await forgetInRejected({ folder, sources: writer.sources, users, randomText: options.randomText });
    const segments: Segment[] = [];
    for (const segment of manifest.segments) {
      const path = segmentPath(folder, segment);
      if (!inPath.has(path)) segments.push(segment);
      else {
        const rewritten = await writeSegment(
          writer,
          `SELECT ${segmentColumns.join(', ')} FROM ${rowsOf([path])} WHERE (${isOf(users)}) IS NOT TRUE`,
          { paths: [path], rows: segment.rows },
        );
        if (rewritten) segments.push(rewritten);
      }
    }
    if (removed > 0 || lines.removed > 0) {
      const gone = found.users.filter(({ id, events }) => events > 0 || lines.named.has(id));
      const hashes = gone.map(({ id }) => hashId(manifest.salt, id));
      await writer.commit({
        segments: await fromWhole(writer, segments),
        sources: lines.sources,
        forgotten: [...new Set([...manifest.forgotten, ...hashes])],
        removes: true,
      });
    }
    const left = writer.manifest.segments.map((segment) => segmentPath(folder, segment));
    const after = left.length === 0 ? 0 : Number((await writer.rows(`SELECT count(*) FROM ${rowsOf(left)}`))[0]?.[0]);
    invariant(after === before - removed, `${before} events less ${removed} are not ${after}`);
    const traces = [...(await findTraces(writer.rows, left, users, lines)), ...inFileNames(writer.sources, users)];
    return { ...found, dryRun: false, before, removed, after, removedLines: lines.removed, traces };
  } catch (error) {
    throw await explained(writer, error);
  }
}

type Rows = (text: string) => Promise<readonly (readonly unknown[])[]>;

interface FoundUsers extends Pick<ForgetReport, 'users' | 'otherIds' | 'moreIds'> {
  readonly rows: number;
  /** The number of their events in each segment that has some. */
  readonly inPath: ReadonlyMap<string, number>;
}

/** Reads the columns of ids once. */
async function findUsers(rows: Rows, paths: readonly string[], users: readonly string[]): Promise<FoundUsers> {
  const found =
    paths.length === 0
      ? []
      : await rows(`WITH own AS MATERIALIZED (SELECT filename, ${idColumns.join(', ')} FROM ${rowsOf(paths, 'filename')}
        WHERE ${isOf(users)}),
ids AS MATERIALIZED (SELECT id, count(*) AS events, id IN (${users.map(quoteId).join(', ')}) AS given
FROM (SELECT unnest(list_distinct([${idColumns.join(', ')}])) AS id FROM own) WHERE id <> '' GROUP BY id),
others AS (SELECT id, events, row_number() OVER (ORDER BY events DESC, id) AS place FROM ids WHERE NOT given)
SELECT 'path' AS kind, filename AS name, count(*) AS number, 0 AS place FROM own GROUP BY filename
UNION ALL SELECT 'given', id, events, 0 FROM ids WHERE given
UNION ALL SELECT 'other', id, events, place FROM others WHERE place <= ${mostIds}
UNION ALL SELECT 'others', '', count(*), 0 FROM others`);
  const of = (kind: string) =>
    found
      .filter(([each]) => each === kind)
      .sort(([, , , a], [, , , b]) => Number(a) - Number(b))
      .map(([, name, number]) => [String(name), Number(number)] as const);
  const inPath = new Map(of('path'));
  const events = new Map(of('given'));
  const otherIds = of('other').map(([id]) => id);
  return {
    users: users.map((id) => ({ id, events: events.get(id) ?? 0 })),
    rows: [...inPath.values()].reduce((sum, number) => sum + number, 0),
    inPath,
    otherIds,
    moreIds: (of('others')[0]?.[1] ?? 0) - otherIds.length,
  };
}

function isOf(users: readonly string[]): string {
  return idColumns.map((column) => `${column} IN (${users.map(quoteId).join(', ')})`).join(' OR ');
}

async function findTraces(
  rows: Rows,
  paths: readonly string[],
  users: readonly string[],
  lines: ForgottenLines,
): Promise<ForgetReport['traces']> {
  const inLines = lines.left > 0 ? [{ place: 'rejected lines', count: lines.left }] : [];
  if (paths.length === 0) return inLines;
  const patterns = patternsOf(users);
  const holds = (column: string) => patterns.map((pattern) => `regexp_matches(${column}, ${pattern})`).join(' OR ');
  const [counts] = await rows(
    `SELECT ${segmentTextColumns.map((column) => `count(*) FILTER (${holds(column)})`).join(', ')} FROM ${rowsOf(paths)}`,
  );
  return [
    ...segmentTextColumns
      .map((place, index) => ({ place, count: Number(counts?.[index] ?? 0) }))
      .filter(({ count }) => count > 0),
    ...inLines,
  ];
}

/** Letters in a pattern: a longer one takes the engine's regular expressions too much memory. */
const mostLetters = 20_000;

/** SQL patterns that match a text with one of the ids. One search for many ids takes as long as for one. */
function patternsOf(users: readonly string[]): readonly string[] {
  const patterns: string[] = [];
  for (const user of users) {
    const escaped = user
      .toWellFormed()
      .replace(/[^\p{L}\p{N}_]/gu, (letter) => `\\x{${letter.codePointAt(0)!.toString(16)}}`);
    const last = patterns.at(-1);
    if (last === undefined || last.length + escaped.length > mostLetters) patterns.push(escaped);
    else patterns[patterns.length - 1] = `${last}|${escaped}`;
  }
  return patterns.map(quoteText);
}

/** The list of sources contains the names of ingested files. */
function inFileNames(sources: readonly StoreSource[], users: readonly string[]): ForgetReport['traces'] {
  const count = sources.filter(({ file, rejectedFile = '' }) =>
    users.some((user) => `${file}\n${rejectedFile}`.includes(user)),
  ).length;
  return count > 0 ? [{ place: 'names of files', count }] : [];
}

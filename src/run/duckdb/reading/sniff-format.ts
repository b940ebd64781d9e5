import { open } from 'node:fs/promises';
import { BackendError } from '../../../ask/sluice-error.ts';
import { encodingOfHead } from '../../file/encoding.ts';
import { type Compression, readBytes } from '../../file/read-bytes.ts';
import { isStartOf, PackingDamage, packingOf } from '../../file/unpack.ts';
import { accessLogColumns, logEndings, readAccessLogLine } from './access-log.ts';
import { markOf } from '../../looks.ts';
import { allKeys, timeSpellings } from './event-columns.ts';
import { looksLikeHeader, readCsvHead } from './csv-head.ts';
import { countKeys } from './row-copies.ts';
import { type SampledRecord, headRecords } from './head-records.ts';
import { looksLikeSnowplow, snowplowColumnsOf } from './snowplow-columns.ts';
import { entityKeys, unusualEntityKeys } from './snowplow-entities.ts';
import type { WrappedFile } from './unwrap-json.ts';
import type { WrappedEvents } from './recognition.ts';
import { damagedFile, extendedLog, notParquet, notUtf8, packedOtherwise } from './unfit-file.ts';

/** One that the engine reads as it stands. */
type ReadableSniff = Exclude<SniffedFile, { readonly format: 'arrow' | 'json-wrapped' }>;

/** What a file of events turned out to be. */
export type SniffedFile =
  | {
      readonly path: string;
      readonly format: 'parquet' /** The file that was turned into this one. */;
      readonly original?: string;
    }
  | { readonly path: string; readonly format: 'arrow'; readonly compression: Compression }
  | {
      readonly path: string;
      readonly format: 'ndjson' | 'json-array';
      readonly compression: Compression;
      /** Of its text, if that is not UTF-8. */
      readonly encoding?: string | undefined;
      readonly hints: HeadHints;
      /** Its first records, to tell whose they are. */
      readonly sample: readonly SampledRecord[];
      /** All of them, if the file was at hand. */
      readonly all?: readonly SampledRecord[];
      /** The names that it uses, if the head is all of it. */
      readonly uses?: NamesInUse | undefined;
      /** The file whose list of events this one has alone, and which list that is. */
      readonly original?: string;
      readonly wrapped?: WrappedEvents;
    }
  /** Its head looks as if its events were in a list within an object. `otherwise`: what it is if they are not. */
  | (WrappedFile & { readonly format: 'json-wrapped'; readonly otherwise: ReadableSniff })
  | {
      readonly path: string;
      readonly format: 'csv';
      readonly style: CsvStyle;
      readonly compression: Compression;
      readonly encoding?: string | undefined;
      readonly delimiter: string;
      readonly header: readonly string[];
      /** Lines before the header. */
      readonly before?: number;
      /** Of an access log: how its lines end, see `logEndings`. */
      readonly endings?: string | undefined;
      /** The first lines of an access log, or some after a header. */
      readonly lines?: readonly string[];
    }
  | { readonly path: string; readonly format: 'empty' };

/**
 * `headed`: names in the first line, quotation marks as in RFC 4180. `snowplow`: enriched events without a header,
 * nothing quoted. `log`: lines of an access log.
 */
export type CsvStyle = 'headed' | 'snowplow' | 'log';

/** What a file of JSON has in its head: rows that say for how many events they stand; entities as Snowplow's. */
export interface HeadHints {
  readonly counts: boolean;
  readonly entities: boolean;
  /** One of the names that a time is known by. */
  readonly timed: boolean;
  /** Some line begins as an object does, or the file's name promises them. */
  readonly objects: boolean;
  /** The first object spans several lines. */
  readonly spread: boolean;
  /** Fields of entities in versions that are not looked for everywhere. */
  readonly unusual: readonly string[];
}

/** What names of fields a file of JSON has while it is the one that was looked at. */
export interface NamesInUse {
  /** More may be listed than there are. */
  readonly names: readonly string[];
  /** See `lookAtFile`. */
  readonly mark: string;
}

/** So much of a file is looked at. */
const headBytes = 1 << 16;

/**
 * Tells format and compression by the file's first bytes; only between CSV and NDJSON the name has a say. `declared`:
 * the encoding of text that has no byte order mark and is not UTF-16. `content`: the file's bytes, if they are at hand.
 * Errors: `file-vanished`, `file-unreadable`, `file-corrupt`, `not-parquet`, `not-utf-8`, `column-named-twice`,
 * `header-missing`, `line-ends`, `log-extended`.
 */
export async function sniffFormat(path: string, declared?: string, content?: Buffer): Promise<SniffedFile> {
  const { start, mark } = content ? { start: content.subarray(0, headBytes) } : await readStart(path);
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') return { path, format: 'parquet' };
  if (/\.parquet$/i.test(path)) throw notParquet(path);
  const otherwise = packedOtherwise(path, start);
  if (otherwise) throw otherwise;
  const compression = compressionOf(start, path);
  if (compression === 'none' && start.length === 0) return { path, format: 'empty' };
  const { head, damage } =
    compression === 'none' ? { head: start, damage: undefined } : await readHead(path, compression);
  if (looksLikeArrow(head)) return { path, format: 'arrow', compression };
  const encoding = textEncoding(path, head, declared);
  const decoded = encoding === undefined ? head : await decodeHead(head, encoding);
  const text = decoded.toString('utf8').replace(/^\uFEFF/, '');
  const body = text.trimStart();
  const isCut = damage !== undefined && !damage.complete;
  if (isCut && body === '') throw damagedFile(path, damage);
  if (body === '') return { path, format: 'empty' };
  const unread = extendedLog(path, body);
  if (unread) throw unread;
  const name = path.replace(/\.(gz|gzip|zst|zstd)$/i, '').toLowerCase();
  const namedCsv = name.endsWith('.csv') || name.endsWith('.tsv');
  const snowplow = snowplowHeader(text);
  const packed = { compression, encoding };
  if (snowplow) return { path, format: 'csv', style: 'snowplow', ...packed, delimiter: '\t', header: snowplow };
  const lines = text.split('\n', 100);
  if (looksLikeAccessLog(lines))
    return {
      path,
      format: 'csv',
      style: 'log',
      ...packed,
      delimiter: ' ',
      header: accessLogColumns,
      lines,
      endings: logEndings(lines),
    };
  const unusual = unusualEntityKeys(text);
  const hints = {
    counts: hasCount.test(text),
    entities: unusual.length > 0 || hasEntity.test(text),
    unusual,
    timed: hasTime.test(text),
    spread: /^\{[ \t]*\r?\n/.test(body),
    objects: /\.(?:nd)?json$|\.jsonl$/.test(name) || /^\s*[{[]/m.test(text),
  };
  const uses = namesIn(text, compression === 'none' && encoding === undefined ? mark : undefined);
  const rest = compression === 'none' && encoding === undefined ? content?.subarray(headBytes) : undefined;
  if (!namedCsv && body.startsWith('['))
    return { path, format: 'json-array', ...packed, hints, uses, ...headRecords(decoded, 'array', rest) };
  if (namedCsv || looksLikeHeader(body, name)) {
    if (isCut && !text.includes('\n')) throw damagedFile(path, damage);
    const head = readCsvHead(text, path);
    // Copies, as parts of a text keep all of it. The last one may be cut.
    const some = structuredClone(lines.slice(head.before + 1, -1).slice(0, 20));
    return { path, format: 'csv', style: 'headed', ...packed, ...head, lines: some };
  }
  const lined = {
    path,
    format: 'ndjson',
    ...packed,
    hints,
    uses,
    ...headRecords(decoded, 'newline_delimited', rest),
  } as const;
  if (startsKeyed.test(body)) (await import('./unwrap-json.ts')).refuseKeyed(path, decoded);
  const isWrapped = startsWrapped.test(body) && (await import('./unwrap-json.ts')).looksWrapped(decoded);
  return isWrapped ? { path, format: 'json-wrapped', ...packed, otherwise: lined } : lined;
}

/** An object, and somewhere a list with a first object, or an empty one. */
const startsWrapped = /^\{[^]*?:\s*\[\s*[{\]]/;

/** An object that begins with an object. */
const startsKeyed = /^\{\s*"[^"]*"\s*:\s*\{/;

/** One of the first lines decides, so that a broken one at the start does not hide the rest. */
function looksLikeAccessLog(lines: readonly string[]): boolean {
  return !/^[[{]/.test(lines[0]!) && lines.slice(0, 20).some((line) => readAccessLogLine(line) !== undefined);
}

/** One pattern for all: a head is searched once. */
const [hasCount, hasEntity, hasTime] = [countKeys, entityKeys, timeSpellings].map(
  (keys) => new RegExp(`"(?:${keys.map((key) => key.replaceAll(/\W/g, '\\$&')).join('|')})"`),
) as [RegExp, RegExp, RegExp];

const timeNames = new Set(timeSpellings.map((spelling) => spelling.toLowerCase()));

/**
 * Names of the columns where one of the first lines has the shape of an enriched event, and the first is no header; the
 * first of them decides.
 */
function snowplowHeader(text: string): readonly string[] | undefined {
  const lines = text.split('\n', 20);
  if (lines[0]!.split(/[\t,;"\r]/).some((name) => timeNames.has(name.toLowerCase()))) return undefined;
  const line = lines.find(looksLikeSnowplow);
  return line === undefined ? undefined : snowplowColumnsOf(line.split('\t').length);
}

/** The file format begins with a magic; a stream with the message of its schema, whose length stands behind a mark. */
function looksLikeArrow(head: Buffer): boolean {
  if (head.subarray(0, 6).toString('latin1') === 'ARROW1') return true;
  return (
    head.length >= 8 && head.readUInt32LE(0) === 0xffffffff && head.readInt32LE(4) > 0 && head.readInt32LE(4) < 1 << 28
  );
}

/** A file of no more than the first bytes of what its name promises is cut off, not empty. */
function compressionOf(start: Buffer, path: string): Compression {
  const named = /\.(gz|gzip)$/i.test(path) ? 'gzip' : /\.(zst|zstd)$/i.test(path) ? 'zstd' : undefined;
  return packingOf(start) ?? (named && isStartOf(start, named) ? named : 'none');
}

/** undefined: UTF-8. What the bytes say goes before what was declared. Error: `not-utf-8`. */
function textEncoding(path: string, head: Buffer, declared: string | undefined): string | undefined {
  const found = encodingOfHead(head);
  if (found === 'utf-32') throw notUtf8(path, 'UTF-32');
  const encoding = found ?? (declared === 'utf-16' ? 'utf-16le' : declared);
  return encoding === 'utf-8' ? undefined : encoding;
}

/** A character that the end cuts is left out. */
async function decodeHead(head: Buffer, encoding: string): Promise<Buffer> {
  const { openTranscoder } = await import('../../file/transcode.ts');
  const transcoder = openTranscoder(encoding);
  const text = transcoder.push(head);
  return head.length < headBytes ? Buffer.concat([text, transcoder.end()]) : text;
}

/** The names of fields in a text that is the whole of a file; undefined where escapes may hide some. */
function namesIn(text: string, mark: string | undefined): NamesInUse | undefined {
  if (mark === undefined || text.includes('\\u')) return undefined;
  const keys = new Set(Array.from(text.matchAll(/(?<=")([^"\\\n]{1,200})"\s*:/g), ([, key]) => key!));
  return { names: allKeys.filter((key) => keys.has(key)), mark };
}

interface Start {
  readonly start: Buffer;
  /** Of a file that is no longer than this, see `lookAtFile`. */
  readonly mark: string | undefined;
}

async function readStart(path: string): Promise<Start> {
  try {
    await using file = await open(path);
    const found = await file.stat({ bigint: true });
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return { start: buffer.subarray(0, bytesRead), mark: bytesRead === Number(found.size) ? markOf(found) : undefined };
  } catch (cause) {
    const gone = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new BackendError(gone ? `${path} does not exist any more.` : `${path} cannot be read.`, {
      code: gone ? 'file-vanished' : 'file-unreadable',
      cause,
      hint: gone ? 'Check whether it was moved or renamed.' : 'Check that it is a file and that you can read it.',
    });
  }
}

interface Head {
  readonly head: Buffer;
  /** Met so early. */
  readonly damage: PackingDamage | undefined;
}

/** The first unpacked bytes; those before the damage where the packing is damaged. */
async function readHead(path: string, compression: Compression): Promise<Head> {
  const pieces: Buffer[] = [];
  let length = 0;
  let damage: PackingDamage | undefined;
  try {
    for await (const piece of readBytes(path, compression)) {
      pieces.push(piece);
      length += piece.length;
      if (length >= headBytes) break;
    }
  } catch (error) {
    if (!(error instanceof PackingDamage)) throw error;
    damage = error;
  }
  return { head: Buffer.concat(pieces).subarray(0, headBytes), damage };
}

import { open } from 'node:fs/promises';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { encodingOfHead } from '../../../file/encoding.ts';
import { type Compression, readBytes } from '../../../file/read-bytes.ts';
import { isStartOf, PackingDamage, packingOf } from '../../../file/unpack.ts';
import { columnsOfLog, type LogEndings, readAccessLogLine } from '../layouts/access-log.ts';
import { logEndings } from '../layouts/log-endings.ts';
import { markOf } from '../../../looks.ts';
import { allKeys, timeSpellings, countKeys } from '../../../events/column-names.ts';
import { looksLikeHeader, readCsvHead } from './csv-head.ts';
import { type SampledRecord, headRecords } from '../text/head-records.ts';
import type { DumpForm } from '../text/split-csv.ts';
import { looksLikeSnowplow, snowplowColumnsOf } from '../layouts/snowplow-columns.ts';
import { entityKeys, unusualEntityKeys } from '../../../events/snowplow-entities.ts';
import { looksLikeW3c, w3cColumns } from '../layouts/w3c-log.ts';
import { fieldFormOf, type LineForm, lineFormOf } from './line-form.ts';
import type { LinedFile } from './lines-to-ndjson.ts';
import type { WrappedFile } from './unwrap-json.ts';
import { areLooseObjects, type LooseObjects } from './loose-objects.ts';
import type { OtlpFile } from './otlp.ts';
import type { WrappedEvents } from '../columns/recognition.ts';
import { damagedFile, isParquet, notParquet, notUtf8, unsupportedFormat, withoutYears } from './unfit-file.ts';

/** One that the engine reads as it stands. */
type ReadableSniff = Exclude<SniffedFile, { readonly format: 'arrow' | 'json-wrapped' | 'lines' | 'otlp' }>;

/** The detected format of an event file. */
export type SniffedFile =
  | {
      readonly path: string;
      readonly format: 'parquet' /** The file that was turned into this one. */;
      readonly original?: string;
    }
  | { readonly path: string; readonly format: 'arrow'; readonly compression: Compression }
  | LinedFile
  | LooseObjects
  | OtlpFile
  | {
      readonly path: string;
      readonly format: 'ndjson' | 'json-array';
      readonly compression: Compression;
      /** The text encoding, if not UTF-8. */
      readonly encoding?: string | undefined;
      readonly hints: HeadHints;
      /** The first records, for recognising the tracker. */
      readonly sample: readonly SampledRecord[];
      /** All records, if the bytes of the file were given. */
      readonly all?: readonly SampledRecord[];
      /** The field names in use, if the head is the whole file. */
      readonly uses?: NamesInUse | undefined;
      /** The file whose list of events this one has alone, and which list that is. */
      readonly original?: string;
      readonly wrapped?: WrappedEvents;
      /** The form of the lines that became these objects. */
      readonly form?: LineForm;
    }
  /** Its head looks as if its events were in a list within an object. `otherwise`: what it is if they are not. */
  | (WrappedFile & { readonly format: 'json-wrapped'; readonly otherwise: ReadableSniff })
  | (CsvForm & {
      readonly path: string;
      readonly format: 'csv';
      /** The first lines of an access log, or some lines after a header. */
      readonly lines?: readonly string[];
    })
  | { readonly path: string; readonly format: 'empty' };

/** How a text file with fields is read. */
export interface CsvForm {
  readonly style: CsvStyle;
  readonly compression: Compression;
  readonly encoding?: string | undefined;
  readonly delimiter: string;
  /** Backslashes escape quotation marks. */
  readonly escapes?: true | undefined;
  /** Spaces around cells are no part of them. */
  readonly padded?: true | undefined;
  readonly dump?: DumpForm | undefined;
  readonly header: readonly string[];
  /** Lines before the header. */
  readonly before?: number | undefined;
  /** Of an access log: how its lines end, see `logEndings`. */
  readonly endings?: LogEndings | undefined;
}

/**
 * `headed`: names in the first line, quotes as in RFC 4180. `snowplow`: enriched events without header or quotes.
 * `log`: lines of an access log. `w3c`: lines of a log in the W3C extended format.
 */
type CsvStyle = 'headed' | 'snowplow' | 'log' | 'w3c';

/** What the head of a JSON file contains: rows with counts; Snowplow entities. */
export interface HeadHints {
  readonly counts: boolean;
  readonly entities: boolean;
  /** Whether a name for a time occurs. */
  readonly timed: boolean;
  /** Whether a line starts like an object, or the file name indicates JSON. */
  readonly objects: boolean;
  /** Entity fields of unusual versions, which are not looked for in every file. */
  readonly unusual: readonly string[];
}

/** The field names of a JSON file. Valid until the file changes. */
export interface NamesInUse {
  /** May contain names that do not occur. */
  readonly names: readonly string[];
  /** See `lookAtFile`. */
  readonly mark: string;
}

/** Size of the inspected head in bytes. */
const headBytes = 1 << 16;

/**
 * Detects format and compression from the first bytes of a file. The name only decides between CSV and NDJSON.
 * `declared`: the encoding of text without a byte order mark that is not UTF-16. `content`: the file's bytes, if
 * available. Errors: `file-vanished`, `file-unreadable`, `file-corrupt`, `not-parquet`, `not-utf-8`,
 * `packed-otherwise`, `format-unsupported`, `column-named-twice`, `header-missing`, `line-ends`.
 */
export async function sniffFormat(path: string, declared?: string, content?: Buffer): Promise<SniffedFile> {
  const { start, mark } = content ? { start: content.subarray(0, headBytes) } : await readStart(path);
  if (isParquet(start)) return { path, format: 'parquet' };
  if (/\.parquet$/i.test(path)) throw notParquet(path);
  const compression = compressionOf(start, path);
  if (compression === 'none' && start.length === 0) return { path, format: 'empty' };
  const { head, damage } =
    compression === 'none' ? { head: start, damage: undefined } : await readHead(path, compression);
  const unsupported = unsupportedFormat(path, head, compression);
  if (unsupported) throw unsupported;
  if (looksLikeArrow(head)) return { path, format: 'arrow', compression };
  const encoding = textEncoding(path, head, declared);
  const decoded = encoding === undefined ? head : await decodeHead(head, encoding);
  const text = decoded.toString('utf8').replace(/^\uFEFF/, '');
  const body = text.trimStart();
  const isCut = damage !== undefined && !damage.complete;
  if (isCut && body === '') throw damagedFile(path, damage);
  if (body === '') return { path, format: 'empty' };
  const name = path.replace(/\.(gz|gzip|zst|zstd)$/i, '').toLowerCase();
  const namedCsv = name.endsWith('.csv') || name.endsWith('.tsv');
  const snowplow = snowplowHeader(text);
  const packed = { compression, encoding };
  if (snowplow) return { path, format: 'csv', style: 'snowplow', ...packed, delimiter: '\t', header: snowplow };
  if (looksLikeW3c(body)) return { path, format: 'csv', style: 'w3c', ...packed, delimiter: ' ', header: w3cColumns };
  const lines = text.split('\n', 100);
  const fieldForm = fieldFormOf(lines);
  if (fieldForm) return { path, format: 'lines', form: fieldForm, ...packed };
  if (looksLikeAccessLog(lines)) {
    const endings = logEndings(lines);
    return {
      path,
      format: 'csv',
      style: 'log',
      ...packed,
      delimiter: ' ',
      header: columnsOfLog(endings),
      lines,
      endings,
    };
  }
  const form = namedCsv ? undefined : lineFormOf(lines);
  if (form === 'yearless') throw withoutYears(path);
  if (form) return { path, format: 'lines', form, ...packed };
  const unusual = unusualEntityKeys(text);
  const hints = {
    counts: hasCount.test(text),
    entities: unusual.length > 0 || hasEntity.test(text),
    unusual,
    timed: hasTime.test(text),
    objects: /\.(?:nd)?json$|\.jsonl$/.test(name) || /^\s*[{[]/m.test(text),
  };
  const uses = namesIn(text, compression === 'none' && encoding === undefined ? mark : undefined);
  const rest = compression === 'none' && encoding === undefined ? content?.subarray(headBytes) : undefined;
  if (!namedCsv && body.startsWith('['))
    return { path, format: 'json-array', ...packed, hints, uses, ...headRecords(decoded, 'array', rest) };
  if (namedCsv || looksLikeHeader(body, name)) {
    if (isCut && !text.includes('\n')) throw damagedFile(path, damage);
    const head = readCsvHead(text, path);
    // Clone the lines: substrings keep the whole text in memory. Skip the last line, which may be incomplete.
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
  if (startsOtlp.test(body)) return { path, format: 'otlp', ...packed };
  const loose = body.startsWith('{') && areLooseObjects(body);
  const plain = loose ? ({ path, format: 'json-objects', ...packed } as const) : lined;
  if (startsKeyed.test(body)) (await import('./unwrap-json.ts')).refuseKeyed(path, decoded);
  const isWrapped = startsWrapped.test(body) && (await import('./unwrap-json.ts')).looksWrapped(decoded);
  return isWrapped ? { path, format: 'json-wrapped', ...packed, otherwise: plain } : plain;
}

/** An object, and somewhere a list with a first object, or an empty one. */
const startsWrapped = /^\{[^]*?:\s*\[\s*[{\]]/;

/** An object of OpenTelemetry's protocol with log records or spans. */
const startsOtlp = /^\{\s*"resource(?:Logs|Spans)"\s*:\s*\[/;

/** An object that begins with an object. */
const startsKeyed = /^\{\s*"[^"]*"\s*:\s*\{/;

/** Any of the first lines is enough, so that a broken line at the start does not hide the others. */
function looksLikeAccessLog(lines: readonly string[]): boolean {
  return !/^[[{]/.test(lines[0]!) && lines.slice(0, 20).some((line) => readAccessLogLine(line) !== undefined);
}

/** Search the head with one pattern instead of one for each key. */
const [hasCount, hasEntity, hasTime] = [countKeys, entityKeys, timeSpellings].map(
  (keys) => new RegExp(`"(?:${keys.map((key) => key.replaceAll(/\W/g, '\\$&')).join('|')})"`),
) as [RegExp, RegExp, RegExp];

const timeNames = new Set(timeSpellings.map((spelling) => spelling.toLowerCase()));

/**
 * Column names if one of the first lines has the shape of an enriched event and the first line is not a header. The
 * first such line decides.
 */
function snowplowHeader(text: string): readonly string[] | undefined {
  const lines = text.split('\n', 20);
  if (lines[0]!.split(/[\t,;"\r]/).some((name) => timeNames.has(name.toLowerCase()))) return undefined;
  const line = lines.find(looksLikeSnowplow);
  return line === undefined ? undefined : snowplowColumnsOf(line.split('\t').length);
}

/** The file format starts with a magic number. A stream starts with a marker and the length of its schema message. */
function looksLikeArrow(head: Buffer): boolean {
  if (head.subarray(0, 6).toString('latin1') === 'ARROW1') return true;
  return (
    head.length >= 8 && head.readUInt32LE(0) === 0xffffffff && head.readInt32LE(4) > 0 && head.readInt32LE(4) < 1 << 28
  );
}

/** A file shorter than the magic number that its extension requires is truncated, not empty. */
function compressionOf(start: Buffer, path: string): Compression {
  const named = /\.(gz|gzip)$/i.test(path) ? 'gzip' : /\.(zst|zstd)$/i.test(path) ? 'zstd' : undefined;
  return packingOf(start) ?? (named && isStartOf(start, named) ? named : 'none');
}

/** Undefined for UTF-8. Detected encodings override the declared one. Error: `not-utf-8`. */
function textEncoding(path: string, head: Buffer, declared: string | undefined): string | undefined {
  const found = encodingOfHead(head);
  if (found === 'utf-32') throw notUtf8(path, 'UTF-32');
  const encoding = found ?? (declared === 'utf-16' ? 'utf-16le' : declared);
  return encoding === 'utf-8' ? undefined : encoding;
}

/** Drops a character that the end of the head cuts. */
async function decodeHead(head: Buffer, encoding: string): Promise<Buffer> {
  const { openTranscoder } = await import('../../../file/transcode.ts');
  const transcoder = openTranscoder(encoding);
  const text = transcoder.push(head);
  return head.length < headBytes ? Buffer.concat([text, transcoder.end()]) : text;
}

/** Field names in the text of a whole file; undefined if escapes may hide some. */
function namesIn(text: string, mark: string | undefined): NamesInUse | undefined {
  if (mark === undefined || text.includes('\\u')) return undefined;
  const keys = new Set(Array.from(text.matchAll(/(?<=")([^"\\\n]{1,200})"\s*:/g), ([, key]) => key!));
  return { names: allKeys.filter((key) => keys.has(key)), mark };
}

interface Start {
  readonly start: Buffer;
  /** Only if the head is the whole file, see `lookAtFile`. */
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
  /** Damage found within the head. */
  readonly damage: PackingDamage | undefined;
}

/** The first unpacked bytes, up to the damage if the packing is damaged. */
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

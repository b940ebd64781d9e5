import { BackendError, SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import type { Mapping } from '../../../plan/mapping/mapping.ts';
import { eventFields } from '../../../plan/model/event-fields.ts';
import { keepToOwner } from '../../file/owner-only.ts';
import type { Compression } from '../../file/read-bytes.ts';
import { sourceName } from '../../file/source-copy.ts';
import { type IngestedFile, untouched } from '../../store/ingest-report.ts';
import { contentOf, hasLines, type KnownSources } from '../../store/known-sources.ts';
import { mappingHash, recordOf, type StoreSource } from '../../store/store-contents.ts';
import { segmentPath } from '../../store/store-manifest.ts';
import {
  type ContentHash,
  demandUnchanged,
  hashFile,
  hashUnpacked,
  lookAtFile,
  openContentHash,
} from '../engine/file-identity.ts';
import { quoteText } from '../engine/sql-text.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import { tableOfCopy } from '../reading/database/database-path.ts';
import { readEventFile } from '../reading/event-reading.ts';
import { sniffFormat } from '../reading/formats/sniff-format.ts';
import type { Recognition } from '../reading/recognise/recognise-fields.ts';
import type { RecognisedFile } from '../reading/recognise/recognise-file.ts';
import type { Part } from './rows-to-drop.ts';
import type { FoundWindow, GivenProject } from './find-windows.ts';
import type { StoreWriter } from './open-writer.ts';
import { namesForgotten, openRejectedFile, type RejectedFile } from './rejected-file.ts';
import type { RotatedFiles } from './rotated-files.ts';
import { isOfThePlace } from './store-error.ts';
import { chooseFrom, withPropertyColumns } from './property-columns.ts';
import { segmentFormat } from './segment-columns.ts';
import { type MendedReading, mendEventFile } from '../reading/mend-event-file.ts';

/** A staged file that waits for its commit, or the reason that it need not be read. */
export type StagedFile =
  | {
      readonly kind: 'told';
      readonly entry: IngestedFile /** A source that has become known by more. */;
      readonly adopted?: StoreSource;
    }
  | {
      readonly kind: 'staged';
      readonly source: StoreSource;
      readonly read: ReadPart;
      readonly replaces: StoreSource | undefined;
      /** Whether it begins with the content of the source that it replaces. */
      readonly grown?: boolean;
    };

export interface StagingOrder {
  readonly file: string;
  readonly number: number;
  readonly window: FoundWindow | undefined;
  readonly project: GivenProject | undefined;
  /** The encoding of text that is not UTF-8 and has no byte order mark. */
  readonly encoding: string | undefined;
  readonly mapping: Mapping | undefined;
  readonly rotated: RotatedFiles;
  readonly now: () => number;
  readonly randomText: () => string;
  readonly signal?: AbortSignal | undefined;
  readonly onBytes: (count: number) => void;
}

/** Files of at least this size get columns for their properties. */
export const wideFile = 4 << 20;

/** Hashing a file below this size before reading it costs nothing. */
export const smallFile = 1 << 20;

/**
 * Stages a file unless its source is known. Errors: `file-changed`, `file-vanished`, `window-damaged`,
 * `window-contradicted`, and those of reading.
 */
export async function stageFile(writer: StoreWriter, known: KnownSources, order: StagingOrder): Promise<StagedFile> {
  const { file, window } = order;
  const project = window?.project ?? order.project?.value;
  const earlier = window && known.byWindow(window);
  if (window && earlier?.window) {
    if (earlier.window.revision > window.revision)
      return told(untouched(sourceName(file), 'older', { earlier, project }));
    if (earlier.window.revision === window.revision && earlier.again !== true) {
      if (earlier.sha256 === window.sha256) return told(untouched(sourceName(file), 'known', { earlier, project }));
      throw new BackendError(
        `${file} is the revision ${window.revision} of its window, ` +
          `but ${earlier.file} was loaded as the same revision with other content.`,
        {
          code: 'window-contradicted',
          hint:
            'One of them was changed by hand, or exported into another folder. ' +
            'To get a new revision, run `sluice export --recheck contents` in the folder of the first one.',
        },
      );
    }
  }
  const look = await lookAtFile(file);
  const { encoding, compression } = await formOf(file, order.encoding);
  const hashing = hashSource(known, order, compression);
  hashing.catch(() => undefined);
  if (look.bytes < smallFile || known.hasSize(look.bytes)) {
    const hashed = await hashing;
    await demandUnchanged(file, look, hashed.bytes);
    demandWhole(file, window, hashed.sha256);
    const same = earlier ? undefined : knownContent(known, order, encoding, hashed);
    if (same) return same;
  }
  const read = await readPart(writer, order, { project, bytes: look.bytes });
  const hashed = await hashing;
  await demandUnchanged(file, look, hashed.bytes);
  demandWhole(file, window, hashed.sha256);
  const same = earlier ? undefined : knownContent(known, order, encoding, hashed);
  if (same) return same;
  // Known content reaches this point only if it must be loaded again or was read in another encoding.
  const again = earlier ?? (window ? undefined : withContent(known, hashed)[0]);
  const begun =
    again || window ? undefined : (continued(known, order, hashed) ?? (await order.rotated.continuedBy(file, known)));
  const former = again || begun ? undefined : formerTable(known, order);
  return {
    kind: 'staged',
    read,
    replaces: again ?? begun ?? former,
    ...(begun && { grown: true }),
    source: {
      number: order.number,
      file: sourceName(file),
      bytes: hashed.bytes,
      ...identityOf(hashed),
      encoding,
      ...recordOf(order.mapping),
      format: read.format,
      ...(read.recognition?.isDated && { dated: true }),
      time: writeUtc(order.now()),
      project,
      rows: read.rows,
      known: 0,
      forgotten: 0,
      rejected: read.rejected.count,
      rejectedFile: read.rejected.name,
      window: window && {
        query: window.query,
        start: window.start,
        end: window.end,
        project: window.project,
        revision: window.revision,
      },
    },
  };
}

/** The encoding and the packing of a file. The code that reads a file reports if it cannot be read. */
async function formOf(
  file: string,
  declared: string | undefined,
): Promise<{ readonly encoding?: string | undefined; readonly compression: Compression }> {
  const sniffed = await sniffFormat(file, declared).catch(() => undefined);
  return {
    encoding: sniffed && 'encoding' in sniffed ? sniffed.encoding : undefined,
    compression: sniffed && 'compression' in sniffed ? sniffed.compression : 'none',
  };
}

/** The hashes of a file on disk and of its unpacked contents. */
export interface HashedSource {
  readonly sha256: string;
  readonly bytes: number;
  /** As far as a damaged file can be read, so that the whole file replaces it; undefined if nothing can be read. */
  readonly content: ContentHash | undefined;
  readonly isPacked: boolean;
  readonly isDamaged?: boolean;
}

async function hashSource(
  known: KnownSources,
  { file, window, signal, onBytes }: StagingOrder,
  compression: Compression,
): Promise<HashedSource> {
  const hash = openContentHash((head) =>
    window ? [] : known.mayContinue(sourceName(file), head).flatMap((source) => contentOf(source)?.bytes ?? []),
  );
  if (compression === 'none') {
    const content = await hashFile(file, signal, onBytes, hash);
    return { sha256: content.sha256, bytes: content.bytes, content, isPacked: false };
  }
  const [stored, whole] = await Promise.all([
    hashFile(file, signal, onBytes),
    hashUnpacked(file, compression, hash, signal),
  ]);
  const read = whole ?? hash.end();
  const content = whole || read.bytes > 0 ? read : undefined;
  return { sha256: stored.sha256, bytes: stored.bytes, content, isPacked: true, isDamaged: !whole };
}

/** What a source records about its content. */
export function identityOf({
  sha256,
  content,
  isPacked,
  isDamaged,
}: HashedSource): Pick<StoreSource, 'sha256' | 'unpacked' | 'head' | 'damaged'> {
  return {
    sha256,
    ...(isPacked && content && { unpacked: { bytes: content.bytes, sha256: content.sha256 } }),
    ...(content?.head !== undefined && { head: content.head }),
    ...(isDamaged && { damaged: true }),
  };
}

/** Sources with the same content, packed or not. */
export function withContent(
  known: KnownSources,
  { sha256, content }: Pick<HashedSource, 'sha256' | 'content'>,
): readonly StoreSource[] {
  const unpacked = content ? known.byContent(content.sha256) : [];
  return [...new Set([...known.byHash(sha256), ...unpacked])];
}

/** The longest source that a file begins with: a log that has grown since it was loaded. */
function continued(known: KnownSources, { file }: StagingOrder, { content }: HashedSource): StoreSource | undefined {
  if (!content) return undefined;
  const sizeOf = (source: StoreSource) => contentOf(source)!.bytes;
  return known
    .mayContinue(sourceName(file), content.head)
    .filter((source) => {
      const { bytes, sha256 } = contentOf(source) ?? { bytes: Infinity, sha256: '' };
      return hasLines(source) && bytes < content.bytes && content.starts.get(bytes) === sha256;
    })
    .reduce<StoreSource | undefined>((best, one) => (best && sizeOf(best) >= sizeOf(one) ? best : one), undefined);
}

/** What was loaded from the table of a database: its rows are those that it has now. */
function formerTable(known: KnownSources, { file }: StagingOrder): StoreSource | undefined {
  const name = tableOfCopy(file);
  return name === undefined
    ? undefined
    : known.mayContinue(name, undefined).findLast((source) => source.file === name && !source.window);
}

function told(entry: IngestedFile, adopted?: StoreSource): StagedFile {
  return { kind: 'told', entry, ...(adopted ? { adopted } : {}) };
}

/** Content that the store has under another name, or as a file that turns out to be an export window. */
function knownContent(
  known: KnownSources,
  { file, window, project, mapping }: StagingOrder,
  encoding: string | undefined,
  hashed: HashedSource,
): StagedFile | undefined {
  // The manifest of a window has the hash of the file on disk. What a damaged file lacks is not known.
  const alike = window || hashed.isDamaged ? known.byHash(hashed.sha256) : withContent(known, hashed);
  const settled = alike.filter(
    (source) =>
      source.again !== true &&
      source.encoding === encoding &&
      source.mapping === mappingHash(mapping) &&
      // A whole file replaces its damaged copy.
      (source.damaged !== true || source.sha256 === hashed.sha256),
  );
  // Two windows can have the same content, most often none.
  const earlier = window ? settled.find((source) => source.window === undefined) : settled[0];
  if (!earlier) return undefined;
  if (!window) return told(untouched(sourceName(file), 'known', { earlier, project: project?.value }));
  const { query, start, end, revision } = window;
  return told(untouched(sourceName(file), 'known', { earlier, project: window.project }), {
    ...earlier,
    window: { query, start, end, project: window.project, revision },
  });
}

function demandWhole(file: string, window: FoundWindow | undefined, sha256: string): void {
  if (!window || window.sha256 === sha256) return;
  throw new BackendError(
    `${file} does not match its manifest: ` +
      `its SHA-256 starts with ${sha256.slice(0, 12)}, not ${quote(window.sha256.slice(0, 12))}.`,
    {
      code: 'window-damaged',
      hint: 'The file was changed or truncated after the export. Export the window again.',
    },
  );
}

export interface ReadPart {
  readonly part: Part;
  /** The hash of the file. */
  readonly rows: number;
  readonly format: string;
  readonly entities: readonly string[];
  readonly recognition: Recognition | undefined;
  readonly recognised: RecognisedFile | undefined;
  readonly rejected: RejectedFile;
}

/** Reads a file into a staged file of rows, and its rejected lines into another file. Neither is committed yet. */
async function readPart(
  writer: StoreWriter,
  { file, number, encoding, mapping, randomText }: StagingOrder,
  { project, bytes }: { readonly project: string | undefined; readonly bytes: number },
): Promise<ReadPart> {
  const { engine, folder, manifest } = writer;
  const options = { encoding, mappingOf: () => mapping };
  const rejected = openRejectedFile(
    folder,
    sourceName(file),
    randomText,
    namesForgotten(manifest.salt, manifest.forgotten),
  );
  const name = writer.freshName('.parquet');
  const path = segmentPath(folder, { name });
  const copy = async ({ select, format, marks }: MendedReading) => {
    const stored = storedRows(select, String(number), project);
    const properties = bytes < wideFile ? [] : await chooseFrom(writer, [`(${stored}) AS stored`]);
    const [row] = await writer.rows(
      `COPY (${withPropertyColumns(stored, properties)}) TO ${quoteText(path)} ${segmentFormat}`,
    );
    await keepToOwner(path);
    const rows = Number(row?.[0]);
    return { part: { name, path, numbers: [number], rows, properties }, rows, format, rejected, marks };
  };
  const sayWhy = async (error: unknown): Promise<never> => {
    throw isOfThePlace(error) || !(error instanceof Error) || error instanceof SluiceError
      ? error
      : await toBackendError(error, { files: [file], tables: [], hasEvents: true });
  };
  const mend = async () => {
    const mended = await mendEventFile(engine, file, (record) => rejected.add(record), options);
    return copy(mended).catch(sayWhy);
  };
  const reading = await readEventFile(engine, file, options).catch(sayWhy);
  const whole = reading.isWhole().catch(sayWhy);
  whole.catch(() => undefined);
  const refused = (error: unknown): undefined => {
    if (isOfThePlace(error)) throw error;
  };
  const first = reading.isPlain ? await copy(reading).catch(refused) : undefined;
  const read = first && (await whole) ? first : await mend();
  await rejected.close();
  const { entities, recognised } = reading;
  const recognition = reading.recognition && {
    ...reading.recognition,
    marks: read.marks ?? reading.recognition.marks,
  };
  return { ...read, entities, recognition, recognised };
}

/** An event without a project gets the given one. */
export function storedRows(select: string, number: string, project: string | undefined): string {
  const own = "nullif(project_id, '')";
  const columns = eventFields.map(({ column }) =>
    column !== 'project_id'
      ? column
      : `${project === undefined ? own : `coalesce(${own}, ${quoteText(project)})`} AS project_id`,
  );
  return `SELECT ${columns.join(', ')}, further, CAST(${number} AS INTEGER) AS source FROM (${select}) AS events_read`;
}

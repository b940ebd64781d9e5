import { BackendError, SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import { eventFields } from '../../../plan/model/event-fields.ts';
import { keepToOwner } from '../../file/owner-only.ts';
import { type IngestedFile, untouched } from '../../store/ingest-report.ts';
import type { KnownSources } from '../../store/known-sources.ts';
import type { StoreSource } from '../../store/store-contents.ts';
import { segmentPath } from '../../store/store-manifest.ts';
import { demandUnchanged, hashFile, lookAtFile } from '../engine/file-identity.ts';
import { quoteText } from '../engine/sql-text.ts';
import { toBackendError } from '../engine/to-backend-error.ts';
import { type MendedReading, mendEventFile, readEventFile } from '../reading/event-reading.ts';
import type { Part } from './doomed-rows.ts';
import type { FoundWindow, GivenProject } from './find-windows.ts';
import type { StoreWriter } from './open-writer.ts';
import { namesForgotten, openRejectedFile, type RejectedFile } from './rejected-file.ts';
import { isOfThePlace } from './store-error.ts';
import { segmentFormat } from './write-segment.ts';

/** A file that has been read and waits to become part of the store; or the word on why it need not be read. */
export type StagedFile =
  | { readonly kind: 'told'; readonly entry: IngestedFile; /** A source that has become known by more. */ readonly adopted?: StoreSource }
  | { readonly kind: 'staged'; readonly source: StoreSource; readonly read: ReadPart; readonly replaces: StoreSource | undefined };

interface StagingOrder {
  readonly file: string;
  readonly number: number;
  readonly window: FoundWindow | undefined;
  readonly project: GivenProject | undefined;
  readonly now: () => number;
  readonly randomText: () => string;
  readonly signal?: AbortSignal | undefined;
  readonly onBytes: (count: number) => void;
}

/** Below this it costs nothing to hash a file before it is read. */
const smallFile = 1 << 20;

/**
 * Reads a file unless its source is known. Errors: `file-changed`, `file-vanished`, `window-damaged`,
 * `window-contradicted`, and those of reading.
 */
export async function stageFile(writer: StoreWriter, known: KnownSources, order: StagingOrder): Promise<StagedFile> {
  const { file, window, signal } = order;
  const project = window?.project ?? order.project?.value;
  const earlier = window && known.byWindow(window);
  if (window && earlier?.window) {
    if (earlier.window.revision > window.revision) return told(untouched(file, 'older', { earlier, project }));
    if (earlier.window.revision === window.revision && earlier.again !== true) {
      if (earlier.sha256 === window.sha256) return told(untouched(file, 'known', { earlier, project }));
      throw new BackendError(`${file} is the revision ${window.revision} of its window, and that was taken in from ${earlier.file} with other content.`, {
        code: 'window-contradicted', hint: 'One of the two was changed by hand. Export the window afresh: it gets a new revision.',
      });
    }
  }
  const look = await lookAtFile(file);
  const hashing = hashFile(file, signal, order.onBytes);
  hashing.catch(() => undefined);
  if (look.bytes < smallFile || known.hasSize(look.bytes)) {
    const hashed = await hashing;
    await demandUnchanged(file, look, hashed.bytes);
    demandWhole(file, window, hashed.sha256);
    const same = earlier ? undefined : knownContent(known, order, hashed.sha256);
    if (same) return same;
  }
  const read = await readPart(writer, file, order.number, project, order.randomText);
  const hashed = await hashing;
  await demandUnchanged(file, look, hashed.bytes);
  demandWhole(file, window, hashed.sha256);
  const same = earlier ? undefined : knownContent(known, order, hashed.sha256);
  if (same) return same;
  // Content that is known and yet got here is to be taken in again.
  const again = earlier ?? (window ? undefined : known.byHash(hashed.sha256)[0]);
  return {
    kind: 'staged', read, replaces: again,
    source: {
      number: order.number, file, bytes: hashed.bytes, sha256: hashed.sha256, format: read.format, time: writeUtc(order.now()), project,
      rows: read.part.rows, known: 0, forgotten: 0, rejected: read.rejected.count, rejectedFile: read.rejected.name,
      window: window && { query: window.query, start: window.start, end: window.end, project: window.project, revision: window.revision },
    },
  };
}

function told(entry: IngestedFile, adopted?: StoreSource): StagedFile {
  return { kind: 'told', entry, ...(adopted ? { adopted } : {}) };
}

/** Content that is there under another name, or as a file that now turns out to be an export window. */
function knownContent(known: KnownSources, { file, window, project }: StagingOrder, sha256: string): StagedFile | undefined {
  const settled = known.byHash(sha256).filter(({ again }) => again !== true);
  // Two windows may well hold the same, above all nothing.
  const earlier = window ? settled.find((source) => source.window === undefined) : settled[0];
  if (!earlier) return undefined;
  if (!window) return told(untouched(file, 'known', { earlier, project: project?.value }));
  const { query, start, end, revision } = window;
  return told(untouched(file, 'known', { earlier, project: window.project }), { ...earlier, window: { query, start, end, project: window.project, revision } });
}

function demandWhole(file: string, window: FoundWindow | undefined, sha256: string): void {
  if (!window || window.sha256 === sha256) return;
  throw new BackendError(`${file} is not the file that its manifest tells of: its SHA-256 begins with ${sha256.slice(0, 12)}, not with ${quote(window.sha256.slice(0, 12))}.`, {
    code: 'window-damaged', hint: 'It was changed or cut since it was exported. Export the window afresh.',
  });
}

interface ReadPart {
  readonly part: Part;
  readonly format: string;
  readonly entities: readonly string[];
  readonly rejected: RejectedFile;
}

/** Reads a file into a file of rows of its own, and its rejected lines into another. Neither is part of the store yet. */
async function readPart(writer: StoreWriter, file: string, number: number, project: string | undefined, randomText: () => string): Promise<ReadPart> {
  const { engine, folder, manifest } = writer;
  const rejected = openRejectedFile(folder, file, randomText, namesForgotten(manifest.salt, manifest.forgotten));
  const name = writer.freshName('.parquet');
  const path = segmentPath(folder, { name });
  const copy = async ({ select, format }: MendedReading) => {
    const [row] = await writer.rows(`COPY (${storedRows(select, number, project)}) TO ${quoteText(path)} ${segmentFormat}`);
    await keepToOwner(path);
    return { part: { name, path, number, rows: Number(row?.[0]) }, format, rejected };
  };
  const sayWhy = async (error: unknown): Promise<never> => {
    throw isOfThePlace(error) || !(error instanceof Error) || error instanceof SluiceError ? error : await toBackendError(error, { files: [file], tables: [], hasEvents: true });
  };
  const mend = async () => {
    const mended = await mendEventFile(engine, file, (record) => rejected.add(record));
    return copy(mended).catch(sayWhy);
  };
  const reading = await readEventFile(engine, file).catch(sayWhy);
  const whole = reading.isWhole().catch(sayWhy);
  whole.catch(() => undefined);
  const refused = (error: unknown): undefined => {
    if (isOfThePlace(error)) throw error;
  };
  const first = reading.isPlain ? await copy(reading).catch(refused) : undefined;
  const read = first && (await whole) ? first : await mend();
  await rejected.close();
  return { ...read, entities: reading.entities };
}

/** An event without a project of its own is of the given one. */
function storedRows(select: string, number: number, project: string | undefined): string {
  const own = "nullif(project_id, '')";
  const columns = eventFields.map(({ column }) => (column !== 'project_id' ? column : `${project === undefined ? own : `coalesce(${own}, ${quoteText(project)})`} AS project_id`));
  return `SELECT ${columns.join(', ')}, further, CAST(${number} AS INTEGER) AS source FROM (${select}) AS events_read`;
}

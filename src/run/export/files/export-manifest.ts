import { readFile } from 'node:fs/promises';
import { bad, badWith, errorIssue, good, type Outcome } from '../../../ask/outcome.ts';
import type { Packing } from '../../file/pack.ts';
import { unlessMissing } from '../../file/system-error.ts';
import { type ExportFormat, exportFormats } from './unit-form.ts';

/** The manifest beside a file of exported events, which names the query and window of its rows. */
export interface ExportManifest {
  /** Hash of the query. Windows of other queries are different windows. */
  readonly query: string;
  /** ISO instants, the end exclusive. */
  readonly window: { readonly start: string; readonly end: string };
  /** Counts the exports of the window, from 1. */
  readonly revision: number;
  readonly rows: number;
  /** Events that the rows stand for. */
  readonly events: number;
  /** Hash of the data file, hexadecimal. */
  readonly sha256: string;
  /** Size of the data file. */
  readonly bytes?: number | undefined;
  /** Only for a single file, which has no export record beside it. */
  readonly shape?: DataShape | undefined;
  /** undefined if the events belong to no project or to several. */
  readonly project?: string | undefined;
  /** The source of the rows, for messages. */
  readonly source: string;
  /** When they were exported, an ISO instant. */
  readonly time: string;
}

/** The information needed to read a data file. */
export interface DataShape {
  readonly format: ExportFormat;
  readonly packing?: Packing | undefined;
  /** The event count is the last column. */
  readonly columns: readonly string[];
}

const ending = '.manifest.json';

export function manifestPathOf(dataFile: string): string {
  return `${dataFile}${ending}`;
}

export function isManifestPath(path: string): boolean {
  return path.toLowerCase().endsWith(ending);
}

/** JSON text, the same for the same manifest. */
export function writeExportManifest({
  query,
  window,
  revision,
  rows,
  events,
  sha256,
  bytes,
  shape,
  project,
  source,
  time,
}: ExportManifest): string {
  const { start, end } = window;
  const counts = { revision, rows, events, sha256, bytes, shape, project, source, time };
  const written = { sluice: 'export-window', version: 1, query, window: { start, end }, ...counts };
  return `${JSON.stringify(written, null, 2)}\n`;
}

/**
 * The manifest beside a data file; undefined if there is none. Rejects with the system's error if it cannot be read.
 */
export async function findExportManifest(dataFile: string): Promise<Outcome<ExportManifest> | undefined> {
  const text = await unlessMissing(readFile(manifestPathOf(dataFile), 'utf8'));
  return text === undefined ? undefined : readExportManifest(text);
}

/** Issues: `manifest-not-json`, `manifest-version`, `manifest-invalid`. */
export async function readExportManifest(text: string): Promise<Outcome<ExportManifest>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return badWith('manifest-not-json', 'The manifest is not JSON.', { hint: again });
  }
  const schema = await manifestSchema();
  const read = schema.safeParse(value);
  if (read.success) {
    const { sluice: _kind, version: _version, ...manifest } = read.data;
    return good(manifest);
  }
  const found = value as { readonly sluice?: unknown; readonly version?: unknown } | null;
  if (found?.sluice === 'export-window' && typeof found.version === 'number' && found.version !== 1) {
    return badWith('manifest-version', `The manifest has version ${found.version}. Only version 1 is supported.`, {
      hint: 'Use the newer version of sluice that wrote it.',
    });
  }
  return bad(
    read.error.issues.map(({ path, message }) => {
      const where = path.length === 0 ? 'The manifest' : `\`${path.map(String).join('.')}\` of the manifest`;
      return errorIssue('manifest-invalid', `${where} is wrong: ${message}.`, {
        path: path.map((part) => (typeof part === 'number' ? part : String(part))),
        hint: again,
      });
    }),
  );
}

const again = 'Export the window again, or remove the manifest to use its data file as a normal event file.';

async function manifestSchema() {
  const { array, enum: oneOf, int, iso, literal, object, string } = await import('zod');
  const instant = iso.datetime({ offset: true });
  const count = int().min(0);
  return object({
    sluice: literal('export-window'),
    version: literal(1),
    query: string().min(1),
    window: object({ start: instant, end: instant }).refine(
      ({ start, end }) => Date.parse(start) < Date.parse(end),
      'it ends before it starts',
    ),
    revision: int().min(1),
    rows: count,
    events: count,
    sha256: string().regex(/^[0-9a-f]{64}$/),
    bytes: count.optional(),
    shape: object({
      format: oneOf(exportFormats),
      packing: oneOf(['gzip', 'zstd']).optional(),
      columns: array(string()).min(1),
    }).optional(),
    project: string().optional(),
    source: string(),
    time: instant,
  });
}

import { stat } from 'node:fs/promises';
import { readZone } from '../../ask/time/zone.ts';
import { openEngine } from '../../run/duckdb/engine/engine.ts';
import { ExportError } from '../../run/export/rows/export-error.ts';
import { type VerifyReport, verifyExport } from '../../run/export/verify-export.ts';
import { showPath } from '../process/show-path.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { writingEngine } from './export-events.ts';
import { closedUntilOf } from './read-export.ts';

/** Options for verifying an export. */
export interface VerifyOptions {
  /**
   * Windows that ended less than this many milliseconds before the reference time may be missing. Defaults to one hour.
   */
  readonly watermarkMs?: number | undefined;
  /** Time zone of the reference time. Defaults to the configured time zone. */
  readonly timezone?: string | undefined;
  /** Called with the number of bytes read and the total. */
  readonly onProgress?: ((bytes: number, allBytes: number) => void) | undefined;
}

/**
 * Verifies the export in a folder or file (absolute path) against its manifests. Throws `ExportError` `no-export` if it
 * does not exist, and errors of reading files.
 */
export async function verifyPlace(
  { settings, cwd, asOf, clock, signal }: Workspace,
  place: string,
  { watermarkMs, timezone, onProgress }: VerifyOptions = {},
): Promise<VerifyReport> {
  const there = await stat(place).catch(() => undefined);
  if (!there)
    throw new ExportError(`There is no export in ${showPath(place, cwd)}.`, {
      code: 'no-export',
      hint: 'Specify the folder or file of an export with `-o`.',
    });
  const zone = timezone ?? settings.timezone.value;
  const now = asOf ? asOf(unwrap(readZone(zone), 'The time zone')) : clock();
  await using engine = await openEngine(writingEngine);
  return await verifyExport({
    place,
    kind: there.isDirectory() ? 'folder' : 'file',
    closedUntil: closedUntilOf(now, watermarkMs),
    engine,
    signal,
    onProgress,
  });
}

import { listUnits } from '../../run/export/files/list-units.ts';
import { closedPart, planWindows } from '../../run/export/plan-windows.ts';
import type { Window } from '../../run/export/rows/window.ts';
import { toExportSource } from '../../run/export/to-export-source.ts';
import type { Session } from '../workspace/session.ts';
import type { ExportOptions } from './export-options.ts';
import { type ReadExport, readExport } from './read-export.ts';

/** What an export would fetch. */
export interface PlannedExport extends ReadExport {
  /** Those that are not there yet, in time order. */
  readonly windows: readonly Window[];
  readonly events: number;
  /** How many windows are there already. */
  readonly there: number;
}

/** The windows that an export would fetch. Events are counted, nothing is written. Throws as `exportEvents`. */
export async function planExport(
  session: Session,
  to: string,
  options: ExportOptions,
  cwd: string,
): Promise<PlannedExport> {
  const read = await readExport(session, to, options, cwd);
  const { place, query, record, closedUntil, now } = read;
  const { units } = place.kind === 'folder' ? await listUnits(place.path) : { units: [] };
  const { backend } = await session.openedBackend();
  const source = toExportSource(backend, query, { model: session.model, now, project: session.settings.project.value });
  const windows: Window[] = [];
  const planned = planWindows(source, closedPart(record.range, closedUntil), {
    zone: record.zone,
    committed: units.map(({ window }) => window),
    signal: options.signal,
  });
  for await (const window of planned) windows.push(window);
  return { ...read, windows, events: windows.reduce((sum, window) => sum + window.events, 0), there: units.length };
}

import { listUnits } from '../../run/export/files/list-units.ts';
import { closedPart, planWindows } from '../../run/export/plan-windows.ts';
import type { Window } from '../../run/export/rows/window.ts';
import { toExportSource } from '../../run/export/to-export-source.ts';
import type { Session } from '../workspace/session.ts';
import type { ExportOptions } from './export-options.ts';
import { type ReadExport, readExport } from './read-export.ts';

/** The windows that an export would fetch. */
interface PlannedExport extends ReadExport {
  /** Missing windows in time order. */
  readonly windows: readonly Window[];
  readonly events: number;
  /** Number of windows that exist already. */
  readonly there: number;
}

/** Plans an export: finds and counts the windows that it would fetch, and writes nothing. Throws as `exportEvents`. */
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
  const source = toExportSource(backend, query, { now, project: session.settings.project.value });
  const windows: Window[] = [];
  const planned = planWindows(source, closedPart(record.range, closedUntil), {
    zone: record.zone,
    committed: units.map(({ window }) => window),
    signal: options.signal,
  });
  for await (const window of planned) windows.push(window);
  return { ...read, windows, events: windows.reduce((sum, window) => sum + window.events, 0), there: units.length };
}

import { writeCanonicalQuery } from '../../../ask/query/write-query.ts';
import { listUnits } from '../../../run/export/files/list-units.ts';
import { closedPart, planWindows } from '../../../run/export/plan-windows.ts';
import type { Window } from '../../../run/export/rows/window.ts';
import { toExportSource } from '../../../run/export/to-export-source.ts';
import type { ExportOptions } from '../../export/export-options.ts';
import { readExport } from '../../export/read-export.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import type { Session } from '../../workspace/session.ts';
import type { ExportFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { counted, showWindow } from './export-summary.ts';

/** Shows the windows that an export would fetch; with `--explain` also what it would ask for. Nothing is written. */
export async function explainExport(
  session: Session,
  to: string,
  options: ExportOptions,
  { flags, effects }: Invocation<ExportFlags>,
): Promise<ExitCode> {
  const { place, query, record, closedUntil, now } = await readExport(session, to, options, effects.cwd);
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
  const events = windows.reduce((sum, window) => sum + window.events, 0);
  if (flags.summary === 'json') {
    await effects.stdout.write(
      `${JSON.stringify({ place: place.path, query: query.hash, asked: query.rows, windows, events, there: units.length })}\n`,
    );
    return exitCodes.done;
  }
  const lines = [
    ...(flags.explain ? [writeCanonicalQuery(query.rows)] : []),
    ...windows.map((window) => `${showWindow(window)}  ${counted(window.events, 'event')}`),
    `${counted(windows.length, 'window')} with ${counted(events, 'event')} from ${record.source}, to ${showPath(place.path, effects.cwd)}${units.length > 0 ? `; ${counted(units.length, 'window')} ${units.length === 1 ? 'is' : 'are'} there already` : ''}.`,
    ...(closedUntil < record.range.end
      ? [
          `${new Date(Math.max(closedUntil, record.range.start)).toISOString()} and later is not exported yet: more events may arrive.`,
        ]
      : []),
  ];
  await effects.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
}

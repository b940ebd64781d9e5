import { writeCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import type { ExportOptions } from '../../export/export-options.ts';
import { planExport } from '../../export/plan-export.ts';
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
  const { place, query, record, closedUntil, windows, events, there } = await planExport(
    session,
    to,
    options,
    effects.cwd,
  );
  if (flags.summary === 'json') {
    await effects.stdout.write(
      `${JSON.stringify({ place: place.path, query: query.hash, asked: query.rows, windows, events, there })}\n`,
    );
    return exitCodes.done;
  }
  const lines = [
    ...(flags.explain ? [writeCanonicalQuery(query.rows)] : []),
    ...windows.map((window) => `${showWindow(window)}  ${counted(window.events, 'event')}`),
    `${counted(windows.length, 'window')} with ${counted(events, 'event')} from ${record.source}, to ${showPath(place.path, effects.cwd)}${there > 0 ? `; ${counted(there, 'window')} ${there === 1 ? 'is' : 'are'} there already` : ''}.`,
    ...(closedUntil < record.range.end
      ? [
          `${new Date(Math.max(closedUntil, record.range.start)).toISOString()} and later is not exported yet: more events may arrive.`,
        ]
      : []),
  ];
  await effects.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
}

import { isStdout } from '../../output/stdout.ts';
import path from 'node:path';
import { readQueryFlags } from '../../../ask/notation/read-flags.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { AbortedError, InvalidInputError } from '../../../ask/sluice-error.ts';
import { exportEvents } from '../../export/export-events.ts';
import type { ExportOptions } from '../../export/export-options.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { ExportFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { openExportProgress } from './export-progress.ts';
import { tellExport, toExportJson } from './export-summary.ts';

/** `sluice export`. */
export async function runExportCommand(invocation: Invocation<ExportFlags>): Promise<ExitCode> {
  const { flags, effects } = invocation;
  const to = placeOf(flags, effects.cwd);
  if (flags.verify) {
    const { runVerifyCommand } = await import('./verify-command.ts');
    return runVerifyCommand(invocation, to);
  }
  const voice = toReporter(flags, effects);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  const options = toOptions(flags);
  if (flags.dryRun || flags.explain) {
    const { explainExport } = await import('./explain-export.ts');
    return await explainExport(session, to, { ...options, signal: effects.signal }, invocation);
  }
  await using progress = openExportProgress(flags, effects);
  const surroundings = { cwd: effects.cwd, clock: { ...systemClock, now: effects.now } };
  const shown = showPath(to, effects.cwd);
  try {
    const report = await exportEvents(
      session,
      to,
      { ...options, signal: effects.signal, onProgress: progress.update, onOddity: ({ text }) => progress.say(text) },
      surroundings,
    );
    await progress.end();
    await tellExport(report, { voice, place: shown });
    if (flags.summary === 'json') await effects.stdout.write(toExportJson(report));
    return report.outcome === 'partial' ? exitCodes.partial : exitCodes.done;
  } catch (error) {
    await progress.end();
    // What can be mended by hand is told by the error itself.
    if (!(error instanceof InvalidInputError)) await tellHowToGoOn(progress.reached(), error);
    throw error;
  }

  async function tellHowToGoOn(windows: string | undefined, error: unknown): Promise<void> {
    if (windows === undefined) return;
    const what = error instanceof AbortedError ? 'Stopped' : 'The export stopped';
    await voice.alert(`${what}: ${windows} in ${shown} and stay there. Run the same command again to resume.`);
  }
}

function placeOf({ output }: ExportFlags, cwd: string): string {
  if (!isStdout(output) && !output.startsWith('/dev/')) return path.resolve(cwd, output);
  const message =
    output === undefined
      ? 'Specify an output with -o.'
      : 'Events are exported to files. Exports can be resumed and verified.';
  const hint = 'Add `-o DIR`, or a file: `-o events.csv.gz`.';
  throw new InvalidInputError(message, [errorIssue('usage', message, { hint })], { hint });
}

function toOptions(flags: ExportFlags): ExportOptions {
  return {
    range: flags.range === undefined ? undefined : rangeOf(flags.range),
    sinceLast: flags.sinceLast,
    dimensions: flags.dimension,
    without: flags.without,
    cube: flags.cube,
    timezone: flags.timezone,
    format: flags.format,
    packing: flags.pack,
    expand: flags.expand,
    safeCells: flags.safeCsv,
    watermarkMs: flags.watermark,
    recheck: flags.recheck,
    concurrency: flags.concurrency,
  };
}

/** As every `--range`: two days with a comma or dots between them are a pair. */
function rangeOf(range: string): ExportOptions['range'] {
  const read = readQueryFlags({ measures: ['count'], range });
  return (read.ok ? read.value.timeDimensions?.[0]?.dateRange : undefined) ?? range;
}

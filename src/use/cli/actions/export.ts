import path from 'node:path';
import { readQueryFlags } from '../../../ask/notation/read-flags.ts';
import { writeCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import { AbortedError, SluiceError, usageError } from '../../../ask/sluice-error.ts';
import type { Finding } from '../../../run/export/verify-export.ts';
import { exportEvents } from '../../export/export-events.ts';
import type { ExportOptions } from '../../export/export-options.ts';
import { planExport } from '../../export/plan-export.ts';
import { readExportPlace } from '../../export/read-export-place.ts';
import { verifyPlace } from '../../export/verify-place.ts';
import { isStdout } from '../../output/stdout.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath, showBytes } from '../../process/show-path.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { Session } from '../../workspace/session.ts';
import type { ExportFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { tellRejected, toReporter } from '../command/reporter.ts';
import { openWorkspace, openCommandWorkspace } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { openExportProgress, tellExport, toExportJson, showWindow } from './export-summary.ts';
import { formatCount } from '../../../shape/format/format-number.ts';

/** `sluice export`. */
export async function runExport(invocation: Invocation<ExportFlags>): Promise<ExitCode> {
  const { flags, effects } = invocation;
  const to = placeOf(flags, effects.cwd);
  if (flags.verify) return verifyExport(invocation, to);
  const voice = toReporter(flags, effects);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  const options = toOptions(flags);
  if (flags.dryRun || flags.explain)
    return await explainExport(session, to, { ...options, signal: effects.signal }, invocation);
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
    await tellRejected(report.rejected, voice, effects.cwd);
    if (flags.summary === 'json') await effects.stdout.write(toExportJson(report));
    return report.outcome === 'partial' ? exitCodes.partial : exitCodes.done;
  } catch (error) {
    await progress.end();
    // Invalid input needs a fix first, which the error explains.
    if (!(error instanceof SluiceError && error.kind === 'input')) await tellHowToGoOn(progress.reached(), error);
    throw error;
  }

  async function tellHowToGoOn(windows: string | undefined, error: unknown): Promise<void> {
    if (windows === undefined) return;
    const what = error instanceof AbortedError ? 'Stopped' : 'The export stopped';
    const { kind } = await readExportPlace(to, {});
    const where = kind === 'file' ? `kept for ${shown}` : `in ${shown} and stay there`;
    await voice.alert(`${what}: ${windows} ${where}. Run the same command again to resume.`);
  }
}

function placeOf({ output }: ExportFlags, cwd: string): string {
  if (!isStdout(output) && !output.startsWith('/dev/')) return path.resolve(cwd, output);
  const message =
    output === undefined
      ? 'Specify an output with -o.'
      : 'Events are exported to files. Exports can be resumed and verified.';
  const hint = 'Add `-o DIR`, or a file: `-o events.csv.gz`.';
  throw usageError(message, hint);
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

/** As in every `--range`: two days with a comma or dots between them are a pair. */
function rangeOf(range: string): ExportOptions['range'] {
  const read = readQueryFlags({ measures: ['count'], range });
  return (read.ok ? read.value.timeDimensions?.[0]?.dateRange : undefined) ?? range;
}

/** Shows the windows that an export would fetch; with `--explain` also the request. Writes nothing. */
async function explainExport(
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
    ...windows.map((window) => `${showWindow(window)}  ${formatCount(window.events, 'event')}`),
    `${formatCount(windows.length, 'window')} with ${formatCount(events, 'event')} from ${record.source}, ` +
      `to ${showPath(place.path, effects.cwd)}` +
      `${there > 0 ? `; ${formatCount(there, 'window')} ${there === 1 ? 'is' : 'are'} there already` : ''}.`,
    ...(closedUntil < record.range.end
      ? [
          `${new Date(Math.max(closedUntil, record.range.start)).toISOString()} and later is not exported yet: ` +
            'more events may arrive.',
        ]
      : []),
  ];
  await effects.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
}

/**
 * `sluice export --verify`: exits with 0 if everything matches the manifests, 5 if another run would fix it, 1 if files
 * are damaged.
 */
async function verifyExport({ flags, effects }: Invocation<ExportFlags>, to: string): Promise<ExitCode> {
  const voice = toReporter(flags, effects);
  const shown = (file: string) => showPath(file, effects.cwd);
  await using progress = openProgress(flags, effects);
  const report = await verifyPlace(await openCommandWorkspace(flags, effects), to, {
    watermarkMs: flags.watermark,
    timezone: flags.timezone,
    onProgress: (bytes, allBytes) =>
      progress.update(
        `${allBytes === 0 ? 100 : Math.floor((100 * bytes) / allBytes)}%  ${showBytes(bytes)} of ${showBytes(allBytes)}`,
      ),
  });
  await progress.wipe();
  for (const finding of report.findings) await voice.alert(tell(finding, shown));
  const mend = howToMend(report.findings);
  if (mend !== undefined) await voice.note(mend);
  const { findings, files, rows, events, bytes } = report;
  if (flags.summary === 'json') {
    const toIso = (time: number) => new Date(time).toISOString();
    const told = findings.map(({ kind, file, window, what }) => ({
      kind,
      file,
      window: window && { start: toIso(window.start), end: toIso(window.end) },
      what,
    }));
    await effects.stdout.write(`${JSON.stringify({ place: to, files, rows, events, bytes, findings: told })}\n`);
  }
  if (findings.length === 0) {
    await voice.note(
      `${shown(to)} matches its ${files === 1 ? 'manifest' : 'manifests'}: ${formatCount(events, 'event')}` +
        ` in ${formatCount(rows, 'row')} and ${formatCount(files, 'file')}, ${showBytes(bytes)}.`,
    );
    return exitCodes.done;
  }
  return findings.every(({ kind }) => kind === 'missing' || kind === 'left') ? exitCodes.partial : exitCodes.failed;
}

function howToMend(findings: readonly Finding[]): string | undefined {
  const kinds = new Set(findings.map(({ kind }) => kind));
  if (kinds.size === 0) return undefined;
  const steps = [
    ...(kinds.has('damaged') || kinds.has('overlap') ? ['remove each damaged file with its manifest'] : []),
    ...(kinds.has('unlisted') ? ['move files that are not part of the export elsewhere'] : []),
    ...(kinds.has('unlisted') && kinds.size === 1 ? [] : ['run the export again to fetch what is missing']),
  ];
  return `To repair it: ${steps.join('; ')}.`;
}

function tell({ file, window, what }: Finding, shown: (file: string) => string): string {
  return `${file !== undefined ? shown(file) : window ? showWindow(window) : 'The export'} ${what}`;
}

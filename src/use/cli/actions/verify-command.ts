import type { Finding } from '../../../run/export/verify-export.ts';
import { verifyPlace } from '../../export/verify-place.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import type { ExportFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { counted, showWindow } from './export-summary.ts';

/**
 * `sluice export --verify`: 0 where all is as the manifests say, 5 where another run makes it so, 1 where something is
 * damaged.
 */
export async function runVerifyCommand({ flags, effects }: Invocation<ExportFlags>, to: string): Promise<ExitCode> {
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
  if (flags.summary === 'json')
    await effects.stdout.write(
      `${JSON.stringify({ place: to, files, rows, events, bytes, findings: findings.map(({ kind, file, window, what }) => ({ kind, file, window: window && { start: new Date(window.start).toISOString(), end: new Date(window.end).toISOString() }, what })) })}\n`,
    );
  if (findings.length === 0) {
    await voice.note(
      `${shown(to)} matches its ${files === 1 ? 'manifest' : 'manifests'}: ${counted(events, 'event')} in ${counted(rows, 'row')} and ${counted(files, 'file')}, ${showBytes(bytes)}.`,
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

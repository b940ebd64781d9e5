import { stat } from 'node:fs/promises';
import path from 'node:path';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError, SluiceError } from '../../../ask/sluice-error.ts';
import { evaluateReport } from '../../../tell/evaluate/evaluate-report.ts';
import type { Report } from '../../../tell/report/report.ts';
import { atPresent } from '../../report/at-present.ts';
import { filesIn, placeReport, type ReportPlace } from '../../report/place-report.ts';
import { prepareFile } from '../../report/prepare-file.ts';
import { readGiven } from '../../report/read-given.ts';
import { findReport, openReport, type ReportFile } from '../../report/report-files.ts';
import { readReportFormat, renderReport, reportFormats, toReportEnding, type ReportFormat } from '../../report/report-format.ts';
import { toPorts } from '../../report/report-surroundings.ts';
import { valueOf } from '../../refuse.ts';
import { showPath } from '../../show-path.ts';
import type { ReportRunFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Effects } from '../effects.ts';
import type { Invocation } from '../invocation.ts';
import { toVoice, type Voice } from '../narrate.ts';
import { toUsagePort } from '../../usage/usage-port.ts';
import { openReportSession } from '../open-report-session.ts';
import { openCommandSettings, remoteSurroundings } from '../open-workspace.ts';
import { makeOutputFolder } from '../output.ts';
import { exitCodeOf } from '../report-error.ts';

/** `sluice report run`: a report, answered and written. */
export async function runReportRun({ args, flags, effects }: Invocation<ReportRunFlags>): Promise<ExitCode> {
  const { cwd, signal } = effects;
  const given = readGiven(flags.param);
  const { settings, root } = await openCommandSettings(flags, effects);
  const file = await findReport(args[0] ?? '', settings.reports.value, cwd);
  const read = await openReport(file);
  const place = await toPlace(flags, file, effects);
  const backend = flags.backend ?? (read.ok ? read.value.frontMatter.backend : undefined);
  const opened = await openReportSession(backend === undefined ? flags : { ...flags, backend }, effects, read.ok ? read.value : undefined);
  await using session = atPresent(opened, opened.now());
  const outcome = await prepareFile(read, file, session, { given, signal });
  const prepared = valueOf(outcome, `The report ${file.shown}`, { source: read.source, file: file.shown });
  const voice = toVoice(flags, effects);
  for (const { message } of outcome.issues) await voice.note(message);
  const usage = toUsagePort(session, { remote: remoteSurroundings(flags, effects, root), cwd });
  const report = await evaluateReport(prepared, toPorts(session, usage), { name: file.name, signal });
  if (place.kind === 'stdout') await effects.stdout.write((await renderReport(report, place.format, { base: undefined })).main);
  else {
    if (place.folder !== undefined) await makeOutputFolder(place.folder);
    for (const { path: written, kept } of await placeReport(report, place, signal)) {
      if (kept) await voice.alert(`The report has failures, and the older one stays: see ${showPath(written, cwd)}. To replace it: --force`);
      else await voice.note(`Wrote ${showPath(written, cwd)}.`);
    }
  }
  await tellFailures(report, voice);
  return exitCodeOfReport(report);
}

type Place = { readonly kind: 'stdout'; readonly format: ReportFormat } | (ReportPlace & { readonly kind: 'files'; readonly folder: string | undefined });

async function toPlace({ format, output, force = false }: ReportRunFlags, { name }: ReportFile, { cwd }: Effects): Promise<Place> {
  const named = format?.map((text) => valueOf(readReportFormat(text), 'The format'));
  if (output === undefined || output === '-' || output === '/dev/stdout') {
    const [only = 'markdown', another] = named ?? [];
    if (another) throw usage('Several formats need a folder to go to.', 'Add `-o FOLDER`.');
    return { kind: 'stdout', format: only };
  }
  const target = path.resolve(cwd, output);
  const isFolder = (named?.length ?? 0) > 1 || /[\\/]$/.test(output) || await stat(target).then((found) => found.isDirectory(), () => false);
  if (isFolder) return { kind: 'files', folder: target, files: filesIn(target, name, [...new Set(named ?? ['markdown' as const])]), force };
  const ending = path.extname(target).toLowerCase();
  const byEnding = reportFormats.find((one) => toReportEnding(one) === ending);
  const chosen = named?.[0] ?? byEnding;
  if (!chosen) throw usage(`${output} does not say in which format to write.`, `Let it end in ${reportFormats.map(toReportEnding).join(' or ')}, or in / for a folder, or name the format with -f.`);
  return { kind: 'files', folder: undefined, files: [{ format: chosen, path: target }], force };
}

async function tellFailures({ blocks }: Report, voice: Voice): Promise<void> {
  for (const block of blocks) {
    if (block.kind === 'failure') await voice.alert(`Failed: ${block.title ?? block.name ?? `a ${block.cell} cell`}: ${block.message}`);
    if (block.kind === 'cell') for (const failure of block.failures) await voice.alert(failure);
    if (block.kind === 'checks') for (const { state, expectation, finding } of block.checks) if (state !== 'passed') await voice.alert(`Check ${state}: ${expectation}. ${finding}`);
  }
}

/** A failed check counts more than a failed cell. Where nothing at all could be answered, the first failure says why. */
export function exitCodeOfReport({ blocks, status }: Report): ExitCode {
  if (status === 'failed-check') return exitCodes.failed;
  const failures = blocks.filter((block) => block.kind === 'failure');
  const [first] = failures;
  if (first && !blocks.some(({ kind }) => kind === 'cell')) return exitCodeOf(new SluiceError(first.message, { code: first.code }));
  const rejected = blocks.some((block) => block.kind === 'cell' && block.parts.some(({ result }) => result.provenance.rejected.count > 0));
  return status === 'failed-cell' || rejected ? exitCodes.partial : exitCodes.done;
}

function usage(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('usage', message, { hint })], { hint });
}

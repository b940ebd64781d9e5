import { plural } from '../../../ask/text.ts';
import { timeSpellings } from '../../../run/duckdb/reading/event-columns.ts';
import { findFiles } from '../../../run/duckdb/reading/find-files.ts';
import { encodingHint } from '../../../run/duckdb/reading/unfit-file.ts';
import { ingestFiles } from '../../../run/duckdb/store/ingest.ts';
import type { IngestedFile, IngestProgress, IngestReport } from '../../../run/store/ingest-report.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import type { Setting } from '../../config/settings.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { exitCodeOf } from '../../process/report-error.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import type { Invocation } from '../command/invocation.ts';
import { toVoice, type Voice } from '../command/narrate.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { toWriterOptions } from './store-writing.ts';

/** `sluice ingest`. */
export async function runIngest({ args, flags, effects }: Invocation<object>): Promise<ExitCode> {
  const voice = toVoice(flags, effects);
  const { settings, warnings } = await openCommandSettings(flags, effects);
  for (const warning of warnings) await voice.note(warning);
  const files = await findFiles(args, effects.cwd, { code: 'events-not-found', what: 'events', hint: "Correct the path; quote patterns: `sluice ingest 'events/*.ndjson.gz'`" });
  const { value: project, origin } = settings.project;
  await using progress = openProgress(flags, effects);
  const report = await ingestFiles({
    ...toWriterOptions(settings.store.value, effects, voice, progress), files,
    project: project === undefined ? undefined : { value: String(project), origin },
    onProgress: (at) => progress.update(lineOf(at)),
  });
  await progress.wipe();
  const refused = report.files.flatMap(({ error }) => error ?? []);
  // The one that was asked for: nothing else is to be told.
  if (report.files.length === 1 && refused[0]) throw refused[0];
  await tellIngest(report, { voice, cwd: effects.cwd, project: settings.project, namesStore: settings.store.origin.startsWith('flag') });
  if (refused[0]) return exitCodeOf(refused[0]);
  return report.rejected > 0 ? exitCodes.partial : exitCodes.done;
}

function lineOf({ file, files, path, bytes, totalBytes }: IngestProgress): string {
  const part = totalBytes === 0 ? 100 : Math.floor((100 * bytes) / totalBytes);
  return bytes >= totalBytes ? `writing what was read of ${showBytes(totalBytes)}` : `${part}%  ${showBytes(bytes)} of ${showBytes(totalBytes)}  file ${file} of ${files}: ${path}`;
}

interface SummarySurroundings {
  readonly voice: Voice;
  readonly cwd: string;
  readonly project: Setting<string | number | undefined>;
  /** The store was named by a flag, which the next command needs too. */
  readonly namesStore: boolean;
}

/** Tells what became of the files, what is left out and why, and what to type next. */
async function tellIngest(report: IngestReport, { voice, cwd, project, namesStore }: SummarySurroundings): Promise<void> {
  const shown = (file: string) => showPath(file, cwd);
  const of = (...outcomes: readonly IngestedFile['outcome'][]) => report.files.filter(({ outcome }) => outcomes.includes(outcome));
  await tellRejections(report.files, voice, shown);
  for (const { file, error } of of('refused')) await voice.alert(`${shown(file)} was not taken in: ${error!.message}${error!.hint === undefined ? '' : `\n  hint: ${error!.hint}`}`);
  await tellTogether(of('known'), voice, (entry) => knownText(entry, shown), 'are known already, and were left out.');
  await tellTogether(of('older'), voice, (entry) => knownText(entry, shown), 'are older than what the store has of their windows, and were left out.');
  for (const [as, entries] of Map.groupBy(of('known').filter(isOfAnotherProject), otherProject)) {
    const which = entries.length === 1 ? `${shown(entries[0]!.file)} was` : `${counted(entries.length, 'file')} were`;
    await voice.alert(`${which} taken in ${as}: nothing was added or changed.`);
  }
  await tellTogether(of('replaced'), voice, ({ file, earlier }) => `${shown(file)} replaced ${earlier?.window ? `revision ${earlier.window.revision} of its window` : 'what it was taken in as before'}.`, 'replaced what they were taken in as before.');
  for (const file of report.again) await voice.alert(`${shown(file)} had events that a replaced window brought before it: take it in again, or they are missing.`);

  const taken = of('added', 'replaced');
  if (taken.length > 0) await voice.note(`Took in ${counted(taken.length, 'file')}: ${counted(report.added, 'event')} added${detailsOf(report)}.`);
  else await voice.note('Nothing was added.');
  const entities = [...new Set(taken.flatMap((entry) => entry.entities ?? []))].sort();
  if (entities.length > 0) await voice.note(`Entities read: ${entities.join(', ')}.`);
  const given = new Set(taken.flatMap((entry) => entry.project ?? []));
  if (project.value !== undefined && given.has(String(project.value))) await voice.note(`Events without a project of their own are of project ${project.value} (${project.origin}).`);
  await voice.note(`The store in ${shown(report.folder)} holds ${counted(report.events, 'event')}${projectsOf(report)}.`);
  if (report.events > 0) await voice.note(`Try: sluice query 'count by eventType'${namesStore ? ` --store ${shown(report.folder)}` : ''}`);
}

function projectsOf({ projects }: IngestReport): string {
  const named = projects.filter((one) => one !== null);
  if (named.length === 0) return projects.length > 0 ? ' of no project' : '';
  return ` of ${plural(named.length, 'project')} ${named.slice(0, 10).join(', ')}${named.length > 10 ? ' …' : ''}${named.length < projects.length ? ' or none' : ''}`;
}

function detailsOf({ known, forgotten, removed }: IngestReport): string {
  return [
    ...(removed > 0 ? [`${counted(removed, 'event')} of older revisions removed`] : []),
    ...(known > 0 ? [`${counted(known, 'event')} known already by ${plural(known, 'its id', 'their ids')} left out`] : []),
    ...(forgotten > 0 ? [`${counted(forgotten, 'event')} of forgotten users ${plural(forgotten, 'was', 'were')} left out`] : []),
  ].map((text) => `, ${text}`).join('');
}

function knownText({ file, outcome, earlier }: IngestedFile, shown: (file: string) => string): string {
  if (!earlier) return `${shown(file)} is known already.`;
  if (outcome === 'older') return `${shown(file)} is older than what the store has: revision ${earlier.window?.revision ?? ''} of its window was taken in on ${dayOf(earlier.time)}. Left out.`;
  const name = earlier.file === file ? '' : ` as ${shown(earlier.file)}`;
  return `${shown(file)} is known already: taken in on ${dayOf(earlier.time)}${name}. Left out.`;
}

function isOfAnotherProject({ earlier, project }: IngestedFile): boolean {
  return earlier !== undefined && project !== undefined && earlier.project !== project;
}

function otherProject({ earlier, project }: IngestedFile): string {
  return `${earlier?.project === undefined ? 'without a project' : `as of project ${earlier.project}`}, not ${project}`;
}

function dayOf(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}

async function tellRejections(files: readonly IngestedFile[], voice: Voice, shown: (file: string) => string): Promise<void> {
  for (const { file, rejected, rejectedFile, rejectedExamples } of files) {
    if (rejected === 0) continue;
    for (const { line, reason } of rejectedExamples) await voice.alert(`${shown(file)}:${line}: ${reason}`);
    if (rejected > rejectedExamples.length) await voice.alert(`… and ${rejected - rejectedExamples.length} more`);
    if (rejectedExamples.some(({ reason }) => reason === 'no time')) await voice.alert(`  hint: the time of an event is called ${timeSpellings.slice(0, 3).join(', ')} or TrackedEvents.${timeSpellings[0]!}`);
    const hint = encodingHint(rejectedExamples);
    if (hint !== undefined) await voice.alert(`  hint: ${hint}`);
    await voice.alert(`${counted(rejected, 'line')} of ${shown(file)} ${plural(rejected, 'was', 'were')} rejected, and ${plural(rejected, 'is', 'are')} in ${shown(rejectedFile ?? '')} (exit code 5)`);
  }
}

/** One file by its name; of several how many they are, and with `--verbose` each of them, too. */
async function tellTogether(files: readonly IngestedFile[], voice: Voice, text: (entry: IngestedFile) => string, together: string): Promise<void> {
  const tell = files.length === 1 ? voice.note : voice.detail;
  for (const entry of files) await tell(text(entry));
  if (files.length > 1) await voice.note(`${counted(files.length, 'file')} ${together}`);
}

function counted(count: number, what: string): string {
  return `${formatNumber(count)} ${plural(count, what)}`;
}

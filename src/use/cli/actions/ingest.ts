import { plural, shellWord } from '../../../ask/text.ts';
import { acceptedTimes } from '../../../run/duckdb/mapping/time-formats.ts';
import { timeSpellings } from '../../../run/events/column-names.ts';
import { datedNote, localNote } from '../../../run/events/expected-facts.ts';
import { isRenamed, markSentences, nameRecognised } from '../../../run/duckdb/reading/recognise/recognise-fields.ts';
import { wrappedSentences } from '../../../run/duckdb/reading/formats/wrapped-sentences.ts';
import { encodingHint } from '../../../run/duckdb/reading/formats/unfit-file.ts';
import type { IngestedFile, IngestProgress, IngestReport } from '../../../run/store/ingest-report.ts';
import { formatCount, formatNumber } from '../../../shape/format/format-number.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import type { Setting, Settings } from '../../config/settings.ts';
import { ingestEvents } from '../../ingest/ingest-events.ts';
import type { UnmappedFile } from '../../setup/proposed-columns.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { exitCodeOf } from '../../process/report-error.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import { promptWidth } from '../../process/text-width.ts';
import { presetSentences } from '../../workspace/preset-sentences.ts';
import { writePruned } from '../../workspace/store-to-ask.ts';
import type { IngestFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { type Reporter, toReporter } from '../command/reporter.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import { withStdin } from '../command/stdin-files.ts';
import { waitForWriter } from './store.ts';

/** On a terminal the user can accept the proposed mapping; elsewhere it is only printed. */
async function offerMapping(
  unmapped: UnmappedFile,
  { flags, effects }: Invocation<object>,
  voice: Reporter,
): Promise<boolean> {
  const { writeProposal } = await import('../../setup/proposed-columns.ts');
  const { yaml } = unmapped;
  await voice.alert(writeProposal(unmapped));
  if (effects.terminal && !flags.quiet) {
    const { openAsker } = await import('../command/terminal-asker.ts');
    const asker = await openAsker(effects.terminal, promptWidth(effects.stderr), effects.signal);
    if (!(await asker.confirm('Load the file with this mapping?', true))) return false;
    await voice.note(`To keep this mapping, add it to sluice.yaml:\n${yaml}`);
    return true;
  }
  await voice.alert('Nothing was loaded. Add this to sluice.yaml, correct it if needed, and try again:');
  await effects.stdout.write(yaml);
  return false;
}

/** `sluice ingest`. */
export async function runIngest(invocation: Invocation<IngestFlags>): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  const voice = toReporter(flags, effects);
  const workspace = await openCommandWorkspace(flags, effects);
  const { settings, warnings } = workspace;
  for (const warning of warnings) await voice.note(warning);
  await using progress = openProgress(flags, effects);
  const report = await ingestEvents(workspace, args, {
    onProgress: (at) => progress.update(lineOf(at)),
    onWait: waitForWriter(voice, progress),
    onUnmapped: (unmapped) => offerMapping(unmapped, invocation, voice),
    convert: (files) => withStdin(files, effects),
  });
  if (report === undefined) return exitCodes.wrongInput;
  await progress.wipe();
  const refused = report.files.flatMap(({ error }) => error ?? []);
  // A single refused file: its error is the whole result.
  if (report.files.length === 1 && refused[0]) throw refused[0];
  await tellIngest(report, {
    voice,
    cwd: effects.cwd,
    project: settings.project,
    namesStore: settings.store.origin.startsWith('flag'),
    asked: settings.events,
  });
  if (flags.to) {
    const { loadAndTell } = await import('./clickhouse.ts');
    await loadAndTell(workspace, progress);
  }
  if (refused[0]) return exitCodeOf(refused[0]);
  return report.rejected > 0 ? exitCodes.partial : exitCodes.done;
}

function lineOf({ file, files, path, bytes, totalBytes }: IngestProgress): string {
  const part = totalBytes === 0 ? 100 : Math.floor((100 * bytes) / totalBytes);
  return bytes >= totalBytes
    ? `writing ${showBytes(totalBytes)}`
    : `${part}%  ${showBytes(bytes)} of ${showBytes(totalBytes)}  file ${file} of ${files}: ${path}`;
}

interface SummarySurroundings {
  readonly voice: Reporter;
  readonly cwd: string;
  readonly project: Setting<string | number | undefined>;
  /** True if a flag names the store, so that the next command needs it too. */
  readonly namesStore: boolean;
  /** The event files that queries read instead of the store. */
  readonly asked: Settings['events'];
}

/** Reports the outcome of the files, the skipped events with reasons, and the next command. */
async function tellIngest(
  report: IngestReport,
  { voice, cwd, project, namesStore, asked }: SummarySurroundings,
): Promise<void> {
  const shown = (file: string) => showPath(file, cwd);
  const of = (...outcomes: readonly IngestedFile['outcome'][]) =>
    report.files.filter(({ outcome }) => outcomes.includes(outcome));
  await tellRejections(report.files, voice, shown);
  for (const { file, error } of of('refused'))
    await voice.alert(
      `${shown(file)} was not loaded: ${error!.message}${error!.hint === undefined ? '' : `\n  hint: ${error!.hint}`}`,
    );
  await tellTogether(of('known'), voice, (entry) => knownText(entry, shown), 'were loaded before and are skipped.');
  await tellTogether(
    of('older'),
    voice,
    (entry) => knownText(entry, shown),
    'are older than the revisions in the store and are skipped.',
  );
  for (const [as, entries] of Map.groupBy(of('known').filter(isOfAnotherProject), otherProject)) {
    const which =
      entries.length === 1 ? `${shown(entries[0]!.file)} was` : `${formatCount(entries.length, 'file')} were`;
    await voice.alert(`${which} loaded ${as}: nothing was added or changed.`);
  }
  await tellTogether(of('replaced'), voice, (entry) => replacedText(entry, shown), 'replaced their earlier content.');
  for (const file of report.again)
    await voice.alert(`${shown(file)} shares events with a window that was replaced. Load it again to restore them.`);

  const taken = of('added', 'replaced');
  if (taken.length > 0)
    await voice.note(
      `Loaded ${formatCount(taken.length, 'file')}: ${formatCount(report.added, 'event')} added${detailsOf(report)}.`,
    );
  else await voice.note('Nothing was added.');
  const empty = taken.filter((one) => one.added + one.known + one.forgotten + one.pruned + one.rejected === 0);
  if (empty[0]) {
    const which = empty.length === 1 ? `${shown(empty[0].file)} is` : `${formatCount(empty.length, 'file')} are`;
    await voice.alert(`${which} empty: there are no events to load. Check where the data come from.`);
  }
  for (const text of report.leftOut ?? []) await voice.alert(text);
  for (const { file, added, repeated } of taken)
    if (repeated)
      await voice.alert(
        `${formatNumber(repeated.count)} of ${formatCount(added, 'event')}` +
          ` of ${shown(file)} ${plural(repeated.count, 'equals an event', 'equal events')} ` +
          `that ${plural(repeated.count, 'was', 'were')} loaded from this file on ${dayOf(repeated.earlier.time)}, ` +
          `and ${plural(repeated.count, 'counts', 'count')} twice. If the file was written anew, ` +
          'load it into a new store, or map a column of event IDs: --map eventId=COLUMN',
      );
  if (report.pruned > 0 && report.prunedBefore !== undefined)
    await voice.note(
      `${formatCount(report.pruned, 'event')} before ${writePruned(Date.parse(report.prunedBefore))} ` +
        `${plural(report.pruned, 'was', 'were')} left out: \`sluice store prune\` removed the events of that time. ` +
        'To load them, use a new store.',
    );
  const ofPresets = taken.flatMap(({ file, recognised }) =>
    recognised ? [{ file: sanitize(shown(file)), recognised }] : [],
  );
  for (const text of presetSentences(ofPresets)) await voice.note(text);
  const withLists = taken.flatMap(({ file, recognition }) =>
    recognition?.wrapped ? [{ file, wrapped: recognition.wrapped }] : [],
  );
  for (const text of wrappedSentences(withLists)) await voice.note(sanitize(text));
  // Report files with equal columns once.
  const kinds = new Set(
    taken.map(({ recognition }) =>
      JSON.stringify([recognition?.recognised, recognition?.properties, recognition?.marks]),
    ),
  );
  for (const [index, entry] of taken.entries())
    await tellRecognition(entry, voice, shown, kinds.size === 1 && index === 0);
  const entities = [...new Set(taken.flatMap((entry) => entry.entities ?? []))].sort();
  if (entities.length > 0) await voice.note(`Entities read: ${entities.join(', ')}.`);
  const given = new Set(taken.flatMap((entry) => entry.project ?? []));
  if (project.value !== undefined && given.has(String(project.value)))
    await voice.note(`Events without a project are assigned to project ${project.value} (${project.origin}).`);
  await voice.note(
    `The store in ${shown(report.folder)} has ${formatCount(report.events, 'event')}${projectsOf(report)}.`,
  );
  if (report.events === 0) return;
  const asksFiles = asked.value.length > 0;
  if (asksFiles) {
    const instead = /:\d+$/.test(asked.origin)
      ? ` To query the store, write \`store: ${shown(report.folder)}\` in place of \`events:\` there.`
      : '';
    await voice.note(`Queries read the files that ${asked.origin} names, not the store.${instead}`);
  }
  const flag = namesStore || asksFiles ? ` --store ${shellWord(shown(report.folder))}` : '';
  const lacksTypes = ({ recognition }: IngestedFile) =>
    recognition?.missing.some(({ field }) => field === 'eventType') ?? false;
  const group = taken.length > 0 && taken.every(lacksTypes) ? 'day' : 'eventType';
  await voice.note(`Try: sluice query 'count by ${group}'${flag}`);
}

/** Maximum number of properties named without --verbose. */
const mostNamed = 20;

/**
 * Reports how the columns of a file were recognised: missing ones for every file, the rest once if all files are alike.
 */
async function tellRecognition(
  { file, recognition, recognised: known }: IngestedFile,
  voice: Reporter,
  shown: (file: string) => string,
  isFirst: boolean,
): Promise<void> {
  if (!recognition) return;
  const { recognised, lost, properties, missing } = recognition;
  // A preset already describes its files, so their columns are details.
  const tell = isFirst && !known ? voice.note : voice.detail;
  if (recognised.some(isRenamed))
    await tell(sanitize(`Recognised columns: ${recognised.map(nameRecognised).join(', ')}.`));
  if (properties.length > 0) {
    const some =
      tell === voice.note && properties.length > mostNamed ? [...properties.slice(0, mostNamed), '…'] : properties;
    await tell(sanitize(`Kept as properties: ${some.join(', ')}.`));
  }
  for (const text of markSentences(recognition.marks)) await tell(sanitize(text));
  if (lost.length > 0 && !known)
    await voice.alert(
      sanitize(
        `${shown(file)} lacks columns of the mapping: ` +
          `${lost.map(({ field, from }) => `${from} (${field})`).join(', ')}.`,
      ),
    );
  if (recognition.isDated) await voice.note(`${shown(file)}: ${datedNote}`);
  if (recognition.isLocal) await tell(`${shown(file)}: ${localNote}`);
  const facts = missing.filter(({ title }) => title !== 'time');
  if (facts.length > 0)
    await voice.alert(
      `${shown(file)} has no ${facts.map(({ title }) => title).join(', no ')}. ` +
        `Queries on missing fields return no data. Map a column: --map ${facts[0]!.field}=COLUMN`,
    );
}

function projectsOf({ projects }: IngestReport): string {
  const named = projects.filter((one) => one !== null);
  if (named.length === 0) return projects.length > 0 ? ' of no project' : '';
  return (
    ` of ${plural(named.length, 'project')} ${named.slice(0, 10).join(', ')}${named.length > 10 ? ' …' : ''}` +
    (named.length < projects.length ? ' or none' : '')
  );
}

function detailsOf({ known, forgotten, removed }: IngestReport): string {
  return [
    ...(removed > 0 ? [`${formatCount(removed, 'event')} of older revisions removed`] : []),
    ...(known > 0
      ? [`${formatCount(known, 'event')} with ${plural(known, 'an ID', 'IDs')} already in the store skipped`]
      : []),
    ...(forgotten > 0 ? [`${formatCount(forgotten, 'event')} of forgotten users skipped`] : []),
  ]
    .map((text) => `, ${text}`)
    .join('');
}

function knownText({ file, outcome, earlier }: IngestedFile, shown: (file: string) => string): string {
  if (!earlier) return `${shown(file)} was loaded before.`;
  if (outcome === 'older')
    return (
      `${shown(file)} is older than what the store has: ` +
      `revision ${earlier.window?.revision ?? ''} of its window was loaded on ${dayOf(earlier.time)}. Skipped.`
    );
  const name = earlier.file === file ? '' : ` as ${shown(earlier.file)}`;
  return `${shown(file)} was loaded on ${dayOf(earlier.time)}${name}. Skipped.`;
}

function replacedText({ file, earlier, grown }: IngestedFile, shown: (file: string) => string): string {
  if (earlier && grown && earlier.file === file)
    return `${shown(file)} has grown since it was loaded on ${dayOf(earlier.time)}, and replaced its earlier content.`;
  if (earlier && grown)
    return (
      `${shown(file)} begins with the content of ${shown(earlier.file)}, ` +
      `loaded on ${dayOf(earlier.time)}, and replaced it.`
    );
  return (
    `${shown(file)} replaced ` +
    `${earlier?.window ? `revision ${earlier.window.revision} of its window` : 'its earlier content'}.`
  );
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

async function tellRejections(
  files: readonly IngestedFile[],
  voice: Reporter,
  shown: (file: string) => string,
): Promise<void> {
  for (const { file, rejected, rejectedFile, rejectedExamples } of files) {
    if (rejected === 0) continue;
    for (const { line, reason } of rejectedExamples) await voice.alert(`${shown(file)}:${line}: ${reason}`);
    if (rejected > rejectedExamples.length) await voice.alert(`… and ${rejected - rejectedExamples.length} more`);
    if (rejectedExamples.some(({ reason }) => reason === 'no time'))
      await voice.alert(
        `  hint: name the time column ${timeSpellings.slice(0, 3).join(', ')} or TrackedEvents.${timeSpellings[0]!}`,
      );
    if (rejectedExamples.some(({ reason }) => reason.startsWith('a time that cannot be read')))
      await voice.alert(`  hint: use one of these time formats: ${acceptedTimes}`);
    const hint = encodingHint(rejectedExamples);
    if (hint !== undefined) await voice.alert(`  hint: ${hint}`);
    await voice.alert(
      `${formatCount(rejected, 'line')} of ${shown(file)} ${plural(rejected, 'was', 'were')}` +
        ` rejected and written to ${shown(rejectedFile ?? '')} (exit code 5)`,
    );
  }
}

/** Reports a single file by name; several as a count, and with `--verbose` each by name. */
async function tellTogether(
  files: readonly IngestedFile[],
  voice: Reporter,
  text: (entry: IngestedFile) => string,
  together: string,
): Promise<void> {
  const tell = files.length === 1 ? voice.note : voice.detail;
  for (const entry of files) await tell(text(entry));
  if (files.length > 1) await voice.note(`${formatCount(files.length, 'file')} ${together}`);
}

import { findFiles } from '../../../run/embedded/reading/find-files.ts';
import type { IngestProgress } from '../../../run/store/ingest-report.ts';
import { ingestFiles } from '../../../run/store/ingest.ts';
import { showBytes } from '../../output/show-bytes.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { toVoice } from '../narrate.ts';
import { openCommandSettings } from '../open-workspace.ts';
import { openProgress } from '../progress.ts';
import { exitCodeOf } from '../report-error.ts';
import { tellIngest } from './ingest-summary.ts';
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

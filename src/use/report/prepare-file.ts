import path from 'node:path';
import { type Issue, type Outcome, bad } from '../../ask/outcome.ts';
import type { ReadNotebook } from '../../tell/notebook/read-notebook.ts';
import { type PrepareOptions, prepareReport } from '../../tell/prepare/prepare-report.ts';
import type { PreparedReport } from '../../tell/prepare/prepared.ts';
import { type Session, atPresent } from '../workspace/session.ts';
import { withFreshModel } from '../workspace/with-fresh-model.ts';
import type { ReportFile } from './report-files.ts';
import { toSurroundings } from './report-surroundings.ts';
import { readZone } from '../../ask/time/zone.ts';
import type { FrontMatter } from '../../tell/notebook/notebook.ts';
import { type Settings, zoneOf } from '../config/settings.ts';

type PrepareFileOptions = Omit<PrepareOptions, 'name'> & { readonly signal?: AbortSignal | undefined };

/** Prepares a report's notebook for answering in a workspace; returns all issues, including those of reading. */
export async function prepareFile(
  read: ReadNotebook,
  file: ReportFile,
  session: Session,
  options: PrepareFileOptions = {},
): Promise<Outcome<PreparedReport>> {
  if (!read.ok) return bad(await findFurther(read, file, session, options));
  const prepared = await prepareFresh(read, file, session, options);
  return { ...prepared, issues: [...read.issues, ...prepared.issues] };
}

async function prepareFresh(
  read: ReadNotebook & { readonly ok: true },
  file: ReportFile,
  session: Session,
  { signal, absent, ...options }: PrepareFileOptions,
): Promise<Outcome<PreparedReport>> {
  const prepare = (how?: typeof absent) =>
    prepareReport(read, toSurroundings(session, path.dirname(file.path)), { ...options, absent: how, name: file.name });
  // A name is only absent once the model is fresh.
  const strict = await withFreshModel(session, () => prepare(), signal);
  return strict.ok || absent === undefined ? strict : prepare(absent);
}

/** The issues of reading, with those of the parts that could be read. */
async function findFurther(
  read: ReadNotebook,
  file: ReportFile,
  session: Session,
  options: PrepareFileOptions,
): Promise<readonly Issue[]> {
  // Without its parameters, cells that use them cannot be checked.
  const { whatIsThere: value } = read;
  if (
    !value ||
    read.issues.some(
      ({ severity, span }) => severity === 'error' && (span?.start ?? 0) < value.frontMatter.source.length,
    )
  )
    return read.issues;
  const { issues } = await prepareFresh({ ...read, ok: true, value }, file, session, options);
  const told = new Set(read.issues.map(placeOf));
  return [...read.issues, ...issues.filter((issue) => !told.has(placeOf(issue)))].toSorted(
    (a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0),
  );
}

function placeOf({ code, span, message }: Issue): string {
  return JSON.stringify([code, span?.start, message]);
}

/** The session with a fixed reference time, so that all questions of a report use the same, in the report's zone. */
export function atPresentOf(session: Session, read: ReadNotebook): Session {
  const notebook = read.ok ? read.value : read.whatIsThere;
  return atPresent(session, session.now(zoneOfReport(notebook?.frontMatter ?? {}, session.settings)));
}

/** The zone of a report's days and schedule. */
export function zoneOfReport({ timezone }: Pick<FrontMatter, 'timezone'>, settings: Settings): string {
  const zone = timezone === undefined ? undefined : readZone(timezone);
  return zone?.ok ? zone.value : zoneOf(settings);
}

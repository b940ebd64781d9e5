import { evaluateReport } from '../../../tell/evaluate/evaluate-report.ts';
import type { CellContent, Notebook } from '../../../tell/notebook/notebook.ts';
import type { ReadNotebook } from '../../../tell/notebook/read-notebook.ts';
import type { PreparedAlert } from '../../../tell/prepare/prepared.ts';
import type { Report, ReportFailure } from '../../../tell/report/report.ts';
import { sayOnce } from '../../../tell/report/say-once.ts';
import { warningsOf } from '../../../tell/report/summary.ts';
import { type ExitCode, exitCodeOfKind, exitCodes } from '../../process/exit-code.ts';
import type { Voice } from '../../process/voice.ts';
import { toUsagePort } from '../../usage/usage-port.ts';
import { unwrap } from '../../workspace/refuse.ts';
import { openSession, type Session } from '../../workspace/session.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { atPresentOf, prepareFile } from '../prepare-file.ts';
import type { ReportFile } from '../report-files.ts';
import { toPorts } from '../report-surroundings.ts';

/** An answered report. Its rows can be drawn until it is disposed. */
export interface AnsweredReport extends AsyncDisposable {
  readonly report: Report;
  /** Alerts on its cells. */
  readonly alerts: readonly PreparedAlert[];
  /** Its cells with their parameters filled in. */
  readonly cells: readonly CellContent[];
}

/**
 * Answers a report that was read. Uses the session `open` unless the report names another backend. Throws
 * `InvalidInputError` if the report is invalid, and what `openSession` throws.
 */
export async function answerReport(
  file: ReportFile,
  read: ReadNotebook,
  given: ReadonlyMap<string, string>,
  known: Workspace,
  voice: Voice,
  open?: Session,
): Promise<AnsweredReport> {
  const { flags, cwd, signal } = known;
  const backend = flags.backend ?? (read.ok ? read.value.frontMatter.backend : undefined);
  // A report may name another backend, with other settings.
  const isAnother = backend !== flags.backend;
  const workspace = isAnother ? (await known.reopen({ backend })).at(known.asOf, known.signal) : known;
  const own = isAnother ? undefined : open;
  const opened = own ?? (await openReportSession(workspace, read.ok ? read.value : undefined));
  const close = async () => {
    if (!own) await opened[Symbol.asyncDispose]();
  };
  try {
    const session = atPresentOf(opened, read);
    const outcome = await prepareFile(read, file, session, { given, signal, absent: 'fails' });
    const prepared = unwrap(outcome, `The report ${file.shown}`, { source: read.source, file: file.shown });
    for (const { message } of outcome.issues) await voice.note(message);
    const usage = toUsagePort(session, { remote: workspace.remote, cwd });
    // Figures of a report must agree, also if events are loaded while it is answered.
    const report = await session.atOneState(
      () => evaluateReport(prepared, toPorts(session, usage), { name: file.name, signal }),
      { tell: async (done, note) => (await voice.note(note), done) },
    );
    const cells = prepared.blocks.flatMap((block) => ('content' in block ? [block.content] : []));
    return {
      report: sayOnce(report, session.sourceNotes()),
      alerts: prepared.alerts,
      cells,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A session for a report. If the report asks a platform only for usage, no project needs to be configured or onboarded,
 * and the platform's model is not read.
 */
async function openReportSession(workspace: Workspace, notebook: Notebook | undefined): Promise<Session> {
  const { settings, asOf, clock, cwd, remote } = workspace;
  const onlyUsage = notebook?.blocks.every(
    (block) =>
      block.kind === 'prose' || block.cell === 'usage' || block.cell === 'check' || block.cell === 'annotations',
  );
  if (!onlyUsage || settings.backend.value !== 'platform') return workspace.openSession();
  const { builtInModelOfServers } = await import('../../../plan/model/built-in-model.ts');
  return openSession({ model: builtInModelOfServers, settings, now: asOf ?? clock, cwd, remote });
}

export async function tellFailures(report: Report, file: ReportFile, voice: Voice): Promise<void> {
  for (const { text, further } of failuresOf(report, file))
    await voice.alert(further === undefined ? text : `${text} ${further}`);
}

/**
 * Why a report is incomplete, in sentences for its record. They have no values of events, which outlive `store forget`.
 */
export function reasonsOf(report: Report, file: ReportFile): readonly string[] {
  return failuresOf(report, file).map(({ text }) => text);
}

/** `further`: a hint, or what a check found, which may be a value of an event. */
function failuresOf(
  { blocks }: Report,
  { shown }: ReportFile,
): readonly { readonly text: string; readonly further?: string | undefined }[] {
  const told = new Set<string>();
  return blocks.flatMap((block) => {
    if (block.kind === 'failure') {
      const what = block.title ?? block.name ?? `a ${block.cell} cell`;
      return { text: `Failed: ${what}${placeOf(block, shown)}: ${block.message}`, further: block.hint };
    }
    // Cells over the same data have the same warnings.
    if (block.kind === 'cell') {
      const fresh = warningsOf(block).filter((text) => !told.has(text));
      for (const text of fresh) told.add(text);
      return fresh.map((text) => ({ text }));
    }
    if (block.kind !== 'checks') return [];
    return block.checks.flatMap(({ state, expectation, finding }) =>
      state === 'passed' ? [] : { text: `Check ${state.replace('-', ' ')}: ${expectation}.`, further: finding },
    );
  });
}

/** Position of a failed cell in the file. */
function placeOf({ place }: ReportFailure, shown: string): string {
  return place ? ` (${shown}:${place.line}:${place.column})` : '';
}

/**
 * The exit code of a report. A failed check ranks above a failed cell. If no cell was answered, the first failure
 * decides.
 */
export function exitCodeOfReport({ blocks, status }: Report): ExitCode {
  if (status === 'failed-check') return exitCodes.failed;
  const failures = blocks.filter((block) => block.kind === 'failure');
  const [first] = failures;
  if (first && !blocks.some(({ kind }) => kind === 'cell')) return exitCodeOfKind[first.errorKind];
  const rejected = blocks.some(
    (block) =>
      block.kind === 'cell' &&
      (block.stale === true || block.parts.some(({ result }) => result.provenance.rejected.count > 0)),
  );
  return status === 'failed-cell' || rejected ? exitCodes.partial : exitCodes.done;
}

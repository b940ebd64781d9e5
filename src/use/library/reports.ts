import type { Report, ReportStatus } from '../../tell/report/report.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import type { Voice } from '../process/voice.ts';
import type { RenderedReport, ReportFormat } from '../report/report-format.ts';
import { checkReports, type CheckedReport } from '../report/run/check-reports.ts';
import type { DueOutcome } from '../report/run/run-due-reports.ts';
import type { ReportDifference } from '../report/run/diff-report.ts';
import type { ListedReport } from '../report/run/list-states.ts';
import type { Scheduler } from '../report/run/schedule-report.ts';
import { checkText, checkWord } from '../../ask/document/check-argument.ts';
import { checkOptions } from '../workspace/check-options.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';

/** What a report is about. */
export interface ReportOptions {
  /** Values of its parameters; those that are left out have their defaults. */
  readonly params?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** The reference time; the workspace's by default. */
  readonly asOf?: AsOf | undefined;
}

/** Options of a run. */
export interface RunReportOptions {
  /** A file (its ending sets the format) or a folder to write to. Nothing is written by default. */
  readonly to?: string | undefined;
  /** Formats to write; by default that of the file, or Markdown in a folder. */
  readonly formats?: readonly ReportFormat[] | undefined;
  /** Also deliver as the front matter or the configuration specifies. */
  readonly deliver?: boolean | undefined;
  /** Replace an earlier report, and deliver, also if this one has failures. */
  readonly force?: boolean | undefined;
  /** Refuse a report with failed cells or checks: `incomplete-answer`. */
  readonly strict?: boolean | undefined;
  /** The folder of the run records; that of the settings by default. */
  readonly state?: string | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** A report, answered. */
export interface ReportAnswer {
  /** `failed-check`: an expectation does not hold. `failed-cell`: a part could not be answered. */
  readonly status: ReportStatus;
  /** All that it shows, as data. */
  readonly report: Report;
  /**
   * Files that were written: the absolute `path` of each. `kept`: an earlier report stays, and this one lies beside it.
   */
  readonly files: readonly { readonly path: string; readonly kept: boolean }[];
  /** What a reader must know: failures, warnings, where it was delivered. */
  readonly messages: readonly string[];
  /**
   * The report as text. HTML and letters hold their pictures. Throws `InvalidInputError` for another format, and
   * `font-not-found`.
   */
  toText(format?: ReportFormat): Promise<string>;
}

/** Options of `due`. */
export interface DueOptions {
  /** Deliver also reports that have failures. */
  readonly force?: boolean | undefined;
  /** Write to this folder instead of where the reports go. */
  readonly to?: string | undefined;
  /** Formats to write, instead of those that the report specifies. */
  readonly formats?: readonly ReportFormat[] | undefined;
  /** The folder of the run records. Defaults to `runs:` of the configuration. */
  readonly state?: string | undefined;
  /** The time until which slots are due. Defaults to the clock. */
  readonly asOf?: AsOf | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** What was due, and what came of it. */
export interface DueAnswer extends Pick<DueOutcome, 'runs' | 'next'> {
  /** Sentences for people: what was delivered, and what was not. */
  readonly messages: readonly string[];
  /** Each `report` that failed, and the `error` that made it fail; the others were run. */
  readonly errors: readonly { readonly report: string; readonly error: unknown }[];
}

/** Options of `schedule`. */
export interface ScheduleOptions {
  /** The scheduler to write text for. */
  readonly for: Scheduler;
  /** The program and its first arguments that run sluice; `sluice` by default. */
  readonly command?: readonly string[] | undefined;
  /** The folder of the run records. Defaults to `runs:` of the configuration. */
  readonly state?: string | undefined;
}

/** One report of the workspace, by its name or file. Throws `no-such-report` when it is first used. */
export interface ReportHandle {
  /**
   * Answers the report, and writes and delivers it as asked. Resolves also if a cell or check failed, see `status`.
   * Throws `InvalidInputError` with every issue of the file, `BackendError` (`incomplete-answer` with `strict`;
   * `report-is-running` if another process is at it), and what writing throws.
   */
  run(options?: RunReportOptions): Promise<ReportAnswer>;
  /**
   * Answers the report and compares its figures with its last run that was written or delivered. Writes nothing.
   * `state`: as in `due`. `signal` aborts the call, which then throws `AbortedError`. Throws `InvalidInputError`
   * (`no-earlier-run`).
   */
  diff(options?: {
    readonly state?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<ReportDifference>;
  /**
   * Every problem of the file: questions are bound, not run. `signal` aborts the call, which then throws
   * `AbortedError`.
   */
  check(options?: { readonly signal?: AbortSignal | undefined }): Promise<CheckedReport>;
  /** Runs and delivers the slots of its schedule that are due, each once. Throws if it has no schedule. */
  due(options?: DueOptions): Promise<DueAnswer>;
  /** Text for a scheduler that runs the report when it is due. Throws if it has no schedule. */
  schedule(options: ScheduleOptions): Promise<string>;
}

/** Options of `create`. */
export interface CreateReportOptions {
  /** A question in one line, or the name of a saved query. Page views by page by default. */
  readonly question?: string | undefined;
  /** When to run it, such as `weekly on monday at 06:00`. */
  readonly schedule?: string | undefined;
  /** The title of the report; that of the question by default. */
  readonly title?: string | undefined;
  /** Replace a report of this name. */
  readonly force?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** All reports of the workspace. */
export interface Reports {
  /**
   * Writes a whole report with comments into the folder of reports. Resolves with the absolute path of its file. Throws
   * `InvalidInputError` if there is a report of this name, or the question cannot be asked.
   */
  create(name: string, options?: CreateReportOptions): Promise<string>;
  /**
   * The reports, with the next slot of each, its last result and its raised alerts. `state`: as in `due`. Throws
   * `InvalidInputError` for options.
   */
  list(options?: { readonly state?: string | undefined }): Promise<readonly ListedReport[]>;
  /** Text for a scheduler that runs all reports with a schedule when they are due. Throws if there is none. */
  schedule(options: ScheduleOptions): Promise<string>;
  /** Every problem of every report. `signal` aborts the call, which then throws `AbortedError`. */
  check(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly CheckedReport[]>;
  /**
   * Runs and delivers what is due of all reports with a schedule. A report that fails holds up no other,
   * and is among the `errors`. Throws `InvalidInputError` for options, and `AbortedError`.
   */
  due(options?: DueOptions): Promise<DueAnswer>;
}

export function reportOf(opened: Opened, name: string, about: ReportOptions = {}): ReportHandle {
  checkText('report', 'The name of a report', name);
  checkOptions('report', about);
  return {
    run: (options) => runOne(opened, name, about, options),
    diff: (options = {}) =>
      opened.call('report.diff', options, async (signal) => {
        const [{ diffReport }, { findReport }] = await Promise.all([
          import('../report/run/diff-report.ts'),
          import('../report/report-files.ts'),
        ]);
        const workspace = opened.workspace(about.asOf, signal);
        const file = await findReport(name, workspace.settings.reports.value, workspace.cwd);
        return diffReport(workspace, file, { given: toGiven(about), state: options.state }, listener());
      }),
    async check(options) {
      const [checked] = await check(opened, [name], about.asOf, options);
      return checked as CheckedReport;
    },
    due: (options) => due(opened, [name], options, about.asOf),
    schedule: (options) => schedule(opened, name, options),
  };
}

export function reportsOf(opened: Opened): Reports {
  return {
    list: (options = {}) =>
      opened.call('reports.list', options, async () => {
        const { listStates } = await import('../report/run/list-states.ts');
        return listStates(opened.workspace(), options.state);
      }),
    schedule: (options) => schedule(opened, undefined, options),
    create: (name, options = {}) => {
      checkText('create', 'The name of a report', name);
      return opened.call('reports.create', options, async (signal) => {
        const { createReport } = await import('../report/run/create-report.ts');
        const workspace = opened.workspace(undefined, signal);
        return createReport(await workspace.openSession(), name, options, workspace);
      });
    },
    check: (options) => check(opened, [], undefined, options),
    due: (options) => due(opened, [], options),
  };
}

function runOne(
  opened: Opened,
  name: string,
  about: ReportOptions,
  options: RunReportOptions = {},
): Promise<ReportAnswer> {
  return opened.call('report.run', options, async (signal) => {
    const [{ runReport }, { toPlace }, { findReport }] = await Promise.all([
      import('../report/run/run-report.ts'),
      import('../report/run/report-place.ts'),
      import('../report/report-files.ts'),
    ]);
    const { to, formats, deliver, force, state, strict } = options;
    const workspace = opened.workspace(about.asOf, signal);
    const file = await findReport(name, workspace.settings.reports.value, workspace.cwd);
    const voice = listener();
    const place =
      to === undefined
        ? ({ kind: 'none' } as const)
        : await toPlace({ format: formats, output: to, force }, file, workspace.cwd);
    const run = await runReport(
      workspace,
      file,
      { place, given: toGiven(about), deliver, force, state, stdout: nowhere },
      voice,
    );
    const { report, files, holder } = run;
    if (report === undefined)
      throw new BackendError(`The report ${file.name} is being run by ${holder ?? 'another process'}.`, {
        code: 'report-is-running',
        hint: 'Try again when it is done.',
      });
    if (strict && report.status !== 'good')
      throw new BackendError(`The report ${file.name} is incomplete. ${voice.messages.join(' ')}`, {
        code: 'incomplete-answer',
        hint: 'Mend its cells and checks, or pass `strict: false`.',
      });
    return {
      status: report.status,
      report,
      files,
      messages: voice.messages,
      toText: (format) => render(report, format),
    };
  });
}

function toGiven({ params = {} }: ReportOptions): ReadonlyMap<string, string> {
  return new Map(Object.entries(params).map(([key, value]) => [key, String(value)]));
}

async function render(report: Report, format: ReportFormat = 'markdown'): Promise<string> {
  const { renderReport, reportFormats } = await import('../report/report-format.ts');
  checkWord('toText', 'The format', format, reportFormats);
  const { main }: RenderedReport = await renderReport(report, format, { base: undefined });
  return typeof main === 'string' ? main : new TextDecoder().decode(main);
}

function check(
  opened: Opened,
  names: readonly string[],
  asOf: AsOf | undefined,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly CheckedReport[]> {
  return opened.call('report.check', options, async (signal) => {
    const workspace = opened.workspace(asOf, signal);
    return checkReports(await workspace.openSession(), names, workspace);
  });
}

function due(opened: Opened, names: readonly string[], options: DueOptions = {}, usual?: AsOf): Promise<DueAnswer> {
  return opened.call('report.due', options, async (signal) => {
    const { runDueReports } = await import('../report/run/run-due-reports.ts');
    const { to, formats, force, state, asOf = usual } = options;
    const voice = listener();
    const errors: { readonly report: string; readonly error: unknown }[] = [];
    const { runs, next } = await runDueReports(
      opened.workspace(asOf, signal),
      {
        names,
        output: to,
        format: formats,
        force,
        state,
        stdout: nowhere,
        onError: async (error, report) => void errors.push({ report, error }),
      },
      voice,
    );
    return { runs, next, messages: voice.messages, errors };
  });
}

function schedule(opened: Opened, name: string | undefined, options: ScheduleOptions): Promise<string> {
  return opened.call('report.schedule', options ?? {}, async () => {
    const { scheduleReport } = await import('../report/run/schedule-report.ts');
    const { for: scheduler, command = ['sluice'], state } = options;
    return scheduleReport(opened.workspace(), name, { for: scheduler, command, flags: { state } });
  });
}

/** A report that is delivered to standard output goes nowhere: a program gets it as data. */
const nowhere = { write: async () => undefined };

/** Keeps what is said. */
function listener(): Voice & { readonly messages: readonly string[] } {
  const messages: string[] = [];
  const hear = async (text: string) => void messages.push(text);
  return { messages, note: hear, alert: hear };
}

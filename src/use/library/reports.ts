import type { Report, ReportStatus } from '../../tell/report/report.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import type { Voice } from '../process/voice.ts';
import type { CheckedReport } from '../report/run/check-reports.ts';
import type { DueOutcome } from '../report/run/run-due-reports.ts';
import type { ReportDifference } from '../report/run/diff-report.ts';
import type { ListedReport } from '../report/run/list-states.ts';
import type { Scheduler } from '../report/run/schedule-report.ts';
import { type ReportFormat, reportFormats } from '../../show/format-name.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { checkText, checkWord } from '../../ask/document/check-argument.ts';
import { checkOptions } from '../workspace/check-options.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';

/** Parameters and reference time of a report. */
export interface ReportOptions {
  /** Values of the report's parameters. Missing ones use their defaults. */
  readonly params?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Reference time. Defaults to the workspace's. */
  readonly asOf?: AsOf | undefined;
}

/** Options of a run. */
export interface RunReportOptions {
  /** A file (its extension sets the format) or a folder to write to. By default, nothing is written. */
  readonly to?: string | undefined;
  /** Formats to write. Defaults to the file's format, or to Markdown in a folder. */
  readonly formats?: readonly ReportFormat[] | undefined;
  /** Also delivers the report as its front matter or the configuration specifies. */
  readonly deliver?: boolean | undefined;
  /** Replaces an earlier report, and delivers, even if this report has failures. */
  readonly force?: boolean | undefined;
  /** Throws `incomplete-answer` if a cell or check failed. */
  readonly strict?: boolean | undefined;
  /** Folder of the run records. Defaults to the configured one. */
  readonly state?: string | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of running a report. */
export interface ReportAnswer {
  /** `failed-check`: an expectation does not hold. `failed-cell`: a cell could not be answered. */
  readonly status: ReportStatus;
  /** The content of the report as data. */
  readonly report: Report;
  /**
   * Written files with their absolute `path`. `kept`: an earlier report was kept, and this file was written beside it.
   */
  readonly files: readonly { readonly path: string; readonly kept: boolean }[];
  /** Failures, warnings and deliveries, one sentence each. */
  readonly messages: readonly string[];
  /**
   * Renders the report as text. HTML and mail embed their images. Throws `InvalidInputError` for other formats, and
   * `font-not-found`. A PDF is not text: `run({ to: 'report.pdf' })` writes one.
   */
  toText(format?: Exclude<ReportFormat, 'pdf'>): Promise<string>;
}

/** Options of `due`. */
export interface DueOptions {
  /** Also delivers reports that have failures. */
  readonly force?: boolean | undefined;
  /** Writes to this folder instead of the reports' own targets. */
  readonly to?: string | undefined;
  /** Formats to write, instead of those that the report specifies. */
  readonly formats?: readonly ReportFormat[] | undefined;
  /** Folder of the run records. Defaults to `runs:` of the configuration. */
  readonly state?: string | undefined;
  /** Runs the slots that are due at this time. Defaults to the clock. */
  readonly asOf?: AsOf | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of running due reports. */
export interface DueAnswer extends Pick<DueOutcome, 'runs' | 'next'> {
  /** What was delivered and what was not, one sentence each. */
  readonly messages: readonly string[];
  /** Each `report` that failed, and its `error`. The other reports were run. */
  readonly errors: readonly { readonly report: string; readonly error: unknown }[];
}

/** Options of `schedule`. */
export interface ScheduleOptions {
  /** The scheduler to generate text for. */
  readonly for: Scheduler;
  /** The command that runs sluice, with its first arguments. Defaults to `sluice`. */
  readonly command?: readonly string[] | undefined;
  /** Folder of the run records. Defaults to `runs:` of the configuration. */
  readonly state?: string | undefined;
}

/** A report of the workspace. Its functions throw `no-such-report` if it does not exist. */
export interface ReportHandle {
  /**
   * Runs the report, then writes and delivers it as requested. Also resolves if a cell or check failed: see `status`.
   * Throws `InvalidInputError` with every issue of the file, `BackendError` (`incomplete-answer` with `strict`,
   * `report-is-running` if another process runs it), and errors of writing.
   */
  run(options?: RunReportOptions): Promise<ReportAnswer>;
  /**
   * Runs the report and compares its figures with the last run that was written or delivered. Writes nothing. `state`
   * is the folder of the run records, as in `due`. `signal` aborts the call, which then throws `AbortedError`. Throws
   * `InvalidInputError` (`no-earlier-run`).
   */
  diff(options?: {
    readonly state?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<ReportDifference>;
  /**
   * Checks the file. Its questions are checked but not run. `signal` aborts the call, which then throws `AbortedError`.
   */
  check(options?: { readonly signal?: AbortSignal | undefined }): Promise<CheckedReport>;
  /** Runs and delivers the due slots of the report's schedule, each once. Throws if the report has no schedule. */
  due(options?: DueOptions): Promise<DueAnswer>;
  /** Generates text for a scheduler that runs the report when it is due. Throws if the report has no schedule. */
  schedule(options: ScheduleOptions): Promise<string>;
}

/** Options of `create`. */
export interface CreateReportOptions {
  /** A question in one line, or the name of a saved query. Defaults to page views by page. */
  readonly question?: string | undefined;
  /** When to run it, such as `weekly on monday at 06:00`. */
  readonly schedule?: string | undefined;
  /** Title of the report. Defaults to that of the question. */
  readonly title?: string | undefined;
  /** Replaces an existing report of this name. */
  readonly force?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** All reports of the workspace. */
export interface Reports {
  /**
   * Creates a report with explanatory comments in the folder of reports. Returns the absolute path of its file. Throws
   * `InvalidInputError` if a report of this name exists, or if the question is not valid.
   */
  create(name: string, options?: CreateReportOptions): Promise<string>;
  /**
   * Lists the reports with their next slot, last result and raised alerts. `state` is the folder of the run records, as
   * in `due`. Throws `InvalidInputError` if an option is not valid.
   */
  list(options?: { readonly state?: string | undefined }): Promise<readonly ListedReport[]>;
  /**
   * Generates text for a scheduler that runs all scheduled reports when they are due. Throws if no report has a
   * schedule.
   */
  schedule(options: ScheduleOptions): Promise<string>;
  /** Checks all reports. `signal` aborts the call, which then throws `AbortedError`. */
  check(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly CheckedReport[]>;
  /**
   * Runs and delivers the due slots of all scheduled reports. A failed report is listed in `errors` and does not stop
   * the others. Throws `InvalidInputError` if an option is not valid, and `AbortedError`.
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
      toText: (format) => render(report, workspace, format),
    };
  });
}

function toGiven({ params = {} }: ReportOptions): ReadonlyMap<string, string> {
  return new Map(Object.entries(params).map(([key, value]) => [key, String(value)]));
}

async function render(
  report: Report,
  { env }: Workspace,
  format: Exclude<ReportFormat, 'pdf'> = 'markdown',
): Promise<string> {
  const texts = reportFormats.filter((one) => one !== 'pdf');
  checkWord('toText', 'The format', format, texts);
  const { renderReport } = await import('../report/report-format.ts');
  const { main } = await renderReport(report, format, { base: undefined, printing: { env } });
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
    const { checkReports } = await import('../report/run/check-reports.ts');
    return checkReports(await workspace.openSession(), names, workspace);
  });
}

function due(opened: Opened, names: readonly string[], options: DueOptions = {}, usual?: AsOf): Promise<DueAnswer> {
  return opened.call('report.due', options, async (signal) => {
    const [{ runDueReports }, { findReport }] = await Promise.all([
      import('../report/run/run-due-reports.ts'),
      import('../report/report-files.ts'),
    ]);
    const { to, formats, force, state, asOf = usual } = options;
    const voice = listener();
    const errors: { readonly report: string; readonly error: unknown }[] = [];
    const workspace = opened.workspace(asOf, signal);
    for (const name of names) await findReport(name, workspace.settings.reports.value, workspace.cwd);
    const { runs, next } = await runDueReports(
      workspace,
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

/** Discards delivery to standard output: programs get the report as data. */
const nowhere = { write: async () => undefined };

/** Collects messages. */
function listener(): Voice & { readonly messages: readonly string[] } {
  const messages: string[] = [];
  const hear = async (text: string) => void messages.push(text);
  return { messages, note: hear, alert: hear };
}

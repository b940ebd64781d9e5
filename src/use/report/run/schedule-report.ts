import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { inputError, usageError } from '../../../ask/sluice-error.ts';
import { type Delivery, toDelivery } from '../../../tell/delivery/delivery.ts';
import type { FrontMatter } from '../../../tell/notebook/notebook.ts';
import { readSchedule } from '../../../tell/schedule/read-schedule.ts';
import type { Schedule, ScheduledReport } from '../../../tell/schedule/schedule.ts';
import type { PipelineProject } from '../../../tell/schedule/write-gitlab-job.ts';
import type { SettingFlags } from '../../config/read-flags.ts';
import type { Settings } from '../../config/settings.ts';
import { unwrap } from '../../workspace/refuse.ts';
import { version } from '../../workspace/version.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { zoneOfReport } from '../prepare-file.ts';
import { stateFolder } from '../due/report-runs.ts';
import { findReport, listReports, openReport } from '../report-files.ts';
import { deliveriesOf } from './report-deliveries.ts';

/** Supported schedulers. */
const schedulers = ['cron', 'systemd', 'gitlab'] as const;

/** A scheduler that sluice writes text for. */
export type Scheduler = (typeof schedulers)[number];

export interface ScheduleReport {
  readonly for: Scheduler;
  /** The program and the arguments that run sluice. */
  readonly command: readonly string[];
  /** Flags or options that select the data; relative paths start at `cwd`. */
  readonly flags: ScheduleFlags;
}

export interface ScheduleFlags
  extends Pick<SettingFlags, 'encoding' | 'store' | 'backend' | 'host' | 'wait' | 'memory' | 'events' | 'project'> {
  readonly config?: string | undefined;
  readonly state?: string | undefined;
}

/**
 * Configuration that makes a scheduler run one report when it is due, or all reports with a schedule: a crontab line,
 * systemd units, or a pipeline job. Throws `InvalidInputError` if the report has no schedule or cannot be read.
 */
export async function scheduleReport(
  workspace: Workspace,
  named: string | undefined,
  asked: ScheduleReport,
): Promise<string> {
  const { settings, root, cwd } = workspace;
  const { flags } = asked;
  const files =
    named === undefined
      ? await listReports(settings.reports.value, cwd)
      : [await findReport(named, settings.reports.value, cwd)];
  const reports = [];
  for (const file of files) {
    const { frontMatter } = unwrap(await openReport(file), `The report ${file.shown}`);
    if (frontMatter.schedule !== undefined)
      reports.push({ file, frontMatter, schedule: unwrap(readSchedule(frontMatter.schedule), 'The schedule') });
  }
  const [first] = reports;
  if (!first)
    throw usageError(
      named === undefined ? 'No report has a schedule.' : `${files[0]?.shown ?? named} has no schedule.`,
      'Add a schedule to its front matter: `schedule: monthly on day 1 at 06:00`.',
    );
  const isGitlab = asked.for === 'gitlab';
  const command = [...(isGitlab ? ['sluice'] : asked.command), 'report', 'run', '--due'];
  const deliveries = reports.flatMap(({ frontMatter }) => deliveriesOf(frontMatter, settings, {}, cwd));
  const secrets = reports.flatMap(({ frontMatter }) =>
    secretsOf(deliveriesOf(frontMatter, settings, {}, cwd), frontMatter, settings, flags),
  );
  const common = {
    folder: root,
    secrets: [...new Set(secrets)],
    state: within(root, stateFolder(flags.state, settings, cwd)),
    outputs: foldersOf(deliveries).map((folder) => within(root, path.resolve(root, folder))),
  };
  const further = furtherFlags(flags, root, cwd, isGitlab);
  if (named !== undefined) {
    const { file, frontMatter, schedule } = first;
    const own = {
      name: file.name,
      title: titleOf(frontMatter.title, file.name),
      schedule,
      zone: zoneOfReport(frontMatter, settings),
      argv: [...command, within(root, file.path), ...further],
    };
    return write({ ...common, ...own }, asked.for, settings, root);
  }
  const all = {
    name: 'reports',
    title: `Reports: ${reports.map(({ file }) => file.name).join(', ')}`,
    schedule: everyHour(reports.map(({ schedule }) => schedule)),
    zone: zoneOfReport({ timezone: undefined }, settings),
    argv: [...command, ...further],
  };
  return write({ ...common, ...all }, asked.for, settings, root);
}

/** An hourly schedule with every minute at which one of the schedules may have a slot. */
function everyHour(schedules: readonly Schedule[]): Schedule {
  const minutes = schedules.every(({ fields }) => fields.minutes !== undefined)
    ? [...new Set(schedules.flatMap(({ fields }) => fields.minutes ?? []))].sort((a, b) => a - b)
    : undefined;
  return {
    text: 'as their front matter says',
    cron: `${minutes?.join(',') ?? '*'} * * * *`,
    fields: { minutes, hours: undefined, days: undefined, months: undefined, weekdays: undefined },
  };
}

async function write(
  scheduled: ScheduledReport,
  scheduler: Scheduler,
  { platformUrl, platformProject }: Settings,
  root: string,
): Promise<string> {
  switch (scheduler) {
    case 'cron':
      return (await import('../../../tell/schedule/write-crontab.ts')).writeCrontab(scheduled);
    case 'systemd': {
      const { writeSystemd } = await import('../../../tell/schedule/write-systemd.ts');
      return writeSystemd(scheduled)
        .map(({ name, text }) => `# ${name}\n${text}`)
        .join('\n');
    }
    case 'gitlab': {
      const { writeGitlabJob } = await import('../../../tell/schedule/write-gitlab-job.ts');
      if (platformUrl.value === undefined || platformProject.value === undefined) {
        throw inputError(
          'not-schedulable',
          'Specify the project whose pipelines run the report.',
          'Add --host https://code.example.org --project 42, or set `platform` in the configuration.',
        );
      }
      if (path.isAbsolute(scheduled.state)) {
        throw usageError(
          'A pipeline can only keep folders inside the workspace, but the run records are outside it.',
          'Specify a folder inside it: --state .sluice/reports, or `runs` in the configuration.',
        );
      }
      return writeGitlabJob(scheduled, {
        url: platformUrl.value,
        project: platformProject.value,
        sluice: await findSluice(root),
      });
    }
  }
}

/** How a pipeline installs sluice: from the workspace's dependencies, else from this installation. */
async function findSluice(root: string): Promise<PipelineProject['sluice']> {
  const own = await readFile(path.join(root, 'package.json'), 'utf8')
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined);
  const { dependencies, devDependencies } = (own ?? {}) as Readonly<
    Record<string, Readonly<Record<string, string>> | undefined>
  >;
  if (dependencies?.['sluice'] !== undefined || devDependencies?.['sluice'] !== undefined)
    return { kind: 'dependency' };
  return { kind: 'folder', path: path.dirname(findPackageJSON(import.meta.url) ?? root), version };
}

/** Environment variables of a scheduled run: those of its deliveries, and the token of the backend. */
function secretsOf(
  deliveries: readonly Delivery[],
  { notify = [], backend }: FrontMatter,
  settings: Settings,
  flags: ScheduleFlags,
): readonly string[] {
  const asked = flags.backend ?? backend ?? settings.backend.value;
  const token = asked === 'platform' ? settings.token.value : asked === 'cube' ? settings.cubeToken.value : undefined;
  const usual = asked === 'platform' ? 'SLUICE_TOKEN' : asked === 'cube' ? 'SLUICE_CUBE_TOKEN' : undefined;
  const ofToken = token === undefined ? usual : token.kind === 'variable' ? token.name : undefined;
  const ofDeliveries = [...deliveries, ...notify.map(toDelivery)].flatMap((delivery) =>
    delivery.kind !== 'webhook'
      ? []
      : [delivery.url.kind === 'variable' ? delivery.url.name : undefined, delivery.secretFrom],
  );
  const emails = deliveries.some(({ kind }) => kind === 'email') || notify.some(({ email }) => email !== undefined);
  const ofMail = emails && settings.mailer.value === undefined ? settings.smtp.value?.passwordFrom : undefined;
  return [...new Set([ofToken, ...ofDeliveries, ofMail].filter((name) => name !== undefined))];
}

/** Flags that select the data. A GitLab pipeline knows its own platform. */
function furtherFlags(
  { config, events = [], encoding, store, backend, project, host, wait, memory, state }: ScheduleFlags,
  root: string,
  cwd: string,
  isGitlab: boolean,
): readonly string[] {
  const file = (name: string) => within(root, path.resolve(cwd, name));
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}`, value]);
  return [
    ...flag('config', config && file(config)),
    ...[events].flat().flatMap((pattern) => flag('events', file(pattern))),
    ...flag('store', store && file(store)),
    ...flag('backend', backend),
    ...(isGitlab ? [] : [...flag('project', project?.toString()), ...flag('host', host)]),
    ...flag('wait', wait),
    ...flag('memory', memory),
    ...flag('encoding', encoding),
    ...flag('state', state && file(state)),
  ];
}

function foldersOf(deliveries: readonly Delivery[]): readonly string[] {
  const folders = deliveries.flatMap((delivery) =>
    delivery.kind === 'folder' ? [delivery.folder] : delivery.kind === 'email' ? (delivery.into ?? []) : [],
  );
  return [...new Set(folders)];
}

/** Relative to the workspace if the file lies in it. */
function within(root: string, file: string): string {
  const relative = path.relative(root, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative || '.';
}

/** A title with parameters cannot be shown before a run. */
export function titleOf(title: string | undefined, name: string): string {
  return title === undefined || title.includes('{{') ? name : title;
}

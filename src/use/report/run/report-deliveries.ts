import path from 'node:path';
import { writeLocal } from '../../../ask/time/local-time.ts';
import { toLocal } from '../../../ask/time/zone.ts';
import { type Delivery, toDelivery } from '../../../tell/delivery/delivery.ts';
import type { FrontMatter } from '../../../tell/notebook/notebook.ts';
import type { Report } from '../../../tell/report/report.ts';
import { hasAlert } from '../../../tell/report/summary.ts';
import type { Schedule } from '../../../tell/schedule/schedule.ts';
import type { Settings } from '../../config/settings.ts';
import { isStdout } from '../../output/stdout.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { markOf } from '../deliver/deliver-report.ts';
import type { DeliveryWorld } from '../deliver/outgoing.ts';
import type { Printing } from '../print-pdf.ts';
import { refuseAddress } from './report-place.ts';

/** The default delivery. */
const usual: Delivery = { kind: 'folder', folder: 'out', formats: ['html'] };

/**
 * The deliveries of a report: from the flags, else its front matter, else the configuration; default: the folder `out`.
 */
export function deliveriesOf(
  { deliver }: FrontMatter,
  settings: Settings,
  {
    output,
    format,
  }: {
    readonly output?: string | undefined;
    readonly format?: readonly string[] | undefined;
  },
  cwd: string,
): readonly Delivery[] {
  if (output !== undefined && isStdout(output)) return [{ kind: 'stdout', format: format?.[0] ?? 'markdown' }];
  if (output !== undefined) refuseAddress(output);
  if (output !== undefined || format !== undefined)
    return [
      { kind: 'folder', folder: output === undefined ? 'out' : path.resolve(cwd, output), formats: format ?? ['html'] },
    ];
  if (deliver !== undefined) return deliver.map(toDelivery);
  return settings.deliver.value.length > 0 ? settings.deliver.value.map(toDelivery) : [usual];
}

/** Adds those to notify if a check with `severity: alert` fails. */
export function withNotified(
  deliveries: readonly Delivery[],
  report: Report,
  { notify }: FrontMatter,
  settings: Settings,
): readonly Delivery[] {
  if (!hasAlert(report)) return deliveries;
  const notified = notifiedOf({ notify }, settings);
  return [...new Map([...deliveries, ...notified].map((delivery) => [markOf(delivery), delivery])).values()];
}

/** Receivers of notices about the schedule, and about alerts without their own receivers. */
export function notifiedOf({ notify }: Pick<FrontMatter, 'notify'>, settings: Settings): readonly Delivery[] {
  return (notify ?? settings.notify.value).map(toDelivery);
}

/** What printing a report as PDF needs. */
export function printingOf({ settings, env, signal }: Workspace): Printing & Pick<DeliveryWorld, 'signal'> {
  return { browser: settings.browser.value, env, signal: signal ?? new AbortController().signal };
}

export function deliveryWorld(
  workspace: Workspace,
  { stdout, force }: Pick<DeliveryWorld, 'stdout' | 'force'>,
): DeliveryWorld {
  const { settings, root, remote } = workspace;
  return {
    ...printingOf(workspace),
    root,
    stdout,
    mailer: settings.mailer.value,
    smtp: settings.smtp.value,
    commands: settings.commands.value,
    allowHttp: settings.allowHttp.value,
    clock: remote.clock ?? systemClock,
    force,
    trace: remote.trace,
  };
}

/**
 * A file name such as `monthly-usage-2026-11-01`. If there may be several a day, with the time in UTC, which never
 * repeats: `…T0500Z`.
 */
export function datedName(name: string, instant: number, zone: string, schedule?: Schedule): string {
  const once = schedule === undefined || (schedule.fields.minutes?.length === 1 && schedule.fields.hours?.length === 1);
  const utc = new Date(instant).toISOString();
  return `${name}-${once ? writeLocal(toLocal(instant, zone)).slice(0, 10) : `${utc.slice(0, 13)}${utc.slice(14, 16)}Z`}`;
}

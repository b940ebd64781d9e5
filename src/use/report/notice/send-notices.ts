import { toSystemError } from '../../../run/file/system-error.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { Voice } from '../../process/voice.ts';
import { deliverAll } from '../deliver/deliver-all.ts';
import { markOf } from '../deliver/deliver-report.ts';
import type { DeliveryWorld } from '../deliver/outgoing.ts';
import type { ReportRuns } from '../due/report-runs.ts';
import { openNoticeBox } from './notice-box.ts';

/**
 * Sends unsent notices, in order for each place, each notice once. The caller must hold the report's lock. Resolves
 * with the exit code.
 */
export async function sendNotices(
  { records, notices }: Pick<ReportRuns, 'records' | 'notices'>,
  world: DeliveryWorld,
  told: { readonly cwd: string; readonly voice: Voice },
): Promise<ExitCode> {
  const box = openNoticeBox(notices);
  const there = new Set(await box.list());
  if (there.size === 0) return exitCodes.done;
  const read = (await records.read()).records;
  const wanted = read.flatMap((record) => (record.kind === 'judged' ? record.notices : []));
  const done = new Map<string, Set<string>>();
  for (const record of read)
    if (record.kind === 'told') done.set(record.notice, (done.get(record.notice) ?? new Set()).add(record.to));
  // Remove notices of killed runs, which were written but not recorded; they will be made again.
  for (const id of there) if (!wanted.includes(id)) await box.remove(id);
  const blocked = new Set<string>();
  for (const id of new Set(wanted)) {
    if (!there.has(id)) continue;
    const notice = await box.get(id);
    if (!notice) {
      await told.voice.alert(`A notice in ${notices} cannot be read and is not sent.`);
      await box.remove(id);
      continue;
    }
    const { report, base, to } = notice;
    const named = (text: string) => told.voice.alert(`Notice of ${report.name} (${report.title}): ${text}`);
    const delivered = done.get(id) ?? new Set<string>();
    const onDelivered = (mark: string) => records.append({ kind: 'told', slot: null, notice: id, to: mark });
    let open = 0;
    for (const delivery of to) {
      const mark = markOf(delivery);
      if (delivered.has(mark)) continue;
      const outgoing = { report, base, subject: report.title, occasion: id };
      const sent = blocked.has(mark)
        ? undefined
        : await deliverAll([delivery], outgoing, world, {
            cwd: told.cwd,
            voice: { ...told.voice, alert: named },
            delivered,
            onDelivered,
          }).catch((error: unknown) => {
            if (!toSystemError(error)) throw error;
            return undefined;
          });
      if (sent?.failures.length === 0) {
        if (delivery.kind === 'folder') await onDelivered(mark);
        continue;
      }
      open += 1;
      blocked.add(mark);
    }
    if (open === 0) await box.remove(id);
  }
  return blocked.size === 0 ? exitCodes.done : exitCodes.remote;
}

import { AbortedError, SluiceError } from '../../../ask/sluice-error.ts';
import type { Delivery } from '../../../tell/delivery/delivery.ts';
import { describeMissingGlyphs } from '../../chart/missing-glyphs.ts';
import { showPath } from '../../process/show-path.ts';
import type { Voice } from '../../process/voice.ts';
import { contentMarkOf, deliverReport, describeDelivery, markOf } from './deliver-report.ts';
import type { DeliveryWorld, Outgoing } from './outgoing.ts';
import { type Receivers, Undelivered } from './undelivered.ts';

export interface DeliverTold {
  readonly cwd: string;
  readonly voice: Voice;
  /** Marks of deliveries to skip, because they are done. */
  readonly delivered?: ReadonlySet<string>;
  readonly onDelivered?: (mark: string) => Promise<void>;
  /** Marks of places that did not answer. They are not asked again, because each attempt waits for its timeout. */
  readonly silent?: Set<string>;
}

export interface DeliveredAll {
  /** Why a delivery failed, one sentence each. */
  readonly failures: readonly string[];
  readonly bytes: number;
  readonly formats: readonly string[];
}

const nobody: Receivers = { taken: [], refused: [] };

/** Delivers a report to all places; continues after a failure. */
export async function deliverAll(
  deliveries: readonly Delivery[],
  outgoing: Outgoing,
  world: DeliveryWorld,
  { cwd, voice, delivered, onDelivered, silent }: DeliverTold,
): Promise<DeliveredAll> {
  const failures: string[] = [];
  let bytes = 0;
  const formats = new Set<string>();
  for (const delivery of deliveries) {
    const mark = markOf(delivery);
    // A file is only replaced, but a message sent twice arrives twice.
    const isSent = delivery.kind !== 'folder';
    if (isSent && delivered?.has(mark)) continue;
    if (silent?.has(mark)) {
      const failure =
        `Not delivered to ${describeDelivery(delivery)}, which did not answer before. ` +
        'The next run tries it again.';
      failures.push(failure);
      await voice.alert(failure);
      continue;
    }
    try {
      const content = contentMarkOf(delivery);
      const receipts = {
        has: (receiver: string) => delivered?.has(`${content}-${receiver}`) ?? false,
        add: async (receiver: string) => onDelivered?.(`${content}-${receiver}`),
      };
      const sent = await deliverReport(delivery, outgoing, { ...world, receipts });
      if (isSent) await onDelivered?.(mark);
      bytes += sent.bytes;
      for (const format of sent.formats) formats.add(format);
      if (sent.missing && sent.missing.length > 0) await voice.alert(describeMissingGlyphs(sent.missing));
      for (const { path, kept } of sent.files)
        await (kept
          ? voice.alert(`The report has failures. The previous report is kept. See ${showPath(path, cwd)}.`)
          : voice.note(`Wrote ${showPath(path, cwd)}.`));
      const to = sent.receivers?.length ? sent.receivers.join(', ') : describeDelivery(delivery);
      if (sent.files.length === 0) await voice.note(`Delivered to ${to}.`);
    } catch (error) {
      if (error instanceof AbortedError || !(error instanceof SluiceError)) throw error;
      if (isSilent(error)) silent?.add(mark);
      const { taken, refused } = error instanceof Undelivered ? error.receivers : nobody;
      if (taken.length > 0) await voice.note(`Delivered to ${taken.join(', ')}.`);
      const failure = `Not delivered to ${refused.join(', ') || describeDelivery(delivery)}: ${error.message}`;
      failures.push(failure);
      await voice.alert(`${failure}${error.hint === undefined ? '' : `\n  hint: ${error.hint}`}`);
    }
  }
  return { failures, bytes, formats: [...formats] };
}

/** Whether the place cannot be reached, or does not answer in time. */
function isSilent({ code, cause }: SluiceError): boolean {
  const { code: reason } = (cause ?? {}) as NodeJS.ErrnoException;
  return code === 'timed-out' || code === 'unreachable' || (code === 'mailer-failed' && reason === 'ETIMEDOUT');
}

import { AbortedError, ConfigError, SluiceError } from '../../../ask/sluice-error.ts';
import type { EmailDelivery } from '../../../tell/delivery/delivery.ts';
import type { Envelope } from '../envelope.ts';
import { renderReport } from '../report-format.ts';
import { deliverFiles } from './deliver-files.ts';
import { type DeliveryWorld, type Outgoing, type Sent, toWebVersion } from './outgoing.ts';
import { pipeInto } from './pipe-into.ts';
import { markOf } from './recipients.ts';
import { Undelivered } from './undelivered.ts';

const nothing: Sent = { formats: ['eml'], bytes: 0, files: [] };

/**
 * Writes a report as an email into a folder, or sends it by the configured mailer or mail server. Errors:
 * `mailer-missing`, `mailer-failed`, `variable-missing`, and those of writing files.
 */
export async function mailReport(delivery: EmailDelivery, outgoing: Outgoing, world: DeliveryWorld): Promise<Sent> {
  const { to, cc, bcc, from, each, into, unsubscribe, attach, link } = delivery;
  const { mailer, smtp, receipts } = world;
  if (into === undefined && mailer === undefined && smtp === undefined) {
    throw new ConfigError('No mailer is configured.', {
      code: 'mailer-missing',
      hint: 'Set `mailer: sendmail -t` or `smtp: {host: mail.example.org}` in the configuration, or a folder: `into: outbox`.',
    });
  }
  // All recipients get the same file, and printing takes seconds.
  const printed = attach?.includes('pdf')
    ? await renderReport(outgoing.report, 'pdf', { base: undefined, printing: world })
    : undefined;
  const envelope: Envelope = {
    to,
    cc,
    bcc,
    keepBcc: mailer !== undefined || into !== undefined,
    from: from ?? (mailer === undefined && into === undefined ? smtp?.from : undefined),
    subject: outgoing.subject,
    unsubscribe,
    attach,
    pdf: printed?.main,
    web: toWebVersion(link, outgoing.base),
  };
  const emails = each ? to.map((one): Envelope => ({ ...envelope, to: [one] })) : [envelope];
  const send = async (email: Envelope, index: number): Promise<Sent> => {
    const receiver = markOf(email.to?.join() ?? '');
    if (into !== undefined) {
      const named = each ? { ...outgoing, base: `${outgoing.base}-${index + 1}` } : outgoing;
      return deliverFiles({ folder: into, formats: ['eml'] }, named, world, email);
    }
    if (each && receipts?.has(receiver)) return nothing;
    const { main, missing } = await renderReport(outgoing.report, 'eml', {
      base: undefined,
      envelope: email,
      printing: world,
    });
    let receivers = email.to;
    if (mailer !== undefined)
      await pipeInto(mailer, main, world, { what: 'The mailer', code: 'mailer-failed', setting: 'mailer' });
    else receivers = await (await import('./send-by-smtp.ts')).sendBySmtp(main, email, world);
    if (each) await receipts?.add(receiver);
    return { formats: ['eml'], bytes: Buffer.byteLength(main), files: [], receivers, missing };
  };
  const sent: Sent[] = [];
  const failures: Undelivered[] = [];
  for (const [index, email] of emails.entries())
    try {
      sent.push(await send(email, index));
    } catch (error) {
      // One address that is wrong does not keep the email from the others.
      if (!each || into !== undefined || !(error instanceof SluiceError) || error instanceof AbortedError) throw error;
      const refused = { taken: [], refused: email.to ?? [] };
      failures.push(error instanceof Undelivered ? error : new Undelivered(error.message, error, refused));
    }
  const receivers = sent.flatMap(({ receivers: got = [] }) => got);
  const [failure] = failures;
  if (failure)
    throw new Undelivered([...new Set(failures.map(({ message }) => message))].join(' '), failure, {
      taken: [...receivers, ...failures.flatMap((each) => each.receivers.taken)],
      refused: failures.flatMap((each) => each.receivers.refused),
    });
  return {
    receivers: into === undefined ? receivers : undefined,
    formats: ['eml'],
    bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0),
    files: sent.flatMap(({ files }) => files),
    missing: [...new Set(sent.flatMap(({ missing = [] }) => missing))],
  };
}

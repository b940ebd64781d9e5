import { ConfigError } from '../../../ask/sluice-error.ts';
import type { EmailDelivery } from '../../../tell/delivery/delivery.ts';
import type { Envelope } from '../envelope.ts';
import { renderReport } from '../report-format.ts';
import { deliverFiles } from './deliver-files.ts';
import { type DeliveryWorld, type Outgoing, type Sent, toWebVersion } from './outgoing.ts';
import { pipeInto } from './pipe-into.ts';
import { markOf } from './recipients.ts';

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
  const envelope: Envelope = {
    to,
    cc,
    bcc,
    keepBcc: mailer !== undefined || into !== undefined,
    from: from ?? (mailer === undefined && into === undefined ? smtp?.from : undefined),
    subject: outgoing.subject,
    unsubscribe,
    attach,
    web: toWebVersion(link, outgoing.base),
  };
  const emails = each ? to.map((one): Envelope => ({ ...envelope, to: [one] })) : [envelope];
  const sent: Sent[] = [];
  for (const [index, email] of emails.entries()) {
    const receiver = markOf(email.to?.join() ?? '');
    if (into !== undefined) {
      const named = each ? { ...outgoing, base: `${outgoing.base}-${index + 1}` } : outgoing;
      sent.push(await deliverFiles({ folder: into, formats: ['eml'] }, named, world, email));
      continue;
    }
    if (each && receipts?.has(receiver)) continue;
    const { main, missing } = await renderReport(outgoing.report, 'eml', { base: undefined, envelope: email });
    if (mailer !== undefined)
      await pipeInto(mailer, main, world, { what: 'The mailer', code: 'mailer-failed', setting: 'mailer' });
    else await (await import('./send-by-smtp.ts')).sendBySmtp(main, email, world);
    if (each) await receipts?.add(receiver);
    sent.push({ formats: ['eml'], bytes: Buffer.byteLength(main), files: [], missing });
  }
  return {
    formats: ['eml'],
    bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0),
    files: sent.flatMap(({ files }) => files),
    missing: [...new Set(sent.flatMap(({ missing = [] }) => missing))],
  };
}

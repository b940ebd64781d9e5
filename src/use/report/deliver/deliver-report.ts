import { createHash } from 'node:crypto';
import type { Delivery } from '../../../tell/delivery/delivery.ts';
import { unwrap } from '../../workspace/refuse.ts';
import { readReportFormat, renderReport } from '../report-format.ts';
import { deliverFiles } from './deliver-files.ts';
import type { DeliveryWorld, Outgoing, Sent } from './outgoing.ts';

/**
 * Delivers a report to one place. Errors: `variable-missing`, `mailer-missing`, `mailer-failed`, `not-delivered`, and
 * those of writing files and of HTTP requests.
 */
export async function deliverReport(delivery: Delivery, outgoing: Outgoing, world: DeliveryWorld): Promise<Sent> {
  switch (delivery.kind) {
    case 'folder':
      return deliverFiles(delivery, outgoing, world);
    case 'stdout': {
      const format = unwrap(readReportFormat(delivery.format), 'The format');
      const { main, missing } = await renderReport(outgoing.report, format, { base: undefined, printing: world });
      await world.stdout.write(main);
      return { formats: [format], bytes: Buffer.byteLength(main), files: [], missing };
    }
    case 'webhook': {
      const { postReport } = await import('./post-report.ts');
      return postReport(delivery, outgoing, world);
    }
    case 'command': {
      const { runCommand } = await import('./command-report.ts');
      return runCommand(delivery, outgoing, world);
    }
    case 'email': {
      const { mailReport } = await import('./mail-report.ts');
      return mailReport(delivery, outgoing, world);
    }
  }
}

/** Describes a delivery for people, without secret parts of an address. */
export function describeDelivery(delivery: Delivery): string {
  switch (delivery.kind) {
    case 'folder':
      return `the folder ${delivery.folder}`;
    case 'stdout':
      return 'standard output';
    case 'webhook':
      return delivery.url.kind === 'variable'
        ? `the address in ${delivery.url.name}`
        : (URL.parse(delivery.url.text)?.origin ?? 'an address');
    case 'command':
      return `the command ${delivery.command}`;
    case 'email':
      return delivery.to.join(', ');
  }
}

/**
 * The same for what is delivered, whoever else gets it, or in which other formats: somebody who has it does not get it
 * again for a new address or format.
 */
export function contentMarkOf(delivery: Delivery): string {
  if (delivery.kind === 'command') return markOf({ ...delivery, formats: [] });
  return markOf(delivery.kind === 'email' ? { ...delivery, to: [], cc: undefined, bcc: undefined } : delivery);
}

/** A hash that identifies a delivery. */
export function markOf(delivery: Delivery): string {
  return createHash('sha256').update(JSON.stringify(delivery)).digest('hex').slice(0, 16);
}

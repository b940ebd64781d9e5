import addressparser from 'nodemailer/lib/addressparser';
import { inputError, type InvalidInputError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { AttachedFormat } from '../../tell/delivery/delivery.ts';

/** Headers of an email. Missing ones are left to the sender. */
export interface Envelope {
  readonly from?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
  /** True to keep the Bcc header, for mailers that read recipients from the email. */
  readonly keepBcc?: boolean | undefined;
  /** The address of the header List-Unsubscribe. */
  readonly unsubscribe?: string | undefined;
  /** Formats in which to attach the rows of its cells, and `pdf` for the report. */
  readonly attach?: readonly AttachedFormat[] | undefined;
  /** The report to attach. */
  readonly pdf?: string | Uint8Array | undefined;
  /** URL of the report on the web. */
  readonly web?: string | undefined;
  /** Defaults to the title of the report. */
  readonly subject?: string | undefined;
}

const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const mailbox = /^[^\s@<>()[\]",;:\\]+@[^\s@<>()[\]",;:\\]+$/u;

/** Checks the values of `--from`, `--to` and `--subject`, which must not inject headers. Throws `InvalidInputError`. */
export function readEnvelope({ from, to, subject }: Envelope): Envelope {
  if (subject !== undefined && (control.test(subject) || subject.trim() === ''))
    throw refuse(
      '--subject',
      'The subject must be one line of text.',
      'Write one line, or remove it to use the title of the report.',
    );
  if (from !== undefined && readAddresses('--from', from).length !== 1)
    throw refuse('--from', `${quote(from)} is not a single sender.`, 'Write one address, such as reports@example.org.');
  for (const each of to ?? []) readAddresses('--to', each);
  return { from, to, subject };
}

/** The addresses of one `Name <name@example.org>`, or of several with commas. */
function readAddresses(flag: string, text: string): readonly string[] {
  const found = control.test(text) ? [] : addressparser(text, { flatten: true }).map(({ address }) => address);
  if (found.length > 0 && found.every((address) => mailbox.test(address))) return found;
  throw refuse(
    flag,
    `${quote(text)} is not an email address.`,
    'Write name@example.org, or "Name <name@example.org>".',
  );
}

/** The domain of an address, for IDs that are made in its name. */
export function domainOf(from: string): string | undefined {
  return addressparser(from, { flatten: true })[0]?.address.split('@')[1];
}

function refuse(flag: string, message: string, hint: string): InvalidInputError {
  return inputError('unreadable-address', message, hint, [flag]);
}

import addressparser from 'nodemailer/lib/addressparser';
import { inputError, type InvalidInputError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { AttachedFormat } from '../../tell/delivery/delivery.ts';

/** What stands on a letter. What is left out is left to whoever sends it. */
export interface Envelope {
  readonly from?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
  /** Whether the letter says who gets hidden copies: for mailers that read the recipients from it. */
  readonly keepBcc?: boolean | undefined;
  /** The address of the header List-Unsubscribe. */
  readonly unsubscribe?: string | undefined;
  /** The rows of its cells, as files in these formats. */
  readonly attach?: readonly AttachedFormat[] | undefined;
  /** Where the same report lies on the web. */
  readonly web?: string | undefined;
  /** The title of the report where not set. */
  readonly subject?: string | undefined;
}

const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const mailbox = /^[^\s@<>()[\]",;:\\]+@[^\s@<>()[\]",;:\\]+$/u;

/**
 * As `--from`, `--to` and `--subject` give it: nothing in it can become a header of its own. Throws
 * `InvalidInputError`.
 */
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

/** The mailboxes of one `Name <name@example.org>`, or of several with commas. */
function readAddresses(flag: string, text: string): readonly string[] {
  const found = control.test(text) ? [] : addressparser(text, { flatten: true }).map(({ address }) => address);
  if (found.length > 0 && found.every((address) => mailbox.test(address))) return found;
  throw refuse(
    flag,
    `${quote(text)} is not an email address.`,
    'Write name@example.org, or "Name <name@example.org>".',
  );
}

/** The part of an address behind the @, for what is made in its name. */
export function domainOf(from: string): string | undefined {
  return addressparser(from, { flatten: true })[0]?.address.split('@')[1];
}

function refuse(flag: string, message: string, hint: string): InvalidInputError {
  return inputError('unreadable-address', message, hint, [flag]);
}

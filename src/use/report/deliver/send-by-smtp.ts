import { createTransport } from 'nodemailer';
import { ConfigError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { isPrivateWay } from '../../../run/http/address.ts';
import type { Envelope } from '../envelope.ts';
import type { DeliveryWorld } from './outgoing.ts';
import { addressesOf, markOf } from './recipients.ts';
import { Undelivered } from './undelivered.ts';

/** Timeout for a server that does not greet, in milliseconds. */
const longestSilence = 30_000;
/** Servers may examine an email for so long before they take it (RFC 5321, 4.5.3.2.6): who gives up sends it twice. */
const longestReply = 600_000;

/**
 * Sends an email by the configured mail server. Records accepted recipients, so that a retry is only for the others.
 * Resolves with the addresses that it was sent to now. Errors: `mailer-missing` without a sender, `variable-missing`,
 * `plain-http`, `mailer-failed`.
 */
export async function sendBySmtp(
  email: string | Uint8Array,
  { from, to = [], cc = [], bcc = [] }: Envelope,
  { smtp, env, allowHttp, receipts, signal }: DeliveryWorld,
): Promise<readonly string[]> {
  if (!smtp || from === undefined) {
    throw new ConfigError('The email has no sender.', {
      code: 'mailer-missing',
      hint: 'Add `from: reports@example.org` to the delivery or to smtp in the configuration.',
    });
  }
  const { host, tls = 'starttls', port = tls === 'implicit' ? 465 : 587, user, passwordFrom } = smtp;
  if (tls === 'none' && !allowHttp && !isPrivateWay(new URL(`http://${host}`))) {
    throw new ConfigError(`The email is not sent to ${host} without encryption, because others could read it.`, {
      code: 'plain-http',
      hint: 'Use `tls: starttls`, or set `allowHttp: true` if you trust the network.',
    });
  }
  const password = passwordFrom === undefined ? undefined : env[passwordFrom];
  if (passwordFrom !== undefined && !password) {
    throw new ConfigError(`The variable ${passwordFrom} is not set. The mail server needs it.`, {
      code: 'variable-missing',
      hint: 'Set it in the environment of the report. passwordFrom refers to it.',
    });
  }
  const wanted = addressesOf([...to, ...cc, ...bcc]);
  const open = wanted.filter((address) => !receipts?.has(markOf(address)));
  if (open.length === 0) return [];
  throwIfAborted(signal);
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: longestSilence,
    greetingTimeout: longestSilence,
    socketTimeout: longestReply,
  });
  try {
    const [sender = from] = addressesOf([from]);
    const raw = Buffer.from(email);
    // Rejects like this if the server takes none of the recipients.
    const answer = await transport
      .sendMail({ envelope: { from: sender, to: [...open] }, raw })
      .catch((cause: unknown) => {
        if ((cause as Partial<Answer>).rejectedErrors === undefined) throw cause;
        return cause as Answer;
      });
    const { rejectedErrors = [] } = answer as Answer;
    const reasons = new Map(rejectedErrors.map(({ recipient = '', response = '' }) => [recipient, response]));
    const taken = open.filter((address) => !reasons.has(address));
    for (const address of taken) await receipts?.add(markOf(address));
    if (reasons.size === 0) return taken;
    const why = [...reasons].map(([address, response]) => `${address} (${quote(response)})`);
    throw new Undelivered(
      `The mail server ${host} refused ${why.join(', ')}.`,
      {
        code: 'mailer-failed',
        hint: [...reasons.values()].every((response) => response.startsWith('4'))
          ? 'This is temporary. The next scheduled run sends it again, to nobody else.'
          : 'Correct the address, or remove it. A scheduled run repeats it for nobody else.',
      },
      { taken, refused: [...reasons.keys()] },
    );
  } catch (cause) {
    if (cause instanceof Undelivered) throw cause;
    throw new Undelivered(
      `The mail server ${host} did not take the email (${reasonOf(cause as Failure)}).`,
      { code: 'mailer-failed', cause, hint: hintOf(cause as Failure) },
      { taken: [], refused: open },
    );
  } finally {
    transport.close();
  }
}

/** What the server or the system said. The answer to a login is left out, because servers may repeat what they got. */
function reasonOf({ code, response, responseCode, message }: Failure): string {
  if (code === 'EAUTH') return `login failed, ${responseCode ?? code}`;
  return response === undefined ? message.trim() : quote(response);
}

/** A server that took the whole email and ends without an answer may have sent it. */
function hintOf({ message }: Failure): string {
  return message === 'Connection closed unexpectedly' || message === 'Timeout'
    ? 'Check the mail server. It may have the email; the next run sends it again.'
    : 'Check smtp in the configuration. The next run sends it again.';
}

interface Failure extends Error {
  readonly code?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** The part of nodemailer's answers, and of its errors, that its types lack. */
interface Answer {
  readonly rejectedErrors?: readonly { readonly recipient?: string; readonly response?: string }[];
}

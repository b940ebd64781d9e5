import * as z from 'zod';
import { reportFormats } from '../../show/format-name.ts';

/** True for an http or https URL without credentials. */
export function isPlainAddress(address: string): boolean {
  const url = URL.parse(address);
  return (
    (url?.protocol === 'https:' || url?.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    ![...url.searchParams.keys()].some((name) => /token|secret|password|signature|^sig$|key$/i.test(name))
  );
}

/** Where a finished report goes. Secrets are given as names of environment variables, never as values. */
export type Delivery = FolderDelivery | StdoutDelivery | WebhookDelivery | EmailDelivery | CommandDelivery;

/** A command of the configuration, by name. It receives the report in each format. */
export interface CommandDelivery {
  readonly kind: 'command';
  readonly command: string;
  readonly formats: readonly string[];
}

/** Files in a folder, with the slot's date in their names. */
export interface FolderDelivery {
  readonly kind: 'folder';
  /** As written; relative to the workspace. */
  readonly folder: string;
  readonly formats: readonly string[];
  /** How many of the latest files to keep per format (default: all). */
  readonly keep?: number | undefined;
  /** Also write a page that lists the reports in the folder. */
  readonly index?: boolean | undefined;
}

interface StdoutDelivery {
  readonly kind: 'stdout';
  readonly format: string;
}

/** A POST request with an `Idempotency-Key`. */
export interface WebhookDelivery {
  readonly kind: 'webhook';
  readonly url: Url;
  readonly body: 'json' | 'html' | 'slack' | 'teams';
  /** The URL of the folder with the web version. */
  readonly link?: string | undefined;
  /** The environment variable with the secret that signs the body. */
  readonly secretFrom?: string | undefined;
}

/** The URL itself, or the variable that contains it. */
type Url = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'variable'; readonly name: string };

/** An email. */
export interface EmailDelivery {
  readonly kind: 'email';
  readonly to: readonly string[];
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
  /** Send a separate email to each recipient. */
  readonly each?: boolean | undefined;
  readonly unsubscribe?: string | undefined;
  /** Attach the rows of its cells as files, and the report as PDF. */
  readonly attach?: readonly AttachedFormat[] | undefined;
  readonly link?: string | undefined;
  readonly from?: string | undefined;
  /** The folder to write the email to, for another program to send. By default, the configured mailer sends it. */
  readonly into?: string | undefined;
}

export type AttachedFormat = 'csv' | 'parquet' | 'pdf';

const text = z.string().min(1);
const folder = text.refine((name) => !isAddress(name), {
  error:
    'This is a URL, not a folder: sluice writes to local folders.\n' +
    'Upload it with a command of the configuration: `command: NAME`.',
});
const format = z.enum([...reportFormats, 'md']);
const variable = z.string().regex(/^[A-Z_][A-Z\d_]*$/, {
  error:
    'This is not a valid name of an environment variable.\n' +
    'Write its name in capitals, such as REPORT_HOOK_SECRET; its value stays out of the file.',
});
/** Excludes characters that could end a line of an email's header. */
const mailbox = z
  .string()
  .regex(
    /^(?:[^\p{Cc}\p{Zl}\p{Zp}@,;:<>"()[\]\\]+ <[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\]+>|[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\]+)$/u,
    { error: 'This is not an email address.\nWrite, for example, team@example.org or Team <team@example.org>.' },
  );
const mailboxes = z.union([mailbox, z.array(mailbox).min(1)]).optional();
const webAddress = z.string().refine(isPlainAddress, {
  error: 'This URL is not allowed: it is not an http or https URL, or contains a credential.\nWrite https://….',
});

/** True for `s3://bucket`, `sftp://host/path` and so on. */
export function isAddress(name: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(name.trim());
}

const places = ['folder', 'stdout', 'webhook', 'webhookFrom', 'email', 'command'] as const;

/** The keys allowed with each place. */
const allowedKeys: Readonly<Record<(typeof places)[number], readonly string[]>> = {
  folder: ['formats', 'keep', 'index'],
  stdout: [],
  webhook: ['body', 'secretFrom', 'link'],
  webhookFrom: ['body', 'secretFrom', 'link'],
  email: ['from', 'into', 'cc', 'bcc', 'each', 'unsubscribe', 'link', 'attach'],
  command: ['formats'],
};

/** One place that a report goes to, as in a report or a configuration. */
export const deliverySchema = z
  .strictObject({
    folder: folder.optional().describe('A folder, relative to the workspace; file names contain the date'),
    formats: z.array(format).min(1).optional().describe('folder and command: the formats (default: html)'),
    keep: z
      .int()
      .min(1)
      .optional()
      .describe('folder only: how many of its latest files of each format to keep (default: all)'),
    index: z
      .boolean()
      .optional()
      .describe('folder only: also write index.html, a page that lists the reports of the folder'),
    stdout: format.optional().describe('Standard output, in this format'),
    webhook: text.optional().describe('A URL that the report is sent to by POST'),
    webhookFrom: variable.optional().describe('The environment variable that holds the URL, if the URL is secret'),
    body: z
      .enum(['json', 'html', 'slack', 'teams'])
      .optional()
      .describe('webhook only: json (default), html, or a message for Slack or Teams'),
    secretFrom: variable.optional().describe('webhook only: the environment variable that holds the signing secret'),
    command: z
      .string()
      .min(1)
      .optional()
      .describe('The name of a command of the configuration (commands), run once for each format'),
    link: webAddress
      .optional()
      .describe('webhook and email: the URL of the folder with the web version, whose files a folder delivery writes'),
    email: mailboxes.describe('The recipients of the email'),
    cc: mailboxes.describe('email only: recipients of a copy'),
    bcc: mailboxes.describe('email only: recipients of a copy that the others do not see'),
    each: z.boolean().optional().describe('email only: a separate email for each recipient'),
    unsubscribe: z
      .union([webAddress, z.string().regex(/^mailto:[^\s<>,]+$/)])
      .optional()
      .describe('email only: the https or mailto URL of the header List-Unsubscribe'),
    attach: z
      .array(z.enum(['csv', 'parquet', 'pdf']))
      .min(1)
      .optional()
      .describe('email only: attach the rows of each cell (csv, parquet), or the report (pdf)'),
    from: mailbox.optional().describe('email only: the sender'),
    into: folder
      .optional()
      .describe(
        'email only: a folder for the message, relative to the workspace (default: the configured mailer sends it)',
      ),
  })
  .superRefine((file, context) => {
    const keys = Object.keys(file).filter((key) => file[key as keyof typeof file] !== undefined);
    const named = places.filter((place) => keys.includes(place));
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    const [place] = named;
    if (place === undefined || named.length > 1)
      return refuse(
        'Each delivery needs exactly one destination.\n' +
          `Write one of ${places.join(', ')}, with a separate entry for each.`,
      );
    for (const key of keys.filter((one) => one !== place && !allowedKeys[place].includes(one)))
      refuse(`"${key}" cannot be used with "${place}".\nLeave it out.`, [key]);
    const isChat = file.body === 'slack' || file.body === 'teams';
    if (isChat && file.secretFrom !== undefined)
      refuse('Slack and Teams do not check signatures.\nLeave secretFrom out.', ['secretFrom']);
    if (file.link !== undefined && place !== 'email' && !isChat)
      refuse('"link" is only for emails and messages for Slack or Teams.\nLeave it out.', ['link']);
    if (file.each && (file.cc !== undefined || file.bcc !== undefined))
      refuse('Separate emails have no copies.\nLeave cc and bcc out, or list all recipients under email.', ['each']);
    if (file.webhook !== undefined && !isPlainAddress(file.webhook))
      refuse(
        'This URL is not allowed: it is not an http or https URL, or contains a credential.\n' +
          'Write https://…, or put the URL in an environment variable and name that variable in webhookFrom.',
        ['webhook'],
      );
  });

export type DeliveryFile = DeepReadonly<z.infer<typeof deliverySchema>>;

export function toDelivery({
  folder,
  formats,
  stdout,
  webhook,
  webhookFrom,
  body,
  secretFrom,
  email,
  from,
  into,
  cc,
  bcc,
  each,
  unsubscribe,
  link,
  command,
  keep,
  index,
  attach,
}: DeliveryFile): Delivery {
  if (folder !== undefined) return { kind: 'folder', folder, formats: formats ?? ['html'], keep, index };
  if (stdout !== undefined) return { kind: 'stdout', format: stdout };
  if (command !== undefined) return { kind: 'command', command, formats: formats ?? ['html'] };
  if (email !== undefined)
    return {
      kind: 'email',
      to: toList(email) ?? [],
      from,
      into,
      cc: toList(cc),
      bcc: toList(bcc),
      each,
      unsubscribe,
      attach,
      link,
    };
  const url =
    webhookFrom === undefined
      ? ({ kind: 'text', text: webhook ?? '' } as const)
      : ({ kind: 'variable', name: webhookFrom } as const);
  return { kind: 'webhook', url, body: body ?? 'json', secretFrom, link };
}

function toList(written: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof written === 'string' ? [written] : written;
}

/** Makes data read-only at every depth. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

import * as z from 'zod';
import { isPlainAddress } from './delivery.ts';

const text = z.string().min(1);
const folder = text.refine((name) => !isAddress(name), {
  error:
    'This is an address, not a folder: sluice writes to folders of this machine.\nMount the storage, or send the report with webhook.',
});
const format = z.enum(['markdown', 'md', 'html', 'json', 'eml']);
const variable = z.string().regex(/^[A-Z_][A-Z\d_]*$/, {
  error:
    'This is no name of a variable of the environment.\nWrite its name in capitals, such as REPORT_HOOK_SECRET; what it holds stays out of the file.',
});
/** What an address must not hold could end a line of a letter's head. */
const mailbox = z.string().regex(/^[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\]+$/, {
  error: 'This is no address for letters.\nSuch as team@example.org.',
});

/** `s3://bucket`, `sftp://host/path`. */
export function isAddress(name: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(name.trim());
}

const places = ['folder', 'stdout', 'webhook', 'webhookFrom', 'email'] as const;

/** The keys that go with each place. */
const companions: Readonly<Record<(typeof places)[number], readonly string[]>> = {
  folder: ['formats'],
  stdout: [],
  webhook: ['body', 'secretFrom'],
  webhookFrom: ['body', 'secretFrom'],
  email: ['from', 'into'],
};

/** One place that a report goes to, as a report or a configuration names it. */
export const deliverySchema = z
  .strictObject({
    folder: folder.optional().describe('A folder, from the workspace on; the names of the files hold the date'),
    formats: z.array(format).min(1).optional().describe('folder only: html where not set'),
    stdout: format.optional().describe('Standard output, in this format'),
    webhook: text.optional().describe('An address that the report is sent to by POST'),
    webhookFrom: variable
      .optional()
      .describe('The variable of the environment that holds the address, where that is a secret'),
    body: z.enum(['json', 'html']).optional().describe('webhook only: what is sent; json where not set'),
    secretFrom: variable
      .optional()
      .describe('webhook only: the variable of the environment that holds the secret by which it is signed'),
    email: z
      .union([mailbox, z.array(mailbox).min(1)])
      .optional()
      .describe('Who gets it as a letter'),
    from: mailbox.optional().describe('email only: who sends it'),
    into: folder
      .optional()
      .describe(
        'email only: a folder for the letter, from the workspace on; the configured mailer gets it where not set',
      ),
  })
  .superRefine((file, context) => {
    const keys = Object.keys(file).filter((key) => file[key as keyof typeof file] !== undefined);
    const named = places.filter((place) => keys.includes(place));
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
    const [place] = named;
    if (place === undefined || named.length > 1)
      return refuse(
        `Each delivery names one place.\nWrite one of ${places.join(', ')}, and an entry of its own for each.`,
      );
    for (const key of keys.filter((one) => one !== place && !companions[place].includes(one)))
      refuse(`"${key}" does not go with "${place}".\nLeave it out.`, [key]);
    if (file.webhook !== undefined && !isPlainAddress(file.webhook))
      refuse(
        'This is no address that can be written down: it is not an http or https URL, or holds a credential.\nWrite https://…, or put it into a variable of the environment and name that as webhookFrom.',
        ['webhook'],
      );
  });

/** Of the web, and without anything that lets in who reads it. */
export function isPlainAddress(address: string): boolean {
  const url = URL.parse(address);
  return (
    (url?.protocol === 'https:' || url?.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    ![...url.searchParams.keys()].some((name) => /token|secret|password|signature|^sig$|key$/i.test(name))
  );
}

/**
 * Where a report goes when it is made. Secrets are named by the variable of the environment that holds them, never
 * written down.
 */
export type Delivery = FolderDelivery | StdoutDelivery | WebhookDelivery | EmailDelivery | CommandDelivery;

/** A command of the configuration, by its name: it takes the report in each format. */
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
  /** How many of its latest files of each format stay; all where not set. */
  readonly keep?: number | undefined;
  /** With a page that lists what lies there. */
  readonly index?: boolean | undefined;
}

interface StdoutDelivery {
  readonly kind: 'stdout';
  readonly format: string;
}

/** A POST, which carries an `Idempotency-Key`. */
export interface WebhookDelivery {
  readonly kind: 'webhook';
  readonly url: Url;
  readonly body: 'json' | 'html' | 'slack' | 'teams';
  /** The address of the folder with the web version. */
  readonly link?: string | undefined;
  /** The variable that holds the secret by which the body is signed. */
  readonly secretFrom?: string | undefined;
}

/** The address itself, or the variable that holds it. */
type Url = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'variable'; readonly name: string };

/** A letter. */
export interface EmailDelivery {
  readonly kind: 'email';
  readonly to: readonly string[];
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
  /** A letter of their own for each recipient. */
  readonly each?: boolean | undefined;
  readonly unsubscribe?: string | undefined;
  readonly link?: string | undefined;
  readonly from?: string | undefined;
  /** The folder that it is put into, for whoever sends it; where there is none, the configured mailer gets it. */
  readonly into?: string | undefined;
}

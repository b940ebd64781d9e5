import type { Report } from '../../../tell/report/report.ts';
import type { Clock } from '../../../run/http/clock.ts';
import type { CommandSetting, SmtpSetting } from '../../config/settings.ts';
import type { Environment } from '../../config/read-environment.ts';

/** A report on its way. */
export interface Outgoing {
  readonly report: Report;
  /** What its files are called, without their endings: its name and the date. */
  readonly base: string;
  /** What letters of it are called. */
  readonly subject?: string | undefined;
  /** The same for each try to send it: by it a receiver knows what it has already. */
  readonly occasion: string;
}

/** What a delivery may know of and do to the world. */
export interface DeliveryWorld {
  /** Absolute path of the workspace: folders begin there, and the mailer runs there. */
  readonly root: string;
  readonly env: Environment;
  readonly stdout: { readonly write: (text: string | Uint8Array) => Promise<void> };
  /** The command that sends a letter, and the server that takes it if there is none. */
  readonly mailer: string | undefined;
  readonly smtp?: SmtpSetting | undefined;
  /** Commands that take reports, by their names. */
  readonly commands?: Readonly<Record<string, CommandSetting>> | undefined;
  /** Who got it already, of a delivery that has several receivers. */
  readonly receipts?: Receipts | undefined;
  readonly clock: Clock;
  /** Whether a secret address may be used over plain http. */
  readonly allowHttp: boolean;
  /** What `--verbose` shows. */
  readonly trace: ((line: string) => void) | undefined;
  /** Also a report with failures takes the place of an older one. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Marks of receivers who need not get a report again. */
export interface Receipts {
  readonly has: (mark: string) => boolean;
  /** Resolves when it is on the disk. */
  readonly add: (mark: string) => Promise<void>;
}

/** Where the page of a report lies on the web: what a folder delivery calls it, below the address of that folder. */
export function toWebVersion(link: string | undefined, base: string): string | undefined {
  return link === undefined ? undefined : `${link.replace(/\/?$/, '/')}${encodeURIComponent(base)}.html`;
}

/** What was written or sent. */
export interface Sent {
  readonly formats: readonly string[];
  readonly bytes: number;
  /** Absolute paths of files. */
  readonly files: readonly { readonly path: string; readonly kept: boolean }[];
  /** See `RenderedReport`. */
  readonly missing?: readonly string[] | undefined;
}

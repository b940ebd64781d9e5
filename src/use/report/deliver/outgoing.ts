import type { Report } from '../../../tell/report/report.ts';
import type { Clock } from '../../../run/http/clock.ts';
import type { CommandSetting, SmtpSetting } from '../../config/settings.ts';
import type { Printing } from '../print-pdf.ts';

/** A report to deliver. */
export interface Outgoing {
  readonly report: Report;
  /** Name of its files without extension: its name and the date. */
  readonly base: string;
  /** Subject of its emails. */
  readonly subject?: string | undefined;
  /** An ID that is the same for every attempt, so that a receiver can detect duplicates. */
  readonly occasion: string;
}

/** Settings and I/O of deliveries. */
export interface DeliveryWorld extends Printing {
  /** Absolute path of the workspace: the base of folders and working directory of the mailer. */
  readonly root: string;
  readonly stdout: { readonly write: (text: string | Uint8Array) => Promise<void> };
  /** The command that sends an email; without one, the mail server does. */
  readonly mailer: string | undefined;
  readonly smtp?: SmtpSetting | undefined;
  /** Commands that receive reports, by name. */
  readonly commands?: Readonly<Record<string, CommandSetting>> | undefined;
  /** Receivers that already got it, for deliveries with several. */
  readonly receipts?: Receipts | undefined;
  readonly clock: Clock;
  /** How long a webhook may take to answer, in milliseconds (default: 30 seconds). */
  readonly silenceMs?: number | undefined;
  /** True if a secret address may be used over plain HTTP. */
  readonly allowHttp: boolean;
  /** Receives details for `--verbose`. */
  readonly trace: ((line: string) => void) | undefined;
  /** True if a report with failures may replace an older one. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Marks of receivers that already got a report. */
export interface Receipts {
  readonly has: (mark: string) => boolean;
  /** Resolves when the mark is on disk. */
  readonly add: (mark: string) => Promise<void>;
}

/** URL of a report's page: its file name in a folder delivery, below the URL of that folder. */
export function toWebVersion(link: string | undefined, base: string): string | undefined {
  return link === undefined ? undefined : `${link.replace(/\/?$/, '/')}${encodeURIComponent(base)}.html`;
}

/** What was written or sent. */
export interface Sent {
  readonly formats: readonly string[];
  readonly bytes: number;
  /** Absolute paths of files. */
  readonly files: readonly { readonly path: string; readonly kept: boolean }[];
  /** The addresses that an email was sent to, without those that have it. */
  readonly receivers?: readonly string[] | undefined;
  /** See `RenderedReport`. */
  readonly missing?: readonly string[] | undefined;
}

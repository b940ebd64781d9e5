import type { Report } from '../../../tell/report/report.ts';
import type { Clock } from '../../../run/http/clock.ts';
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
  /** The command that sends a letter. */
  readonly mailer: string | undefined;
  readonly clock: Clock;
  /** Whether a secret address may be used over plain http. */
  readonly allowHttp: boolean;
  /** What `--verbose` shows. */
  readonly trace: ((line: string) => void) | undefined;
  /** Also a report with failures takes the place of an older one. */
  readonly force: boolean;
  readonly signal: AbortSignal;
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

import type { Effects } from '../../process/effects.ts';
import type { ExitCode } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import type { Command } from './command.ts';

/** What a command's work gets. */
export interface Invocation<Flags> {
  readonly args: readonly string[];
  readonly flags: Flags & GlobalFlags;
  readonly effects: Effects;
}

/** Starts the work of a command: loads its module only now. */
export type Start = <Flags>(
  command: Command,
  work: (invocation: Invocation<Flags>) => Promise<(invocation: Invocation<Flags>) => Promise<ExitCode>>,
) => Command;

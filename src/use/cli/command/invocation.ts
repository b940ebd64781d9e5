import type { Effects } from '../../process/effects.ts';
import type { ExitCode } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import type { Command } from './command.ts';

/** The input of a command's action. */
export interface Invocation<Flags> {
  readonly args: readonly string[];
  readonly flags: Flags & GlobalFlags;
  readonly effects: Effects;
}

/** Attaches an action to a command; its module loads only when the command runs. */
export type Start = <Flags>(
  command: Command,
  work: (invocation: Invocation<Flags>) => Promise<(invocation: Invocation<Flags>) => Promise<ExitCode>>,
) => Command;

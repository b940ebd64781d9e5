import { SluiceError } from '../../../ask/sluice-error.ts';
import { guardTerminal, stopProcess, watchTerminal } from '../../explorer/shell/guard-terminal.ts';
import { readLook, runExplorer } from '../../explorer/shell/run-explorer.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { readTerminalAbilities } from '../../output/terminal-abilities.ts';
import { isAlive } from '../../process/this-process.ts';
import type { ExploreFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';

/** `sluice explore`: runs the explorer on the terminal until the user leaves it. */
export async function runExplore({ args, flags, effects }: Invocation<ExploreFlags>): Promise<ExitCode> {
  const { terminal, env } = effects;
  if (!terminal) {
    throw new SluiceError('The explorer needs an interactive terminal.', {
      code: 'no-terminal',
      hint: "In a pipe, use `sluice query 'count by eventType'`.",
    });
  }
  const plain = env['TERM'] === 'dumb';
  if (plain)
    await toReporter(flags, effects).note(
      'This terminal (TERM=dumb) cannot draw a screen. sluice prints lines instead, as with --screen-reader. ' +
        'Type :keys for help, press ctrl-c twice to quit.',
    );
  await runExplorer({
    flags,
    effects,
    terminal,
    notebook: args[0],
    mouse: flags.mouse !== false,
    look: readLook(flags.color, env),
    chart: readTerminalAbilities({ isTerminal: true, env, color: flags.color }),
    plain,
    spoken: flags.screenReader === true || env['INK_SCREEN_READER'] === 'true',
    process: { id: process.pid, started: Date.now(), isAlive },
    stop: stopProcess,
    guard: guardTerminal,
    watch: watchTerminal,
  });
  return effects.signal.aborted ? exitCodes.interrupted : exitCodes.done;
}

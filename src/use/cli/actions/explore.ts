import { SluiceError } from '../../../ask/sluice-error.ts';
import { guardTerminal } from '../../explorer/shell/guard-terminal.ts';
import { runExplorer } from '../../explorer/shell/run-explorer.ts';
import type { ExploreFlags } from '../command-flags.ts';
import type { Effects } from '../effects.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { GlobalFlags } from '../global-flags.ts';
import type { Invocation } from '../invocation.ts';

/** `sluice explore`: on the terminal, until it is left. */
export async function runExplore({ args, flags, effects }: Invocation<ExploreFlags>): Promise<ExitCode> {
  const { terminal } = effects;
  if (!terminal) {
    throw new SluiceError('The explorer needs a terminal to be seen on and keys to be read from.', { code: 'no-terminal', hint: "Ask on a pipe by `sluice query 'count by eventType'`." });
  }
  await runExplorer({
    flags, effects, terminal, notebook: args[0], mouse: flags.mouse !== false,
    look: { depth: depthOf(flags, effects), unicode: true },
    spoken: flags.screenReader === true || effects.env['INK_SCREEN_READER'] === 'true',
    process: { id: process.pid, started: Date.now(), isAlive },
    stop: stopProcess, guard: guardTerminal,
  });
  return exitCodes.done;
}

function depthOf({ color }: GlobalFlags, { env }: Effects): 'colour' | 'attributes' | 'plain' {
  if (env['TERM'] === 'dumb') return 'plain';
  return color === false || (env['NO_COLOR'] ?? '') !== '' ? 'attributes' : 'colour';
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** As ctrl-z does it elsewhere. Resolves when the shell has brought the process back. */
function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGCONT', () => resolve());
    process.kill(process.pid, 'SIGTSTP');
  });
}

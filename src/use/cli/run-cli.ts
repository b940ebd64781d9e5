import { CommanderError } from 'commander';
import { showText } from '../../ask/document/show-text.ts';
import type { Effects } from './effects.ts';
import { exitCodes, type ExitCode } from './exit-code.ts';
import { toProgram } from './program.ts';
import { welcome } from './welcome.ts';

/** Runs one command. Resolves with its exit code, whatever happens; everything it says has been written by then. */
export async function runCli(argv: readonly string[], effects: Effects): Promise<ExitCode> {
  if (argv.length === 0) {
    await effects.stdout.write(welcome);
    return exitCodes.done;
  }
  let help = '';
  let mistake = '';
  let code: ExitCode = exitCodes.done;
  const program = toProgram(effects, {
    help: (text) => { help += text; },
    mistake: (text) => { mistake += text; },
  }, (finished) => { code = finished; });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return await answerCommander(error, { help, mistake }, program.args, effects);
    const { reportError } = await import('./report-error.ts');
    return await reportError(error, effects);
  }
}

/** Commander throws for help and version too. */
async function answerCommander(error: CommanderError, said: { readonly help: string; readonly mistake: string }, words: readonly string[], effects: Effects): Promise<ExitCode> {
  if (error.exitCode === 0) {
    await effects.stdout.write(said.help);
    return exitCodes.done;
  }
  if (said.mistake === '') {
    // `sluice help nothing-like-it` and the like: help is all that Commander has to say.
    await effects.stderr.write(said.help);
    return exitCodes.wrongInput;
  }
  const asked = error.code === 'commander.unknownCommand' && !said.mistake.includes('Did you mean') ? words.join(' ') : undefined;
  const hint = asked === undefined ? '--help tells what there is.' : `A question goes after query: sluice query ${shellQuoted(asked)}`;
  const message = said.mistake.trim().replace(/^error: /, '').replace(/\n\((Did you mean .*\?)\)$/, '\n  $1');
  await effects.stderr.write(`sluice: ${message.split('\n').map(showText).join('\n')}\n  ${showText(hint)}\n`);
  return exitCodes.wrongInput;
}

/** As one word of a command line. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

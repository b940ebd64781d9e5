import { type Command, CommanderError } from 'commander';
import { showText } from '../../ask/document/show-text.ts';
import type { Effects } from './effects.ts';
import { exitCodes, type ExitCode } from './exit-code.ts';
import { toProgram } from './program.ts';
import { shellWord } from '../../ask/shell-word.ts';

/** Runs one command. Resolves with its exit code, whatever happens; everything it says has been written by then. */
export async function runCli(argv: readonly string[], effects: Effects): Promise<ExitCode> {
  if (argv.length === 0) {
    const { hasData, writeWelcome } = await import('./welcome.ts');
    // Where somebody sits and there is something to ask, asking is what they came for.
    if (effects.terminal && effects.stdout.isTerminal && (await hasData(effects))) return runCli(['explore'], effects);
    await effects.stdout.write(await writeWelcome(effects));
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
    if (error instanceof CommanderError) return await answerCommander(error, { help, mistake }, program, effects);
    const { reportError } = await import('./report-error.ts');
    return await reportError(error, effects);
  }
}

/** Commander throws for help and version too. */
async function answerCommander(error: CommanderError, said: { readonly help: string; readonly mistake: string }, program: Command, effects: Effects): Promise<ExitCode> {
  if (error.exitCode === 0) {
    await effects.stdout.write(said.help);
    return exitCodes.done;
  }
  if (said.mistake === '') {
    // `sluice help nothing-like-it` and the like: help is all that Commander has to say.
    await effects.stderr.write(said.help);
    return exitCodes.wrongInput;
  }
  const near = /\n\(Did you mean (.*)\?\)$/.exec(said.mistake.trim())?.[1];
  const message = said.mistake.trim().replace(/^error: /, '').replace(/\n\(Did you mean .*\?\)$/, '');
  const hint = error.code !== 'commander.unknownCommand' ? hintForFlag(near, program) : near === undefined ? `A question goes after query: sluice query ${shellWord(program.args.join(' '))}` : `Did you mean ${near}? Type: sluice ${near} --help`;
  await effects.stderr.write(`sluice: ${message.split('\n').map(showText).join('\n')}\n  ${showText(hint)}\n`);
  return exitCodes.wrongInput;
}

/** What to type where a flag or an argument is wrong. */
function hintForFlag(near: string | undefined, program: Command): string {
  const command = program.commands.find((each) => program.args.includes(each.name()) || each.name() === program.args[0]);
  const help = `sluice ${command === undefined ? '' : `${command.name()} `}--help`;
  return near === undefined ? `All there is: ${help}` : `Did you mean ${near}? All there is: ${help}`;
}

import { type Command, CommanderError } from 'commander';
import { nearest } from '../../ask/suggest.ts';
import { shellWord, showText } from '../../ask/text.ts';
import type { Effects } from '../process/effects.ts';
import { type ExitCode, exitCodes } from '../process/exit-code.ts';
import { toProgram } from './program.ts';

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
  const isApi = argv.some((word) => /\bapi\b/.test(word));
  // Reading the data of all operations takes a while.
  const operations = isApi ? (await import('./commands/api-operations.ts')).operationCommands : undefined;
  const program = toProgram(
    effects,
    {
      help: (text) => {
        help += text;
      },
      mistake: (text) => {
        mistake += text;
      },
    },
    (finished) => {
      code = finished;
    },
    // Others look at the commands beside them, as completion does.
    argv[0] === 'query' ? argv[0] : undefined,
    operations,
  );
  try {
    await program.parseAsync(argv.includes('api') ? argv.map(withHyphens) : argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return await answerCommander(error, { help, mistake }, program, effects);
    const { reportError } = await import('../process/report-error.ts');
    return await reportError(error, effects);
  }
}

/** `--tag_name`, as the platform's API has it, is `--tag-name`. */
function withHyphens(word: string): string {
  return word.replace(/^--[a-z]\w*(?==|$)/, (flag) => flag.replaceAll('_', '-'));
}

/** Commander throws for help and version too. */
async function answerCommander(
  error: CommanderError,
  said: { readonly help: string; readonly mistake: string },
  program: Command,
  effects: Effects,
): Promise<ExitCode> {
  if (error.exitCode === 0) {
    await effects.stdout.write(said.help);
    return exitCodes.done;
  }
  if (said.mistake === '') {
    // `sluice help nothing-like-it` and the like: help is all that Commander has to say.
    await effects.stderr.write(said.help);
    return exitCodes.wrongInput;
  }
  const mistake = said.mistake.trim();
  const near = /\n\(Did you mean (.*)\?\)$/.exec(mistake)?.[1];
  const complaint = mistake.replace(/^error: /, '').replace(/\n\(Did you mean .*\?\)$/, '');
  const { readInvalidValue } = await import('./command/invalid-value.ts');
  const invalid = readInvalidValue(complaint, nameOf(program).replace('sluice ', ''));
  const message = invalid?.message ?? complaint;
  const hint =
    invalid !== undefined
      ? hintForFlag(invalid.near, program)
      : error.code === 'commander.unknownCommand'
        ? hintForCommand(near, program)
        : hintForFlag(near, program);
  await effects.stderr.write(`sluice: ${message.split('\n').map(showText).join('\n')}\n  ${showText(hint)}\n`);
  return exitCodes.wrongInput;
}

/** What to type where there is no such command, below the one that was typed or at all. */
function hintForCommand(similar: string | undefined, program: Command): string {
  const [typed = ''] = program.args;
  const above = program.commands.find((each) => each.name() === typed);
  const start = above === undefined ? 'sluice' : nameOf(program);
  // Commander takes `count` for `cohort`, but it begins a question.
  const near =
    above === undefined
      ? nearest(
          typed,
          program.commands.map((each) => each.name()),
        )
      : similar;
  if (near !== undefined) return `Did you mean ${near}? Type: ${start} ${near} --help`;
  return above === undefined
    ? `To run a query, type: sluice query ${shellWord(program.args.join(' '))}`
    : `For all commands, run: ${start} --help`;
}

/** What to type where a flag or an argument is wrong. */
function hintForFlag(near: string | undefined, program: Command): string {
  const help = `${nameOf(program)} --help`;
  return near === undefined ? `For all options, run: ${help}` : `Did you mean ${near}? For all options, run: ${help}`;
}

/** The command that was typed, with those above it: `sluice report schedule`. */
function nameOf(program: Command): string {
  const names = ['sluice'];
  let at = 0;
  let command = program;
  for (;;) {
    const place = program.args.findIndex(
      (word, index) => index >= at && command.commands.some((each) => each.name() === word),
    );
    if (place < 0) break;
    command = command.commands.find((each) => each.name() === program.args[place])!;
    names.push(command.name());
    at = place + 1;
  }
  // `sluice retention --by day` is `sluice retention run --by day`, whose help lists the flags.
  const usual = (command as { readonly _defaultCommandName?: string | null })._defaultCommandName;
  return [...names, ...(usual == null ? [] : [usual])].join(' ');
}

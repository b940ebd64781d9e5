import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Command, CommanderError } from 'commander';
import { nearest } from '../../ask/suggest.ts';
import { shellWord, showText } from '../../ask/text.ts';
import { isAnalysisName } from '../../plan/analysis/analysis-names.ts';
import type { Effects } from '../process/effects.ts';
import { type ExitCode, exitCodes } from '../process/exit-code.ts';
import { refuseMisplacedFiles } from './command/misplaced-files.ts';
import { toProgram } from './program.ts';

/** Runs one command. Always resolves with its exit code, after all its output is written. */
export async function runCli(argv: readonly string[], effects: Effects): Promise<ExitCode> {
  if (argv.length === 0) {
    const { hasData, writeWelcome } = await import('./welcome.ts');
    // On a terminal with data available, open the explorer.
    if (effects.terminal && effects.stdout.isTerminal && (await hasData(effects))) return runCli(['explore'], effects);
    await effects.stdout.write(await writeWelcome(effects));
    return exitCodes.done;
  }
  let help = '';
  let mistake = '';
  let code: ExitCode = exitCodes.done;
  const isApi = argv.some((word) => /\bapi\b/.test(word));
  // Loading the data of all operations takes time.
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
    // Other commands need the whole program, as completion does.
    argv[0] === 'query' ? argv[0] : undefined,
    operations,
  );
  const refuseFiles = (command: Command) => refuseMisplacedFiles(command, argv, effects.cwd);
  program.hook('preAction', (_, command) => {
    const misplaced = refuseFiles(command);
    if (misplaced) throw misplaced;
  });
  try {
    await program.parseAsync(argv.includes('api') ? argv.map(withHyphens) : argv, { from: 'user' });
    return code;
  } catch (thrown) {
    const error = (isExcess(thrown) && refuseFiles(typedCommands(program).at(-1)!)) || thrown;
    if (error instanceof CommanderError) {
      // On a terminal, flags and files alone open the explorer: `sluice --store events`, `sluice shop.csv`.
      const files = new Set(program.args.filter((word) => !word.startsWith('-')));
      const isFlags = error.code === 'commander.help' && mistake === '' && program.args.length === 0;
      const isFiles = error.code === 'commander.unknownCommand' && [...files].every((word) => isFile(word, effects));
      if ((isFlags || isFiles) && effects.terminal && effects.stdout.isTerminal) {
        const asFlags = argv.flatMap((word) => (files.has(word) ? ['--events', word] : word));
        return runCli(['explore', ...asFlags], effects);
      }
      return await answerCommander(error, { help, mistake }, program, effects);
    }
    const { reportError } = await import('../process/report-error.ts');
    return await reportError(error, effects);
  }
}

function isExcess(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.excessArguments';
}

/** Accepts `--tag_name`, the name in the platform's API, as `--tag-name`. */
function withHyphens(word: string): string {
  return word.replace(/^--[a-z]\w*(?==|$)/, (flag) => flag.replaceAll('_', '-'));
}

/** Commander also throws for --help and --version. */
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
    // For an unknown command after `sluice help`, commander prints only help.
    await effects.stderr.write(said.help);
    return exitCodes.wrongInput;
  }
  const mistake = said.mistake.trim();
  const near = otherName(mistake, program) ?? /\n\(Did you mean (.*)\?\)$/.exec(mistake)?.[1];
  const complaint = mistake.replace(/^error: /, '').replace(/\n\(Did you mean .*\?\)$/, '');
  const { readInvalidValue } = await import('./command/invalid-value.ts');
  const invalid = readInvalidValue(complaint, nameOf(program).replace('sluice ', ''));
  const message = invalid?.message ?? complaint;
  const hint =
    invalid !== undefined
      ? hintForFlag(invalid.near, program)
      : error.code === 'commander.unknownCommand'
        ? hintForCommand(near, program, effects)
        : ((isExcess(error) ? hintForLine(program) : undefined) ?? hintForFlag(near, program));
  await effects.stderr.write(`sluice: ${message.split('\n').map(showText).join('\n')}\n  ${showText(hint)}\n`);
  return exitCodes.wrongInput;
}

/** Whether a word names a file or folder, or a part of a file: `app.db/hits`. No command has a dot or slash. */
function isFile(word: string, { cwd }: Effects): boolean {
  if (!/[./]/.test(word) || word.startsWith('-')) return false;
  let place = path.resolve(cwd, word);
  if (existsSync(place)) return true;
  while (!existsSync(place)) place = path.dirname(place);
  return statSync(place).isFile();
}

/** The hint for an unknown command, below a known one or at the top. */
function hintForCommand(similar: string | undefined, program: Command, effects: Effects): string {
  const [typed = ''] = program.args;
  if (isFile(typed, effects)) {
    const file = shellWord(typed);
    return (
      `To map the columns of this file, type: sluice init ${file}. ` +
      `To query it: sluice query 'count by day' --events ${file}`
    );
  }
  const above = program.commands.find((each) => each.name() === typed);
  const start = above === undefined ? 'sluice' : nameOf(program);
  // Commander would suggest `cohort` for `count`, but it probably begins a question.
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

/** The hint for several words after an analysis, which takes the name of its file: `sluice lifecycle by week`. */
function hintForLine(program: Command): string | undefined {
  const [typed = '', ...words] = program.args;
  if (!isAnalysisName(typed) || typed === 'cohort' || typedCommands(program).at(-1)?.name() !== 'run') return undefined;
  const line = [typed, ...(words[0] === 'run' ? words.slice(1) : words)].join(' ');
  return `To ask it in one line, type: sluice query ${shellWord(line)}`;
}

/** Flags by their names in other tools. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  '--events': ['--data', '--file', '--files', '--from', '--in', '--input', '--source', '-i'],
  '--measure': ['--metric', '--metrics'],
  '--dimension': ['--breakdown', '--by', '--group', '--group-by', '-g'],
  '--range': ['--date', '--dates', '--end', '--end-time', '--since', '--start', '--start-time', '--to', '--until'],
  '--where': ['--condition', '--filter'],
  '--order': ['--order-by', '--sort'],
  '--timezone': ['--time-zone', '--tz'],
  '--output': ['--out'],
  '--limit': ['--top', '-n'],
  ...Object.fromEntries(
    ['csv', 'json', 'markdown', 'parquet'].map((format) => [`--format ${format}`, [`--${format}`]]),
  ),
};

/** The flag of the typed command that other tools call as it was typed. */
function otherName(mistake: string, program: Command): string | undefined {
  const [, typed = ''] = /^error: unknown option '([^'=]+)/.exec(mistake) ?? [];
  const meant = Object.keys(otherNames).find((flag) => otherNames[flag]?.includes(typed));
  const flags = [program, ...typedCommands(program)].flatMap(({ options }) => options);
  return flags.some(({ long }) => long === meant?.split(' ')[0]) ? meant : undefined;
}

/** The hint for an invalid flag or argument. */
function hintForFlag(near: string | undefined, program: Command): string {
  const help = `${nameOf(program)} --help`;
  return near === undefined ? `For all options, run: ${help}` : `Did you mean ${near}? For all options, run: ${help}`;
}

/** The full name of the typed command: `sluice report schedule`. */
function nameOf(program: Command): string {
  return ['sluice', ...typedCommands(program).map((each) => each.name())].join(' ');
}

/** The typed command below each of its parents: `report`, `schedule`. */
function typedCommands(program: Command): readonly Command[] {
  const found: Command[] = [];
  let at = 0;
  let command = program;
  for (;;) {
    const place = program.args.findIndex(
      (word, index) => index >= at && command.commands.some((each) => each.name() === word),
    );
    if (place < 0) break;
    command = command.commands.find((each) => each.name() === program.args[place])!;
    found.push(command);
    at = place + 1;
  }
  // `sluice retention --by day` runs `sluice retention run`, whose help lists the flags.
  const usual = (command as { readonly _defaultCommandName?: string | null })._defaultCommandName;
  const run = command.commands.find((each) => each.name() === usual);
  return run ? [...found, run] : found;
}

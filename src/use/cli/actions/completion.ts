import path from 'node:path';
import type { Command } from 'commander';
import { errorIssue } from '../../../ask/outcome.ts';
import { quote } from '../../../ask/quote.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { sanitize } from '../../../show/sanitize.ts';
import { openSettings } from '../../config/open-settings.ts';
import { openModel } from '../../open-model.ts';
import { listSavedQueries } from '../../answer/saved-queries.ts';
import type { Effects } from '../effects.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { splitLine, toBashWord, type SplitLine } from './completion-line.ts';
import { findPlace, type Cursor } from './completion-place.ts';
import { completionScripts, shells, type Shell } from './completion-scripts.ts';
import { findCandidates, type Candidate, type Lookup } from './completion-values.ts';

/** `sluice completion SHELL`: the script; with the words of a line after `--`, what could stand at its end. */
export async function runCompletion({ args, effects }: Invocation<object>, program: Command): Promise<ExitCode> {
  const [named, ...words] = args as readonly [Shell?, ...string[]];
  const shell = named ?? shellOf(effects);
  await effects.stdout.write(words.length === 0 ? completionScripts[shell] : await reply(shell, words, program, effects));
  return exitCodes.done;
}

function shellOf({ env }: Effects): Shell {
  const name = path.basename(env['SHELL'] ?? '');
  const shell = shells.find((each) => each === name);
  if (shell) return shell;
  const message = name === '' ? 'There is no telling which shell is to be completed.' : `There is no completion for the shell ${quote(name)}.`;
  const hint = `Name one of ${shells.join(', ')}: \`sluice completion bash\``;
  throw new InvalidInputError(message, [errorIssue('unknown-shell', message, { hint })], { hint });
}

async function reply(shell: Shell, given: readonly string[], program: Command, effects: Effects): Promise<string> {
  const line = lineOf(shell, given);
  const cursor = findPlace(program, line.words);
  // A shell has no place for what is wrong with a configuration: then there is nothing to offer.
  const { candidates, files } = await findCandidates(cursor, lookupIn(cursor, effects)).catch(() => ({ candidates: [], files: true }));
  const fitting = candidates.filter(({ value }) => value.startsWith(cursor.word) && !/\p{Cc}/u.test(value));
  const lines = fitting.flatMap((candidate) => writeCandidate(shell, candidate, line) ?? []);
  return [files ? 'files' : 'names', ...lines].map((text) => `${text}\n`).join('');
}

/** The words after `sluice`. bash gives the whole line, fish the last word as it is typed. */
function lineOf(shell: Shell, given: readonly string[]): SplitLine {
  if (shell === 'bash') {
    const line = splitLine(given[0] ?? '', given[1]);
    return { ...line, words: line.words.slice(1) };
  }
  const last = given.at(-1) ?? '';
  return { words: [...given.slice(0, -1), shell === 'fish' ? splitLine(last).words.join(' ') : last], open: '', settled: 0 };
}

function writeCandidate(shell: Shell, { value, description }: Candidate, line: SplitLine): string | undefined {
  if (shell === 'bash') return toBashWord(value, line);
  return description === undefined ? value : `${value}\t${sanitize(description)}`;
}

function lookupIn({ config }: Cursor, { cwd, env }: Effects): Lookup {
  const settings = async () => (await openSettings({ cwd, env, flags: {}, configFile: config, nameOf: (flag) => flag })).settings;
  return {
    model: async () => openModel((await settings()).model.value, cwd, () => undefined),
    saved: async () => (await listSavedQueries((await settings()).queries.value)).map(({ name }) => name),
  };
}

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { type InvalidInputError, inputError } from '../../../ask/sluice-error.ts';
import { shellWord } from '../../../ask/text.ts';

const eventFile =
  /\.(?:ndjson|jsonl|json|csv|tsv|parquet|arrow|arrows|feather|log|txt|zip|xlsx|xlsm|ods|db|sqlite3?|duckdb)(?:\.(?:gz|zst))?$/i;

/** Arguments that may be such a file, or any word. */
const takesAnyWord: ReadonlySet<string> = new Set(['file', 'files', 'user', 'words']);

/**
 * The error for event files that stand where a command takes other arguments, such as a question. Its hint is the
 * command with `--events`. undefined if there are none. `argv`: all words of the command line.
 */
export function refuseMisplacedFiles(
  command: Command,
  argv: readonly string[],
  cwd: string,
): InvalidInputError | undefined {
  if (command.registeredArguments.some((argument) => takesAnyWord.has(argument.name()))) return undefined;
  const isQuery = command.name() === 'query';
  const files = command.args.filter(
    // A JSON file alone is a query.
    (word) => namesEventFile(word, cwd) && !(isQuery && command.args.length === 1 && /\.json$/i.test(word)),
  );
  if (files.length === 0) return undefined;
  const rest = argv.filter((word) => !files.includes(word));
  const question = isQuery && files.length === command.args.length ? ['count by day'] : [];
  const typed = ['sluice', ...rest, ...question, ...files.flatMap((file) => ['--events', file])];
  return inputError(
    'files-misplaced',
    `Specify event files with --events, not as an argument: ${files.join(', ')}`,
    `Run: ${typed.map(shellWord).join(' ')}`,
  );
}

/** Whether a word is an existing file, or a pattern, with the ending of event files. */
function namesEventFile(word: string, cwd: string): boolean {
  return eventFile.test(word) && (/^[^\s'"]*[*?][^\s'"]*$/.test(word) || existsSync(path.resolve(cwd, word)));
}

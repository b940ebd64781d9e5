import type { Argument, Command, Option } from 'commander';
import { isAnalysisName } from '../../../plan/analysis/analysis-names.ts';

/** A command line up to the cursor. */
export interface SplitLine {
  readonly words: readonly string[];
  /** The open quote in the last word. */
  readonly open: '' | "'" | '"';
  /** Length of the start of the last word that bash does not replace. */
  readonly settled: number;
}

/**
 * Splits a line into words as a shell does: reads quotes and backslashes, expands nothing. `breaks` are bash's
 * COMP_WORDBREAKS, the characters at which it starts a new word to complete.
 */
export function splitLine(line: string, breaks = ''): SplitLine {
  const words: string[] = [];
  let word = '';
  let started = false;
  let open: SplitLine['open'] = '';
  let settled = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (open === '' && /[ \t\n]/.test(character)) {
      if (started) words.push(word);
      word = '';
      started = false;
      settled = 0;
      continue;
    }
    started = true;
    if (character === open) open = '';
    else if (open === '' && (character === "'" || character === '"')) open = character;
    else if (character === '\\' && open !== "'" && (open === '' || /["\\$`]/.test(line[at + 1] ?? '')))
      word += line[++at] ?? '';
    else {
      word += character;
      if (open === '' && breaks.includes(character)) settled = word.length;
    }
  }
  return { words: [...words, word], open, settled };
}

/** The text for bash to insert, quoted so that nothing is expanded or run. Undefined if no quoting is safe. */
export function toBashWord(value: string, { open, settled }: SplitLine): string | undefined {
  if (open === "'") return value.includes("'") ? undefined : value.slice(settled);
  if (open === '"') return value.includes('!') ? undefined : value.slice(settled).replaceAll(/["\\$`]/g, '\\$&');
  return value.slice(settled).replaceAll(/[^\w./:=,@%+-]/gu, '\\$&');
}

/** The position of the cursor according to the program's definition. */
type CompletionPosition =
  /** `argument`: that of the default command. */
  | { readonly kind: 'commands'; readonly program: Command; readonly argument?: Argument | undefined }
  | { readonly kind: 'flags'; readonly options: readonly Option[] }
  /** `before`: the part of the word before the value, such as `--format=`. */
  | { readonly kind: 'value'; readonly command: Command; readonly option: Option; readonly before: string }
  /** `said`: the previous words of an argument that takes several. */
  | { readonly kind: 'argument'; readonly argument: Argument; readonly said: readonly string[] }
  | { readonly kind: 'nothing' };

export interface Cursor {
  readonly place: CompletionPosition;
  /** The word up to the cursor. */
  readonly word: string;
  /** The configuration file that earlier words name. */
  readonly config: string | undefined;
}

/** Reads the words after `sluice`; completion is for the last one. */
export function findPlace(program: Command, words: readonly string[]): Cursor {
  const word = words.at(-1) ?? '';
  let command = program;
  let pending: Option | undefined;
  let operands = 0;
  const said: string[] = [];
  let onlyOperands = false;
  /** The command that owns the flags if no subcommand is named. */
  const meant = () => (operands === 0 ? impliedBelow(command) : undefined) ?? command;
  let config: string | undefined;
  for (const before of words.slice(0, -1)) {
    if (pending) {
      if (pending.attributeName() === 'config') config = before;
      pending = undefined;
    } else if (!onlyOperands && before === '--') onlyOperands = true;
    else if (!onlyOperands && isFlag(before)) {
      const { name, value } = splitFlag(before);
      const option = findOption(meant(), name);
      if (option && takesValue(option) && value === undefined) pending = option;
      else if (option?.attributeName() === 'config') config = value;
    } else {
      const named =
        operands === 0
          ? command.commands.find((each) => each.name() === before || each.aliases().includes(before))
          : undefined;
      const implied = named ? undefined : impliedBelow(command);
      if (named) command = named;
      else if (implied && operands === 0) {
        command = implied;
        operands += 1;
      }
      // The argument of commander's own `help` is a command.
      else if (before === 'help' && command === program && operands === 0) continue;
      else {
        operands += 1;
        said.push(before);
      }
    }
  }
  return {
    word,
    config,
    place: pending
      ? { kind: 'value', command: meant(), option: pending, before: '' }
      : placeOf(command, word, { operands, onlyOperands, said }),
  };
}

function placeOf(
  command: Command,
  word: string,
  {
    operands,
    onlyOperands,
    said,
  }: { readonly operands: number; readonly onlyOperands: boolean; readonly said: readonly string[] },
): CompletionPosition {
  if (!onlyOperands && isFlag(word)) {
    const meant = (operands === 0 ? impliedBelow(command) : undefined) ?? command;
    const { name, value } = splitFlag(word);
    if (value === undefined) return { kind: 'flags', options: optionsOf(meant) };
    const option = findOption(meant, name);
    return option && takesValue(option)
      ? { kind: 'value', command: meant, option, before: word.slice(0, word.length - value.length) }
      : { kind: 'nothing' };
  }
  if (operands === 0 && command.commands.length > 0)
    return { kind: 'commands', program: command, argument: impliedBelow(command)?.registeredArguments[0] };
  const taken = command.registeredArguments;
  const argument = taken[operands] ?? (taken.at(-1)?.variadic ? taken.at(-1) : undefined);
  return argument ? { kind: 'argument', argument, said: argument.variadic ? said : [] } : { kind: 'nothing' };
}

/** The default subcommand: `run` of an analysis. */
function impliedBelow(command: Command): Command | undefined {
  return isAnalysisName(command.name()) ? command.commands.find((each) => each.name() === 'run') : undefined;
}

/** A single dash is stdin. An empty word can become anything. */
function isFlag(word: string): boolean {
  return word.startsWith('-') && word.length > 1;
}

/** Splits `--format=json` and `-fjson` into the flag and its value. */
function splitFlag(word: string): { readonly name: string; readonly value: string | undefined } {
  if (!word.startsWith('--')) return { name: word.slice(0, 2), value: word.length > 2 ? word.slice(2) : undefined };
  const at = word.indexOf('=');
  return at === -1 ? { name: word, value: undefined } : { name: word.slice(0, at), value: word.slice(at + 1) };
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function findOption(command: Command, name: string): Option | undefined {
  return optionsOf(command).find(({ short, long }) => short === name || long === name);
}

/** The command's own flags, then those of its parents. */
export function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent
    ? [...own, ...optionsOf(command.parent).filter(({ long }) => !own.some((option) => option.long === long))]
    : own;
}

import type { Focus } from './state.ts';

/** A command. `name`: its name after `:`. */
export interface Command<Name extends string = CommandName> {
  readonly name: Name;
  /** Aliases. */
  readonly also: readonly string[];
  /** Its argument as help shows it: `[name]`. */
  readonly argument: string;
  /** Description for help. */
  readonly what: string;
  /** Its keys in each focus. */
  readonly keys: Readonly<Partial<Record<Focus, readonly string[]>>>;
}

const command = <Name extends string>(
  name: Name,
  what: string,
  keys: Command<Name>['keys'] = {},
  { also = [], argument = '' }: Partial<Pick<Command<Name>, 'also' | 'argument'>> = {},
): Command<Name> => ({ name, what, keys, also, argument });

const list = [
  command('run', 'run the cell', { cells: ['enter', 'r'] }),
  command('run-all', 'run all cells', { cells: ['R'] }),
  command('new', 'add a cell below', { cells: ['o'] }),
  command('edit', 'edit the cell', { cells: ['i'] }),
  command('markdown', 'write text below the cell, as Markdown', { cells: ['m'] }, { also: ['text', 'md'] }),
  command('editor', 'edit the cell, or the line that is typed, in $EDITOR', { cells: ['e'], prompt: ['ctrl-x'] }),
  command('delete', 'delete the cell; d asks first', { cells: ['delete'] }),
  command('undo', 'undo the last change to the cells', { cells: ['u'], chart: ['u'] }),
  command('redo', 'redo what was undone', { cells: ['U', 'ctrl-r'], chart: ['U', 'ctrl-r'] }),
  command('title', 'give the question a title', {}, { argument: 'text' }),
  command('name', 'name the cell, so that text can show its figures', {}, { argument: 'name' }),
  command('duplicate', 'copy the cell below', { cells: ['D'] }),
  command('move-up', 'move the cell up', { cells: ['K'] }),
  command('move-down', 'move the cell down', { cells: ['J'] }),
  command('chart', 'table or chart', { cells: ['t'], chart: ['t'] }, { also: ['table'] }),
  command('look', 'show all rows', { cells: ['tab'], chart: ['tab'] }),
  command('read', 'read the values of the chart one by one; of a table, show all rows', { cells: ['right'] }),
  command('zoom', 'ask for the marked range of the chart alone, or for the bucket', { chart: ['z'] }),
  command('series', 'leave the series out of the chart, or put it back', { chart: ['space'] }),
  command(
    'turn',
    'convert to a program, a load body, SQL or a command',
    { cells: ['x'] },
    { argument: '[library|load|sql|command]' },
  ),
  command(
    'copy',
    'copy the question, the table, a value, a command, or a link to the report',
    { cells: ['y'], chart: ['y'] },
    { argument: '[question|table|value|command|link]' },
  ),
  command('export', 'write the rows to a file', {}, { argument: 'csv|xlsx|parquet|md|png [file]' }),
  command('catalog', 'what there is to ask for, with search', {
    cells: ['f2'],
    grid: ['f2'],
    chart: ['f2'],
    prompt: ['f2'],
  }),
  command('cancel', 'stop the query', { cells: ['escape'] }),
  command(
    'drill',
    'drill down into the figure: by time, by a dimension, to its events',
    { grid: ['o'], chart: ['o'] },
    { argument: '[time|events|dimension]' },
  ),
  command('compare', 'compare with the previous period in a new cell', { cells: ['c'], grid: ['c'], chart: ['c'] }),
  command('frequencies', 'count the values of the column; enter filters by one', { grid: ['F'] }),
  command('ask', 'make the filter and the order of the rows part of the question', { grid: ['Q'] }),
  command('keep', 'ask for the chosen rows alone', { grid: ['enter'] }),
  command('together', 'compare the chosen rows over time in a new cell', { grid: ['C'] }),
  command('pivot', 'pivot the column, or undo the pivot', { grid: ['p'] }),
  command(
    'save',
    'save as a report in the reports folder',
    { cells: ['s', 'ctrl-s'], prompt: ['ctrl-s'], grid: ['ctrl-s'], chart: ['s', 'ctrl-s'] },
    { also: ['w', 'write'], argument: '[name [title]]' },
  ),
  command('open', 'open a report', {}, { argument: 'name' }),
  command('set', 'set a parameter of the report', {}, { argument: 'name=value' }),
  command('params', 'change a parameter of the report', { cells: ['P'] }),
  command('history', 'earlier questions, found by their letters', {
    cells: ['f3'],
    grid: ['f3'],
    chart: ['f3'],
    prompt: ['f3'],
  }),
  command('correct', 'take what "Did you mean" offers', { cells: ['f4'], prompt: ['f4'] }),
  command('theme', 'colours for a dark or a light background, or none', {}, { argument: '[auto|dark|light|none]' }),
  command('drafts', 'what other sessions left unsaved'),
  command('restore', 'restore unsaved changes'),
  command('discard', 'discard unsaved changes'),
  command('reconnect', 'reopen the data'),
  command('as-of', 'ask everything as of another time', {}, { argument: 'date|now' }),
  command('mouse', 'use the mouse for scrolling or for selection', {}, { argument: '[on|off]' }),
  command('palette', 'all commands', { cells: [':'], grid: [':'], chart: [':'] }),
  command(
    'keys',
    'show the keys',
    { cells: ['?', 'f1'], grid: ['?', 'f1'], chart: ['?', 'f1'], prompt: ['f1'] },
    { also: ['help'] },
  ),
  command('quit', 'leave', { cells: ['q'] }, { also: ['q', 'exit'] }),
];

export type CommandName = (typeof list)[number]['name'];

/** All commands, in the order of help. Keys that only move the cursor are not commands. */
export const commands: readonly Command[] = list;

/** The command of a key in this focus. */
export function commandOf(key: string, focus: Focus): CommandName | undefined {
  return commands.find(({ keys }) => keys[focus]?.includes(key))?.name;
}

/** Reads the text after `:`: a command by its name or alias, and its argument. */
export function readCommand(text: string): { readonly command: Command; readonly argument: string } | undefined {
  const [, name = '', argument = ''] = /^:?\s*(\S*)\s*([^]*?)\s*$/.exec(text) ?? [];
  const found = commands.find((each) => each.name === name || each.also.includes(name));
  return found && { command: found, argument };
}

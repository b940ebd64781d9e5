import type { Argument, Command, Option } from 'commander';
import { isAnalysisName } from '../../../plan/analysis/analysis-names.ts';
import type { Candidate, Candidates, Lookup } from './completion-candidate.ts';
import type { Cursor } from './completion-line.ts';

const none: Candidates = { candidates: [], files: false };
const files: Candidates = { candidates: [], files: true };

/** All candidates at the cursor, not yet filtered by the typed prefix. */
export async function findCandidates({ place, word }: Cursor, lookup: Lookup): Promise<Candidates> {
  switch (place.kind) {
    case 'commands': {
      const names = commandNames(place.program);
      const { candidates, files } = place.argument ? await argumentsFor(place.argument, lookup) : none;
      return { candidates: [...names, ...candidates], files };
    }
    case 'flags':
      return only(
        place.options.flatMap(({ long, short, description }) => {
          const value = long ?? short;
          return value === undefined ? [] : [{ value, description }];
        }),
      );
    case 'value': {
      const { candidates, files } = await valuesOf(place, word.slice(place.before.length), lookup);
      return { candidates: candidates.map(({ value, ...rest }) => ({ ...rest, value: place.before + value })), files };
    }
    case 'argument':
      return argumentsFor(place.argument, lookup, place.said, word);
    case 'nothing':
      return none;
  }
}

function commandNames(program: Command): readonly Candidate[] {
  const help = program.createHelp();
  return help
    .visibleCommands(program)
    .map((command) => ({ value: command.name(), description: help.subcommandDescription(command) }));
}

async function valuesOf(
  { option, command }: { readonly option: Option; readonly command: Command },
  typed: string,
  lookup: Lookup,
): Promise<Candidates> {
  if (option.argChoices) return only(option.argChoices.map((value) => ({ value })));
  if (namesFiles(option.flags)) return files;
  // Load this module only for values: it takes longer than completing commands and flags.
  const { finders } = await import('./completion-words.ts');
  const find = finders[option.name()];
  return find ? only(await find(lookup, typed, command)) : none;
}

async function argumentsFor(
  argument: Argument,
  lookup: Lookup,
  said: readonly string[] = [],
  word = '',
): Promise<Candidates> {
  if (argument.argChoices) return only(argument.argChoices.map((value) => ({ value })));
  if (argument.name() !== 'question' && argument.name() !== 'cube' && !isAnalysisName(argument.name()))
    return namesFiles(argument.name()) ? files : none;
  const { completeQuestion, cubesOf } = await import('./completion-words.ts');
  if (argument.name() === 'question') return completeQuestion(said, word, lookup);
  // The argument has the name of the analysis: `funnel`.
  return only(cubesOf(await lookup.model(), isAnalysisName(argument.name()) ? argument.name() : undefined));
}

/** The name of a value says if it is a file: `--output <file>`, `--events <pattern>`. */
function namesFiles(text: string): boolean {
  return /\b(files?|folders?|patterns?|paths?|dir|reports?|notebooks?)\b/i.test(text.replace(/^.*?(?=[<[])/, ''));
}

function only(candidates: readonly Candidate[]): Candidates {
  return { candidates, files: false };
}

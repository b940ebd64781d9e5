import { type Command, Option } from 'commander';
import {
  type DefinedByParts,
  definitionParts,
  draftDefinition,
  isRepeatable,
} from '../../../ask/analysis-line/definition-parts.ts';
import { type Locate, toSpan } from '../../../ask/document/located.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import { collect, wholeNumber } from './flag-values.ts';

function partsOf(analysis: AnalysisName) {
  return definitionParts[analysis as DefinedByParts] ?? [];
}

/** True if flags can define the analysis. */
export function hasDefinitionFlags(analysis: AnalysisName): boolean {
  return partsOf(analysis).length > 0;
}

export function addDefinitionFlags<Made extends Command>(command: Made, analysis: AnalysisName): Made {
  for (const part of partsOf(analysis)) {
    const { name, value, description, choices, kind } = part;
    const option = new Option(value === undefined ? `--${name}` : `--${name} <${value}>`, description);
    if (choices) option.choices(choices);
    if (kind === 'number') option.argParser(wholeNumber);
    if (isRepeatable(part)) option.argParser(collect);
    command.addOption(option);
  }
  return command;
}

/** A definition from flags, with the flags as one line that issues can point at. */
interface FlaggedDefinition {
  readonly definition: object;
  readonly written: { readonly source: string; readonly locate: Locate };
}

/** The definition that the flags give; undefined without such flags. */
export function readDefinitionFlags(
  analysis: AnalysisName,
  flags: Readonly<Record<string, unknown>>,
): FlaggedDefinition | undefined {
  let source = '';
  const draft = draftDefinition();
  for (const part of partsOf(analysis)) {
    const given = flags[new Option(`--${part.name}`).attributeName()];
    for (const value of given === undefined ? [] : [given].flat()) {
      const text = value === true ? '' : String(value);
      const quoted = text === '' || /^[\w./:,=@%+-]+$/.test(text) ? text : `"${text}"`;
      const start = `${source}${source === '' ? '' : ' '}--${part.name}${text === '' ? '' : ' '}`;
      source = `${start}${quoted}`;
      const from = text === '' ? start.length - part.name.length - 2 : start.length;
      draft.put(part, value, toSpan(source, from, source.length));
    }
  }
  if (draft.isEmpty()) return undefined;
  const locate: Locate = (path) => draft.locate(path) ?? toSpan(source, 0, 0);
  return { definition: draft.definition, written: { source, locate } };
}

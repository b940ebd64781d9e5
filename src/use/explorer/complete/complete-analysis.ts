import {
  type DefinedByParts,
  type DefinitionPart,
  definitionParts,
  isRepeatable,
} from '../../../ask/analysis-line/definition-parts.ts';
import { analysisOfLine, readAnalysisLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { writeValue } from '../../../ask/notation/write-value.ts';
import { suggestedRanges } from '../../../ask/notation/words.ts';
import { shortNameOf } from '../../../ask/query/member-name.ts';
import type { Candidate, CandidateKind, CompletionWorld } from './rank-candidates.ts';

/** Candidates for the next part of a line that defines an analysis. */
interface AnalysisOffer {
  readonly candidates: readonly Candidate[];
  readonly wantsValues?: string | undefined;
}

const beginnings: Readonly<Record<DefinedByParts, readonly [text: string, title: string]>> = {
  retention: ['retention of', 'who comes back'],
  funnel: ['funnel of', 'how many get from step to step'],
  lifecycle: ['lifecycle of', 'who is new, returning, resurrected or lost'],
  stickiness: ['stickiness of', 'how often users are active'],
  paths: ['paths from', 'where users go'],
};

function toCandidate(text: string, title: string, kind: CandidateKind): Candidate {
  return { text, label: text, title, description: '', kind };
}

/**
 * The analyses that can begin a line. An analysis that shares its name with a member is not offered: the line asks for
 * the member.
 */
export function offerAnalyses({ catalog }: CompletionWorld): readonly Candidate[] {
  return Object.values(beginnings)
    .filter(([text]) => analysisOfLine(text, catalog) !== undefined)
    .map(([text, title]) => toCandidate(text, title, 'clause'));
}

/** Candidates after `before`, the start of an analysis line up to the word being typed. */
export function offerInAnalysis(before: string, analysis: DefinedByParts, world: CompletionWorld): AnalysisOffer {
  const parts = definitionParts[analysis];
  const behind = before.trimEnd();
  const part = partBefore(behind, parts);
  if (part?.value !== undefined) return offerValuesOf(part, parts, world);
  const { definition, range, compare } = readAnalysisLine(before, analysis);
  const open = parts.filter((part) => isRepeatable(part) || !Object.hasOwn(definition, part.path[0]));
  const words = open.map((each) => {
    const [own = each.name] = analysis === 'paths' || each.name === 'by' ? [] : (each.words ?? []);
    return toCandidate(own, each.description.replaceAll('--', ''), 'clause');
  });
  const choices = open.flatMap(({ bare, choices: each = [], description }) =>
    bare ? each.map((choice) => toCandidate(choice, description, 'clause')) : [],
  );
  const further = analysis === 'funnel' ? [toCandidate('then', 'the next step', 'clause')] : [];
  return {
    candidates: [
      ...further,
      ...words,
      ...(range === undefined && !compare ? suggestedRanges : []).map((text) => toCandidate(text, '', 'range')),
      ...(range === undefined ? [] : [toCandidate('compare with previous', 'beside the period before', 'clause')]),
      toCandidate('where', 'only these events', 'clause'),
      ...choices,
      toCandidate('in', 'in a time zone', 'clause'),
    ],
  };
}

/** The part whose value comes next: `before` ends with its name, or with a comma or `then` in its list. */
function partBefore(before: string, parts: readonly DefinitionPart[]): DefinitionPart | undefined {
  const spoken = before
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const named = (word: string | undefined) =>
    parts.find(({ name, words = [] }) => [name, ...words].includes(word ?? ''));
  if (!/(?:,|\bthen)$/i.test(before)) return named(spoken.at(-1));
  return (
    spoken
      .toReversed()
      .map(named)
      .find((part) => part && (isRepeatable(part) || part.name === 'by')) ?? parts[0]
  );
}

function offerValuesOf(
  { value, choices, kind }: DefinitionPart,
  parts: readonly DefinitionPart[],
  world: CompletionWorld,
): AnalysisOffer {
  const { catalog, home, values } = world;
  const dimensions = () =>
    catalog
      .names('dimension')
      .filter((name) => name.startsWith(`${home}.`))
      .map((name) => toCandidate(shortNameOf(name), catalog.find(name)?.member.shortTitle ?? '', 'dimension'));
  if (choices) {
    const own = choices.map((choice) => toCandidate(choice, '', 'clause'));
    return { candidates: parts.some(({ name }) => name === 'breakdown') ? [...own, ...dimensions()] : own };
  }
  if (kind === 'number')
    return { candidates: ['2', '3', '5', '8', '12', '26'].map((text) => toCandidate(text, '', 'number')) };
  if (kind === 'duration')
    return {
      candidates: ['1 hour', '1 day', '7 days', '14 days', '30 days'].map((text) => toCandidate(text, '', 'number')),
    };
  if (value === 'dimension') return { candidates: dimensions() };
  const member = `${home}.${value === 'step' || value === 'pattern' ? 'docPath' : 'eventType'}`;
  if (!catalog.find(member)) return { candidates: [] };
  const known = values?.get(member);
  return known
    ? { candidates: known.map((each) => ({ ...toCandidate(writeValue(each), '', 'value'), label: each })) }
    : { candidates: [], wantsValues: member };
}

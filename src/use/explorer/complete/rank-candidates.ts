import { go } from 'fuzzysort';
import { issuesOfLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import type { Catalog } from '../../../plan/model/catalog.ts';

export type CandidateKind =
  | 'measure'
  | 'dimension'
  | 'time'
  | 'segment'
  | 'operator'
  | 'value'
  | 'range'
  | 'granularity'
  | 'clause'
  /** What is made of a measure, such as `rolling 28 days`. */
  | 'change'
  | 'zone'
  | 'number'
  | 'query'
  /** A cube that an analysis computes. */
  | AnalysisName;

/** Something that can stand at the cursor. Its texts are as they are: whoever draws them makes them harmless. */
export interface Candidate {
  /** What is put into the line, instead of what stands from `from` to `to`. */
  readonly text: string;
  /** What the list shows. */
  readonly label: string;
  readonly title: string;
  readonly description: string;
  readonly kind: CandidateKind;
}

export interface Completion {
  /** UTF-16 units of the line. */
  readonly from: number;
  readonly to: number;
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** Full name of the member whose values should be looked up: ask again with them among `values`. */
  readonly wantsValues?: string | undefined;
}

export interface NamedThing {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface CompletionWorld {
  readonly catalog: Catalog;
  /** The cube that short names belong to. */
  readonly home: string;
  /** A line may be the name of one of them. */
  readonly savedQueries?: readonly NamedThing[] | undefined;
  /** Values of members that were looked up, by full name, the commonest first. */
  readonly values?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Names of time zones. */
  readonly zones?: readonly string[] | undefined;
  /** So many candidates at most; 100 where not set. */
  readonly most?: number | undefined;
}

/** How many things are wrong with a line for other reasons than that it is not at its end yet. */
export function countMistakes(line: string, { catalog, home }: Pick<CompletionWorld, 'catalog' | 'home'>): number {
  const end = line.trimEnd().length;
  return issuesOfLine(line, { members: catalog, defaultCube: home }).filter(
    ({ severity, span, code }) => severity === 'error' && !(span && span.start >= end) && !unfinished.has(code),
  ).length;
}

/** What an open bracket, an open quote or a measure that is still to come says. */
const unfinished: ReadonlySet<string> = new Set([
  'notation-bracket',
  'unclosed-quote',
  'nothing-to-rank',
  'nothing-asked',
]);

/** Below this a match is chance. */
const leastScore = 0.3;

/** The candidates that what is typed may mean, the best first; all of them, in their order, where nothing is typed. */
export function rankCandidates(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return candidates;
  const places = new Map(candidates.map((candidate, place) => [candidate, place]));
  const found = go(wanted, candidates, { keys: ['label', 'title'], limit: 0, threshold: leastScore });
  return found
    .map(({ obj, score }) => ({ obj, score: likelihood(obj, wanted) ?? score }))
    .sort((a, b) => b.score - a.score || (places.get(a.obj) ?? 0) - (places.get(b.obj) ?? 0))
    .map(({ obj }) => obj);
}

/** Who begins to type a name means one that begins so; these stand in their own order. */
function likelihood({ label }: Candidate, wanted: string): number | undefined {
  const lower = label.toLowerCase();
  return lower === wanted ? 3 : lower.startsWith(wanted) ? 2 : undefined;
}

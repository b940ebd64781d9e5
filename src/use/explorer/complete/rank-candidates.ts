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
  /** A suffix of a measure, such as `rolling 28 days`. */
  | 'change'
  | 'zone'
  | 'number'
  | 'query'
  /** A cube that an analysis computes. */
  | AnalysisName;

/** A completion at the cursor. Its texts are not sanitized: sanitize them before drawing. */
export interface Candidate {
  /** Replaces the text from `from` to `to` in the line. */
  readonly text: string;
  /** What the list shows. */
  readonly label: string;
  readonly title: string;
  readonly description: string;
  readonly kind: CandidateKind;
}

export interface Completion {
  /** Offsets in the line, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Full name of a member whose values are needed: look them up, then complete again with them in `values`. */
  readonly wantsValues?: string | undefined;
}

export interface NamedThing {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface CompletionWorld {
  readonly catalog: Catalog;
  /** The cube that short names resolve in. */
  readonly home: string;
  /** Saved queries; a line may consist of one of their names. */
  readonly savedQueries?: readonly NamedThing[] | undefined;
  /** Values of members, by full name, most common first. */
  readonly values?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Full names of dimensions that no recent event has, if known. They are offered last. */
  readonly empty?: { readonly members: ReadonlySet<string> } | undefined;
  /** Names of time zones. */
  readonly zones?: readonly string[] | undefined;
  /** Maximum number of candidates (default: 100). */
  readonly most?: number | undefined;
}

/** Counts the errors of a line, ignoring those that only say that the line is incomplete. */
export function countMistakes(line: string, { catalog, home }: Pick<CompletionWorld, 'catalog' | 'home'>): number {
  const end = line.trimEnd().length;
  return issuesOfLine(line, { members: catalog, defaultCube: home }).filter(
    ({ severity, span, code }) => severity === 'error' && !(span && span.start >= end) && !unfinished.has(code),
  ).length;
}

/** Errors caused by an open bracket, an open quote or a missing measure. */
const unfinished: ReadonlySet<string> = new Set([
  'notation-bracket',
  'unclosed-quote',
  'nothing-to-rank',
  'nothing-asked',
]);

/** Matches below this score are noise. */
const leastScore = 0.3;

/** Names in their order, those of dimensions without values last. */
export function emptyLast(names: readonly string[], empty: ReadonlySet<string>): readonly string[] {
  return empty.size === 0
    ? names
    : [...names.filter((name) => !empty.has(name)), ...names.filter((name) => empty.has(name))];
}

/** The candidates that match the typed text, best first; all of them in their order if it is blank. */
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

/** Prefix matches rank first and keep their order. */
function likelihood({ label }: Candidate, wanted: string): number | undefined {
  const lower = label.toLowerCase();
  return lower === wanted ? 3 : lower.startsWith(wanted) ? 2 : undefined;
}

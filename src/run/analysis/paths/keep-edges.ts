import { dropOff, type PathAnchor, type Paths, toStepKey } from '../../../ask/paths/paths.ts';
import type { CountedEdge, PathTally } from './path-tally.ts';

/** A row of a cube of paths. */
export interface PathEdge extends Pick<CountedEdge, 'step' | 'sessions' | 'users' | 'microseconds' | 'timed'> {
  readonly source: string;
  readonly target: string;
  readonly sourceUsers: number;
  /** Users who continued from the source to another step. */
  readonly continuedUsers: number;
  /** Null for drop-offs, which are not steps. */
  readonly targetUsers: number | null;
  /** The users of the edge, as `PathTally.usersOver`. */
  readonly who: readonly number[];
}

interface NamedEdge extends Omit<PathEdge, 'who'> {
  readonly isDropOff: boolean;
  readonly counted: CountedEdge;
}

export interface KeptEdges {
  readonly edges: readonly PathEdge[];
  /** Number of transitions and drop-offs that were not kept. */
  readonly leftOut: number;
}

/**
 * The heaviest edges that are reachable from the start of paths, in descending order. Drop-offs do not count towards
 * the limit: those of steps with edges are kept, and the heaviest ones of first steps without edges.
 */
export function keepEdges(
  tally: Pick<PathTally, 'edges' | 'usersAt' | 'continuedAt' | 'usersOver'>,
  names: readonly string[],
  paths: Paths,
): KeptEdges {
  const { edgeLimit = Infinity, leastSessions, anchor } = paths;
  const all = tally
    .edges()
    .map((edge) => toNamed(edge, tally, names))
    .sort(byWeight);
  const heavy = all.filter(({ sessions }) => sessions >= leastSessions);
  const [edges, ends] = [heavy.filter(({ isDropOff }) => !isDropOff), heavy.filter(({ isDropOff }) => isDropOff)];
  const first = anchor.kind === 'through' ? toStepKey(anchor.before + 1, anchor.point) : undefined;
  const isFirst = ({ step, source }: NamedEdge) => (first === undefined ? step === 1 : source === first);
  const kept = reachable(edges.slice(0, edgeLimit), anchor, isFirst, first);
  const shown = new Set(kept.flatMap(({ source, target }) => [source, target]));
  const alone = new Set(ends.filter((end) => isFirst(end) && !shown.has(end.source)).slice(0, edgeLimit));
  const rows = [...kept, ...ends.filter((end) => shown.has(end.source) || alone.has(end))].sort(byWeight);
  const sum = (some: readonly NamedEdge[]) => some.reduce((total, { sessions }) => total + sessions, 0);
  return {
    edges: rows.map(({ counted, isDropOff: _, ...row }) => ({ ...row, who: tally.usersOver(counted) })),
    leftOut: sum(all) - sum(rows),
  };
}

function toNamed(
  counted: CountedEdge,
  tally: Pick<PathTally, 'usersAt' | 'continuedAt'>,
  names: readonly string[],
): NamedEdge {
  const { number: _, source, target, ...edge } = counted;
  const isDropOff = target >= names.length;
  return {
    ...edge,
    counted,
    source: toStepKey(edge.step, names[source]!),
    target: isDropOff ? dropOff : toStepKey(edge.step + 1, names[target]!),
    sourceUsers: tally.usersAt(edge.step, source),
    continuedUsers: tally.continuedAt(edge.step, source),
    targetUsers: isDropOff ? null : tally.usersAt(edge.step + 1, target),
    isDropOff,
  };
}

function byWeight(left: NamedEdge, right: NamedEdge): number {
  return right.sessions - left.sessions || byText(left.source, right.source) || byText(left.target, right.target);
}

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Edges that start at a first step, or at the target of such an edge; before a through point, edges that lead to it.
 */
function reachable<Edge extends NamedEdge>(
  edges: readonly Edge[],
  anchor: PathAnchor,
  isFirst: (edge: Edge) => boolean,
  first: string | undefined,
): readonly Edge[] {
  const reached = new Set<string>(first === undefined ? [] : [first]);
  const kept = new Set<Edge>();
  const pointStep = anchor.kind === 'through' ? anchor.before + 1 : 1;
  // Edges lead to the next step, so one pass in step order finds them all.
  for (const edge of edges.toSorted((left, right) => left.step - right.step))
    if (edge.step >= pointStep && (isFirst(edge) || reached.has(edge.source))) {
      reached.add(edge.target);
      kept.add(edge);
    }
  for (const edge of edges.toSorted((left, right) => right.step - left.step))
    if (edge.step < pointStep && reached.has(edge.target)) {
      reached.add(edge.source);
      kept.add(edge);
    }
  return edges.filter((edge) => kept.has(edge));
}

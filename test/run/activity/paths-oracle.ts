import type { Paths } from '../../../src/ask/paths/paths.ts';
import { bucketByIntl } from '../../plan/zone-oracle.ts';
import type { Happened, Scene } from './some-activity.ts';

export interface Stepped extends Happened {
  readonly custom: string | null;
}

interface Step {
  readonly name: string;
  readonly at: number;
}

/** Figures of an edge: sessions, users, mean seconds, users at its source, users who continued, users at its target. */
export type EdgeFigures = readonly [number, number, number | null, number, number, number | null];

export interface PathsByDefinition {
  /** By `source > target`. */
  readonly edges: ReadonlyMap<string, EdgeFigures>;
  readonly total: number;
  readonly leftOut: number;
  /** Events that are no steps because they have no name. */
  readonly nameless: number;
}

/** Paths by their definition, slowly and step by step. */
export function pathsByDefinition(
  events: readonly Stepped[],
  { zone, days }: Scene,
  paths: Paths,
  meets: (event: Stepped) => boolean,
): PathsByDefinition {
  const inRange = ({ at }: Stepped) => {
    const date = new Date(bucketByIntl(at, 'day', zone)).toISOString().slice(0, 10);
    return date >= days[0] && date <= days[1];
  };
  const rawName = (event: Stepped): string | null => {
    const own = event.custom || event.type;
    if (paths.step.kind === 'dimension') return event.agent;
    if (paths.step.kind === 'event' || event.type !== 'pageview') return own;
    return event.path === null ? null : event.path.replace(/(.)\/$/s, '$1');
  };
  const grouped = (raw: string): string =>
    paths.groups.find((group) => {
      const parts = group.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
      return new RegExp(parts.join('.*'), 's').test(raw);
    }) ?? raw;
  const eligible = events.filter(
    (event) => inRange(event) && meets(event) && (paths.events?.includes(event.type) ?? true),
  );
  const counted = eligible.filter((event) => rawName(event) !== null);
  const users = [...new Set(counted.flatMap(({ user }) => user ?? []))];

  interface Session {
    readonly user: string;
    readonly steps: readonly Step[];
    /** Number of the first step. */
    readonly first: number;
    /** The session ends after the last step, and that step is not the required end of paths. */
    readonly dropsOff: boolean;
  }
  const sessions: Session[] = [];
  for (const user of users) {
    const own = counted
      .filter((event) => event.user === user)
      .map((event) => ({ raw: rawName(event)!, at: event.at }))
      .toSorted((a, b) => a.at - b.at || (a.raw < b.raw ? -1 : a.raw > b.raw ? 1 : 0))
      .map(({ raw, at }): Step => ({ name: grouped(raw), at }))
      .filter(({ name }) => !paths.exclude.includes(name));
    const cut: Step[][] = [];
    own.forEach((step, index) => {
      if (index === 0 || step.at - own[index - 1]!.at >= paths.gapMinutes * 60_000) cut.push([]);
      cut.at(-1)!.push(step);
    });
    for (const session of cut) {
      const folded = session.filter((step, index) => session[index + 1]?.name !== step.name);
      const path = toPath(folded, paths);
      if (path) sessions.push({ user, ...path });
    }
  }

  const edges = new Map<string, { source: string; target: string; step: number; seen: Session[]; gaps: number[] }>();
  const nodes = new Map<string, Set<string>>();
  const wentOn = new Map<string, Set<string>>();
  for (const session of sessions)
    session.steps.forEach((step, index) => {
      const number = session.first + index;
      const source = `${number}_${step.name}`;
      nodes.set(source, (nodes.get(source) ?? new Set()).add(session.user));
      const next = session.steps[index + 1];
      if (next) wentOn.set(source, (wentOn.get(source) ?? new Set()).add(session.user));
      const target = next
        ? `${number + 1}_${next.name}`
        : session.dropsOff && number < paths.maxSteps
          ? '(drop-off)'
          : undefined;
      if (target === undefined) return;
      const key = `${source} > ${target}`;
      const edge = edges.get(key) ?? { source, target, step: number, seen: [], gaps: [] };
      edge.seen.push(session);
      if (next) edge.gaps.push(next.at - step.at);
      edges.set(key, edge);
    });

  const all = [...edges.values()].toSorted(
    (a, b) => b.seen.length - a.seen.length || text(a.source, b.source) || text(a.target, b.target),
  );
  const heavy = all.filter(({ seen }) => seen.length >= paths.leastSessions);
  let kept = heavy.filter(({ target }) => target !== '(drop-off)').slice(0, paths.edgeLimit);
  const point = paths.anchor.kind === 'through' ? `${paths.anchor.before + 1}_${paths.anchor.point}` : undefined;
  const begins = (name: string) => (point === undefined ? name.startsWith('1_') : name === point);
  for (;;) {
    const joined = kept.filter(
      (edge) =>
        begins(edge.source) ||
        (point !== undefined && begins(edge.target)) ||
        kept.some(
          (other) =>
            (other.target === edge.source && leads(other, kept, begins, 'onwards')) ||
            (point !== undefined && other.source === edge.target && leads(other, kept, begins, 'back')),
        ),
    );
    if (joined.length === kept.length) break;
    kept = joined;
  }
  const shown = new Set(kept.flatMap(({ source, target }) => [source, target]));
  const ends = heavy.filter(({ target }) => target === '(drop-off)');
  const lonely = ends.filter(({ source }) => begins(source) && !shown.has(source)).slice(0, paths.edgeLimit);
  const rows = [...kept, ...ends.filter(({ source }) => shown.has(source)), ...lonely];
  const figures = rows.map(({ source, target, seen, gaps }): readonly [string, EdgeFigures] => [
    `${source} > ${target}`,
    [
      seen.length,
      new Set(seen.map(({ user }) => user)).size,
      gaps.length === 0 ? null : gaps.reduce((sum, gap) => sum + gap, 0) / (gaps.length * 1000),
      nodes.get(source)!.size,
      wentOn.get(source)?.size ?? 0,
      nodes.get(target)?.size ?? null,
    ],
  ]);
  const sum = (some: typeof all) => some.reduce((count, { seen }) => count + seen.length, 0);
  return {
    edges: new Map(figures),
    total: sessions.length,
    leftOut: sum(all) - sum(rows),
    nameless: eligible.length - counted.length,
  };
}

type Named = { readonly source: string; readonly target: string };

/** True if an edge is on a chain of edges from where paths begin, or backwards to it. */
function leads(
  edge: Named,
  edges: readonly Named[],
  begins: (name: string) => boolean,
  way: 'onwards' | 'back',
): boolean {
  if (begins(way === 'onwards' ? edge.source : edge.target)) return true;
  return edges.some((other) =>
    way === 'onwards'
      ? other.target === edge.source && leads(other, edges, begins, way)
      : other.source === edge.target && leads(other, edges, begins, way),
  );
}

function text(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The part of a session that counts. */
function toPath(steps: readonly Step[], { anchor, maxSteps }: Paths) {
  const nameIs = (wanted: string) => (step: Step) => step.name === wanted;
  if (anchor.kind === 'none') return { steps: steps.slice(0, maxSteps), first: 1, dropsOff: steps.length <= maxSteps };
  if (anchor.kind === 'through') {
    const at = steps.findIndex(nameIs(anchor.point));
    if (at < 0) return undefined;
    const before = steps.slice(0, at).slice(-anchor.before);
    const after = steps.slice(at);
    const room = maxSteps - anchor.before;
    return {
      steps: [...before, ...after.slice(0, room)],
      first: anchor.before + 1 - before.length,
      dropsOff: after.length <= room,
    };
  }
  let cut = steps;
  if (anchor.from !== undefined) {
    const at = cut.findIndex(nameIs(anchor.from));
    if (at < 0) return undefined;
    cut = cut.slice(at);
  }
  if (anchor.to === undefined) return { steps: cut.slice(0, maxSteps), first: 1, dropsOff: cut.length <= maxSteps };
  const at = cut.findIndex(nameIs(anchor.to));
  if (at < 0) return undefined;
  cut = cut.slice(0, at + 1);
  const half = Math.floor(maxSteps / 2);
  if (cut.length > maxSteps) {
    if (anchor.from !== undefined)
      cut = [...cut.slice(0, half), { name: '...', at: cut[half]!.at }, ...cut.slice(cut.length - half)];
    else cut = anchor.keep === 'last' ? cut.slice(-maxSteps) : cut.slice(0, maxSteps);
  }
  return { steps: cut, first: 1, dropsOff: false };
}

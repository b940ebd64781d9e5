import { stat } from 'node:fs/promises';
import { plural } from '../../ask/text.ts';
import { writeRange, writeUtc } from '../../ask/time/local-time.ts';
import { day, type Granularity } from '../../ask/time/granularity.ts';
import { readsEventsTable } from '../../plan/events/events-table.ts';
import type { Measure } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { describeGaps, gapsIn } from '../../run/export/files/window-gaps.ts';
import { leafMeasures } from '../../plan/sql/leaf-measures.ts';
import { cubesOf } from '../../run/events/events-reach.ts';
import type { LostRange } from '../../shape/result/provenance.ts';
import { markOf } from '../../run/looks.ts';
import type { StoreSource } from '../../run/store/store-contents.ts';
import { hasForgotten, sourcesKnown } from '../../run/store/known-at.ts';
import { manifestPath } from '../../run/store/store-manifest.ts';
import type { Settings } from '../config/settings.ts';
import { knownAtOf } from './open-backend.ts';
import { storeToAsk, writePruned } from './store-to-ask.ts';

/** What an answer from a store lacks. */
interface StoreNotes {
  /** Sentences for people. */
  readonly notes: readonly string[];
  /** The ranges that the question needs and the store lacks; undefined if there are none. */
  readonly lost?: readonly LostRange[] | undefined;
  /** Whether the range has days whose events the store may lack, so that missing buckets are not known to be empty. */
  readonly isCut: boolean;
}

const nothing: StoreNotes = { notes: [], isCut: false };

interface Looked {
  readonly store: string;
  /** Identifies the manifest: each commit writes another file. */
  readonly mark: string;
  readonly pruned: number | undefined;
  /** The ranges between the export windows of a project that none of them covers. */
  readonly gaps: readonly TimeRange[];
  /** Lines that could not be read. */
  readonly rejected: number;
  /** The time of `--known-at`, if the store had loaded nothing by then. */
  readonly emptyAt: string | undefined;
  /** The time of `--known-at`, if users were forgotten since. */
  readonly forgottenSince: string | undefined;
  readonly remapped: string | undefined;
}

/** Looked for once while the store stays the same, because it may have thousands of files and segments. */
const lookedIn = new WeakMap<Settings, Looked>();

/**
 * Tells if the question needs events that were removed from the store or that no loaded export contains, if lines were
 * rejected when they were loaded, and if files of the store have another mapping now.
 */
export async function tellOfStore(settings: Settings, plan: Plan, cwd: string): Promise<StoreNotes> {
  let looked = lookedIn.get(settings);
  if (looked === undefined || looked.mark !== (await markOfManifest(looked.store))) {
    looked = await look(settings, cwd);
    if (looked === undefined) return nothing;
    lookedIn.set(settings, looked);
  }
  const { pruned, gaps, rejected, emptyAt, forgottenSince, remapped } = looked;
  if (emptyAt !== undefined && readsEvents(plan))
    return { ...nothing, notes: [`The store had no events at ${emptyAt}: nothing was loaded until later.`] };
  const isCut = pruned !== undefined && readsEvents(plan) && !beginsAt(plan, pruned);
  const isAffected = isCut || (pruned !== undefined && needsHistory(plan));
  const removed = isAffected
    ? `The events before ${writePruned(pruned!)} were removed from the store with \`sluice store prune\`: ` +
      'figures that need them are incomplete.'
    : undefined;
  const lacking = readsEvents(plan) ? gaps.filter((gap) => concerns(plan, gap)) : [];
  const exported =
    lacking.length === 0
      ? undefined
      : `The exports in the store lack ${describeGaps(lacking, plan.zone)}: events of these days are missing. ` +
        'Export them, and load them with `sluice ingest`.';
  const unread =
    rejected === 0 || !readsEvents(plan)
      ? undefined
      : `${rejected} ${plural(rejected, 'line')} could not be read when files were loaded into the store, ` +
        `and ${plural(rejected, 'is', 'are')} not counted. \`sluice store stats\` says where they are.`;
  const forgotten =
    forgottenSince === undefined || !readsEvents(plan)
      ? undefined
      : `Users were removed from the store with \`sluice store forget\` after ${forgottenSince}: ` +
        'figures lack the events that it had of them then.';
  const notes = [removed, forgotten, exported, unread, remapped].filter((text) => text !== undefined);
  const lost: LostRange[] = plan.times.every(({ range }) => range === undefined)
    ? []
    : [...(isCut ? [{ start: null, end: writeUtc(pruned) }] : []), ...lacking.map(writeRange)];
  // Without a range, a series ends with rows that the store has, and nothing was pruned between them.
  return {
    notes,
    lost: lost.length === 0 ? undefined : lost,
    isCut: (isCut && plan.series !== undefined) || lacking.length > 0,
  };
}

async function look(settings: Settings, cwd: string): Promise<Looked | undefined> {
  const store = await storeToAsk(settings);
  if (store === undefined) return undefined;
  const mark = await markOfManifest(store);
  const { readStore } = await import('../../run/store/store-contents.ts');
  const read = await readStore(store);
  const knownAt = await knownAtOf(settings);
  const { pruned, sources: all = [] } = read ?? {};
  const sources = knownAt === undefined ? all : sourcesKnown(all, knownAt);
  const rejected = sources.reduce((sum, source) => sum + source.rejected, 0);
  return {
    store,
    mark,
    pruned,
    rejected,
    emptyAt: knownAt !== undefined && sources.length === 0 ? settings.knownAt.value : undefined,
    forgottenSince: read && knownAt !== undefined && hasForgotten(read, knownAt) ? settings.knownAt.value : undefined,
    gaps: gapsOf(sources),
    remapped: await findRemapped(settings, sources, cwd),
  };
}

async function markOfManifest(store: string): Promise<string> {
  return markOf(await stat(manifestPath(store), { bigint: true }));
}

/** Whether a plan asks for events of a range. */
function concerns({ times }: Plan, { start, end }: TimeRange): boolean {
  return times.every(({ range }) => range === undefined || (range.start < end && range.end > start));
}

function gapsOf(sources: readonly StoreSource[]): readonly TimeRange[] {
  const windows = sources.flatMap(({ window }) => (window ? [window] : []));
  return [...Map.groupBy(windows, ({ project }) => project).values()].flatMap((ofProject) => {
    const ranges = ofProject
      .map(({ start, end }) => ({ start: Date.parse(start), end: Date.parse(end) }))
      .sort((one, other) => one.start - other.start);
    return gapsIn({ start: ranges[0]!.start, end: Math.max(...ranges.map(({ end }) => end)) }, ranges);
  });
}

function readsEvents(plan: Plan): boolean {
  const made = ['events', 'sessions', 'users', 'computed'];
  return [plan.root, ...cubesOf(plan)].some((cube) => made.includes(cube.source.kind) || readsEventsTable(cube));
}

/** Whether only events from an instant on are read. */
function beginsAt(plan: Plan, instant: number): boolean {
  const before = Math.max(0, ...leafMeasures(plan).map(({ measure }) => reachBefore(measure)));
  return plan.times.some(({ range }) => range !== undefined && range.start - before >= instant);
}

/** How far a measure reads before the range, in milliseconds; rather too far. */
function reachBefore({ rollingWindow, stage }: Measure): number {
  if (stage?.shifts) return Infinity;
  const { trailing, toDate } = rollingWindow ?? {};
  if (trailing === 'unbounded') return Infinity;
  const ofDate = toDate === undefined ? 0 : longestUnit[toDate];
  return typeof trailing === 'object' ? Math.max(ofDate, trailing.amount * longestUnit[trailing.unit]) : ofDate;
}

const longestUnit: Readonly<Record<Granularity, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 25 * 3_600_000,
  week: 8 * day,
  month: 32 * day,
  quarter: 93 * day,
  year: 367 * day,
};

/** Whether the figures depend on the events before the range. Those of funnels do not. */
function needsHistory({ root, computed, cohorts, dimensions }: Plan): boolean {
  return (
    root.source.kind === 'users' ||
    (computed !== undefined && computed.analysis !== 'funnel') ||
    cohorts !== undefined ||
    dimensions.some(({ dimension }) => dimension.expression.kind === 'touch')
  );
}

/** Loads lazily, because most stores need no mapping. */
async function findRemapped(
  settings: Settings,
  loaded: readonly StoreSource[],
  cwd: string,
): Promise<string | undefined> {
  const { columns, preset, decimal, sources } = settings;
  if ([columns, preset, decimal, sources].every(({ origin }) => origin === 'default')) return undefined;
  return (await import('./open-mappings.ts')).tellRemapped(settings, loaded, cwd).catch(() => undefined);
}

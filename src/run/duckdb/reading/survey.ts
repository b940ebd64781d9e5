import { countSessionless, isSessionless, type SessionlessEvents, toSessionless } from '../../sessionless-events.ts';
import type { Engine } from '../engine/engine.ts';
import { lookAtFile } from '../engine/file-identity.ts';
import { isOutOfMemory } from '../engine/to-backend-error.ts';
import { countRepeats, hasIds, hasUniqueIds, tellCopies, tellRepeats } from './repeated-events.ts';
import { type EventSource, isText } from './source/event-source.ts';
import { endsOfEvents, type EventSpan, toSpan, unknownSpan } from './source/event-span.ts';
import { eventsRelation } from './source/events-relation.ts';
import type { FactKeeper } from './source/find-fact.ts';

/** What answers tell about all events, whatever their time. */
export interface Survey {
  readonly span: EventSpan;
  /**
   * Sentences on files with the same content, on events that have the ID of another one, and on what was not searched.
   */
  readonly repeated: readonly string[];
  /** undefined if they were not counted. */
  readonly sessionless: SessionlessEvents | undefined;
}

export interface SurveyOrder {
  /** Looks for the first and the last event. */
  readonly ends: boolean;
  /** Counts the events in no session. */
  readonly sessions: boolean;
}

export const nothingSurveyed: Survey = { span: unknownSpan, repeated: [], sessionless: undefined };

type Rows = readonly (readonly unknown[])[];

/** A fact that a statement over all events finds. */
interface Look {
  readonly words: string;
  /** The columns that it reads beside the time. */
  readonly columns: readonly string[];
  readonly aggregates: readonly string[];
  /** The fact as a text, which is kept. `ask`: asks the same events again, which few files need. */
  toText(
    values: readonly unknown[],
    ask: (statement: (events: string) => string) => Promise<Rows>,
  ): string | Promise<string>;
}

const looks = {
  'event span': {
    words: 'their first and last event',
    columns: [],
    aggregates: endsOfEvents,
    toText: ([first, last]) => JSON.stringify(toSpan(first, last)),
  },
  'repeated events': {
    words: 'events with the same ID',
    columns: ['event_id', 'project_id'],
    aggregates: [hasUniqueIds],
    toText: async ([isUnique], ask) => (isUnique === true ? '0' : String((await ask(countRepeats))[0]![0])),
  },
  'events in no session': {
    words: 'events in no session',
    columns: ['project_id', 'session_id', 'user_id', 'user_anonymous_id'],
    aggregates: [`count(*) FILTER (${isSessionless})`],
    toText: async ([events], ask) =>
      JSON.stringify(Number(events) === 0 ? [] : [...toSessionless(await ask(countSessionless))]),
  },
} satisfies Readonly<Record<string, Look>>;

type Fact = keyof typeof looks;

/**
 * Looks through all events of files, once while they stay the same: one statement finds all that is not known yet.
 * `files`: as they were given. Rejects with DuckDB's errors.
 */
export function openSurvey(engine: Engine, files: readonly string[], keeper: FactKeeper | undefined) {
  const surveyed = whileUnchanged(async (sources) => {
    const [copies, withIds, tooLarge] = await Promise.all([
      tellCopies(files, keeper),
      hasIds(sources),
      areTooLarge(sources),
    ]);
    return { copies, withIds, tooLarge, find: openFacts(engine, sources, { files, keeper }) };
  });
  return async (sources: readonly EventSource[], order: SurveyOrder): Promise<Survey> => {
    const { copies, withIds, tooLarge, find } = await surveyed(sources);
    const wanted: readonly Fact[] = [
      ...(order.ends ? (['event span'] as const) : []),
      ...(withIds ? (['repeated events'] as const) : []),
      ...(order.sessions ? (['events in no session'] as const) : []),
    ];
    if (wanted.length === 0) return { ...nothingSurveyed, repeated: copies };
    if (tooLarge) return { ...nothingSurveyed, repeated: [...copies, tellTooLarge(wanted)] };
    const {
      'event span': span,
      'repeated events': repeats = '0',
      'events in no session': sessionless,
    } = await find(wanted);
    return {
      span: span === undefined ? unknownSpan : { ...unknownSpan, ...(JSON.parse(span) as object) },
      repeated: [...copies, ...tellRepeats(Number(repeats))],
      sessionless: sessionless === undefined ? undefined : new Map(JSON.parse(sessionless)),
    };
  };
}

/** The files as they were given, and what keeps facts about them. */
interface GivenFiles {
  readonly files: readonly string[];
  readonly keeper: FactKeeper | undefined;
}

/** Finds facts about these events, each once. */
function openFacts(engine: Engine, sources: readonly EventSource[], given: GivenFiles) {
  const found = new Map<Fact, Promise<string>>();
  return async (wanted: readonly Fact[]): Promise<Readonly<Partial<Record<Fact, string>>>> => {
    const missing = wanted.filter((fact) => !found.has(fact));
    const looking = look(engine, sources, missing, given);
    for (const fact of missing) {
      const text = looking.then((facts) => facts.get(fact)!);
      found.set(fact, text);
      text.catch(() => found.delete(fact));
    }
    return Object.fromEntries(await Promise.all(wanted.map(async (fact) => [fact, await found.get(fact)!] as const)));
  };
}

async function look(
  engine: Engine,
  sources: readonly EventSource[],
  missing: readonly Fact[],
  { files, keeper }: GivenFiles,
): Promise<ReadonlyMap<Fact, string>> {
  const facts = new Map<Fact, string>();
  for (const fact of missing) {
    const known = await keeper?.known(fact, files);
    if (known !== undefined) facts.set(fact, known);
  }
  const unknown = missing.filter((fact) => !facts.has(fact)).map((fact) => ({ fact, ...(looks[fact] as Look) }));
  if (unknown.length === 0) return facts;
  const relation = `(${eventsRelation(sources, undefined, new Set(['utc_time', ...unknown.flatMap(({ columns }) => columns)]))}) AS surveyed`;
  const ask = async (statement: (events: string) => string): Promise<Rows> => {
    const text = statement(relation);
    return engine.rows(text).catch((error: unknown) => {
      if (!isOutOfMemory(error)) throw error;
      return engine.amply(() => engine.rows(text));
    });
  };
  const find = async () => {
    const aggregates = unknown.flatMap((one) => one.aggregates);
    const [row = []] = await ask((events) => `SELECT ${aggregates.join(', ')} FROM ${events}`);
    const values = [...row];
    for (const { fact, aggregates, toText } of unknown)
      facts.set(fact, await toText(values.splice(0, aggregates.length), ask));
  };
  // A keeper looks at the files before and after it finds a fact, so one call encloses the next.
  const keepAll = async ([one, ...others]: readonly { readonly fact: Fact }[]): Promise<void> => {
    if (!one || !keeper) return find();
    await keeper.keep(one.fact, files, async () => {
      await keepAll(others);
      return facts.get(one.fact)!;
    });
  };
  await keepAll(unknown);
  // Another process may have kept some meanwhile.
  if (unknown.some(({ fact }) => !facts.has(fact))) await find();
  return facts;
}

function tellTooLarge(wanted: readonly Fact[]): string {
  const words = wanted.map((fact) => looks[fact].words);
  return (
    'Files of this size are not searched for ' +
    `${new Intl.ListFormat('en', { type: 'disjunction' }).format(words)}. ` +
    'Load them with `sluice ingest`: the store knows them, and keeps each ID once.'
  );
}

/** Files with more bytes are not looked through: it would take minutes. Bytes as they lie there. */
const [mostPlain, mostPacked] = [4 * 2 ** 30, 2 ** 29];

async function areTooLarge(sources: readonly EventSource[]): Promise<boolean> {
  let share = 0;
  for (const source of sources) {
    const isPlain = (isText(source) || source.kind === 'cleaned') && source.compression === 'none';
    for (const path of pathsOf(source)) share += (await lookAtFile(path)).bytes / (isPlain ? mostPlain : mostPacked);
  }
  return share > 1;
}

/** More files are not looked at for changes. */
const mostLookedAt = 50;

/** What `find` gives, once while the files stay the same and are read the same way: mending reads them differently. */
function whileUnchanged<T>(
  find: (sources: readonly EventSource[]) => Promise<T>,
): (sources: readonly EventSource[]) => Promise<T> {
  let last: { readonly key: string; readonly found: Promise<T> } | undefined;
  return async (sources) => {
    const paths = sources.flatMap(pathsOf).slice(0, mostLookedAt);
    const marks = await Promise.all(paths.map((path) => lookAtFile(path).then(({ mark }) => mark)));
    const key = JSON.stringify([sources, marks]);
    if (last?.key !== key) {
      const found = find(sources);
      last = { key, found };
      found.catch(() => (last = undefined));
    }
    return last.found;
  };
}

function pathsOf(source: EventSource): readonly string[] {
  return source.kind === 'cleaned' ? [source.path] : source.paths;
}

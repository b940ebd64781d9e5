import { throwIfAborted } from '../../ask/sluice-error.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Answer, AnswerFacts, Batch, FurtherAnswers, JsonAnswer, JsonChunk, LocalBackend } from '../backend.ts';
import { type FollowedFunnel, followedFunnels, type FunnelFigures, type FunnelFollower } from '../followed-funnel.ts';
import { readAnswer, writeAnswer, writePlan } from './answer-text.ts';
import type { DataIdentity } from './data-identity.ts';
import type { KeptFiles } from './kept-files.ts';
import type { KeptText } from './kept-text.ts';

interface KeepOptions {
  /** Opens the engine; called only if something must be computed. */
  readonly open: () => Promise<LocalBackend>;
  /** The current identity of the data; undefined disables the cache. */
  readonly identity: () => Promise<DataIdentity | undefined>;
  readonly files: KeptFiles;
  /** All other inputs of an answer: versions, and how the data is read. */
  readonly circumstances: string;
  /** Epoch milliseconds of the machine. */
  readonly now: () => number;
}

/** A backend that opens its engine on demand. */
export interface KeepingBackend extends LocalBackend {
  /** Starts opening the engine without waiting. */
  prepare(): void;
}

/** Larger answers are not cached, because writing and reading them takes as long as computing. */
const mostCells = 500_000;
const mostJsonBytes = 16 * 2 ** 20;
/** Maximum number of characters of cached answers in memory. */
const mostInMemory = 16 * 2 ** 20;

/**
 * Wraps a backend with a cache of answers over the same data. An answer is stored only if the data was the same when
 * the engine was opened and before and after the computation, and did not change shortly before. If the computation
 * used the present, the answer is only valid for that present.
 */
export function keepAnswers({ open, identity, files, circumstances, now }: KeepOptions): KeepingBackend {
  const memory = new Map<string, Held>();
  let held = 0;
  let opening: Promise<{ readonly backend: LocalBackend; readonly over: DataIdentity | undefined }> | undefined;
  const writing = new Set<Promise<void>>();

  const opened = () => {
    opening ??= (async () => {
      const over = await identity();
      return { over, backend: await open() };
    })().catch((error: unknown) => {
      // The files may exist at the next try.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const backend = async () => (await opened()).backend;

  const hold = (key: string, kept: Held) => {
    held += kept.letters - (memory.get(key)?.letters ?? 0);
    memory.delete(key);
    memory.set(key, kept);
    for (const [oldest, { letters }] of memory) {
      if (held <= mostInMemory) break;
      memory.delete(oldest);
      held -= letters;
    }
    return kept;
  };

  /** The cached answer to a question, or a way to store it; undefined if it cannot be cached. */
  const lookUp = async (
    kind: string,
    plan: Plan,
    // Analyses use the present. Other plans only contain ranges derived from it.
    isOfPresent = plan.computed !== undefined || plan.cohorts !== undefined,
  ): Promise<Found | undefined> => {
    // The identity does not cover the files of synced cubes.
    if (plan.root.synced) return undefined;
    const written = await writePlan(plan);
    if (written === undefined) return undefined;
    const keyOf = ({ text }: DataIdentity) =>
      JSON.stringify([kind, circumstances, text, isOfPresent ? plan.now : undefined]) + written;
    const present = await identity();
    const known = present && memory.get(keyOf(present));
    if (known) return { kept: hold(keyOf(present), known) };
    const generation = await files.generation();
    const before = await identity();
    if (!before) return undefined;
    const key = keyOf(before);
    const found = await files.read(key);
    if (found) return { kept: hold(key, toHeld(found)) };
    const keep = async (text: string) => {
      const { over } = await opened();
      const after = await identity();
      if (!before.isSettled || after?.text !== before.text || over?.files !== before.files) return;
      const kept = { text, since: now() };
      hold(key, toHeld(kept));
      const done = files.write(key, kept, generation).finally(() => writing.delete(done));
      writing.add(done);
    };
    return { kept: undefined, keep, watched: isOfPresent ? { plan, isAsked: () => false } : watchPresent(plan) };
  };

  const engineFollower = async () => (await (await backend()).further(followedFunnels)) as FunnelFollower;
  const follower: FunnelFollower = {
    async follow(plan, options = {}) {
      // Functions cannot be compared, and cohorts depend on the present.
      const found =
        options.bucketOf || plan.cohorts
          ? undefined
          : await lookUp(JSON.stringify(['followed', options.byEntry ?? false]), plan, false);
      if (!found) return (await engineFollower()).follow(plan, options);
      throwIfAborted(options.signal);
      if (found.kept) return toFollowed(found.kept);
      const { watched, keep } = found;
      const followed = await (await engineFollower()).follow(watched.plan, options);
      if (!watched.isAsked()) await keep(JSON.stringify(followed));
      return followed;
    },
    streamUsers: async (plan, options) => (await engineFollower()).streamUsers(plan, options),
  };

  return {
    name: 'embedded',
    reach: 'local',
    prepare: () => void opened().catch(() => undefined),
    async run(plan, options) {
      const found = options?.once ? undefined : await lookUp('rows', plan);
      if (!found) return (await backend()).run(plan, options);
      throwIfAborted(options?.signal);
      if (found.kept) return toAnswer(found.kept);
      const { watched, keep } = found;
      const answer = await (await backend()).run(watched.plan, options);
      return { ...answer, batches: rowsToKeep(answer, (text) => (watched.isAsked() ? undefined : keep(text))) };
    },
    async runJson(plan, row, options) {
      const found = options?.once ? undefined : await lookUp(JSON.stringify(['json', row]), plan);
      if (!found) return (await backend()).runJson(plan, row, options);
      throwIfAborted(options?.signal);
      if (found.kept) return toJsonAnswer(found.kept);
      const { watched, keep } = found;
      const answer = await (await backend()).runJson(watched.plan, row, options);
      return (
        answer && { ...answer, chunks: chunksToKeep(answer, (text) => (watched.isAsked() ? undefined : keep(text))) }
      );
    },
    store: async (plan, options) => (await backend()).store(plan, options),
    properties: async (...paths) => (await backend()).properties(...paths),
    columns: async () => (await (await backend()).columns?.()) ?? [],
    renames: async () => (await backend()).renames?.(),
    further: async <T>(what: FurtherAnswers<T>) =>
      what.analysis === followedFunnels.analysis ? (follower as T) : (await backend()).further(what),
    explain: async (plan, options) => (await backend()).explain(plan, options),
    changes: async () => (await backend()).changes?.() ?? 0,
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
      await (await opening?.catch(() => undefined))?.backend[Symbol.asyncDispose]();
    },
  };
}

/** A plan that records whether its present was used. */
interface WatchedPlan {
  readonly plan: Plan;
  readonly isAsked: () => boolean;
}

function watchPresent(plan: Plan): WatchedPlan {
  let isAsked = false;
  const watched = Object.defineProperty({ ...plan }, 'now', {
    enumerable: true,
    get() {
      isAsked = true;
      return plan.now;
    },
  });
  return { plan: watched, isAsked: () => isAsked };
}

type Keep = (text: string) => Promise<void> | undefined;

/** A cached answer; or the plan to compute and a function that stores its answer. */
type Found =
  | { readonly kept: Held }
  | { readonly kept: undefined; readonly keep: (text: string) => Promise<void>; readonly watched: WatchedPlan };

async function* rowsToKeep(answer: Answer, keep: Keep): AsyncGenerator<Batch, void, undefined> {
  let batches: Batch[] | undefined = [];
  let cells = 0;
  for await (const batch of answer.batches) {
    cells += batch.rowCount * batch.columns.length;
    if (cells > mostCells) batches = undefined;
    batches?.push(batch);
    yield batch;
  }
  if (batches) await keep(writeAnswer({ batches, types: answer.types, facts: answer.facts() }));
}

async function* chunksToKeep(answer: JsonAnswer, keep: Keep): AsyncGenerator<JsonChunk, void, undefined> {
  let texts: string[] | undefined = [];
  let bytes = 0;
  let rows = 0;
  for await (const chunk of answer.chunks) {
    rows += chunk.rowCount;
    bytes += chunk.bytes.length;
    if (bytes > mostJsonBytes) texts = undefined;
    texts?.push(new TextDecoder().decode(chunk.bytes));
    yield chunk;
  }
  if (texts) await keep(JSON.stringify([rows, texts.join(','), answer.facts()]));
}

/** A cached answer in memory. Its text is dropped once it is parsed. */
interface Held {
  readonly since: number;
  /** Length of the text. */
  readonly letters: number;
  read<T>(readText: (text: string) => T): T;
}

function toHeld({ text, since }: KeptText): Held {
  let held: { readonly text: string } | { readonly value: unknown } = { text };
  return {
    since,
    letters: text.length,
    read<T>(readText: (text: string) => T) {
      if ('text' in held) held = { value: readText(held.text) };
      return held.value as T;
    },
  };
}

function toAnswer(kept: Held): Answer {
  const { batches, types, facts } = kept.read(readAnswer);

  async function* read(): AsyncGenerator<Batch, void, undefined> {
    // Copy, because callers may modify the columns.
    for (const { rowCount, columns } of batches) yield { rowCount, columns: columns.map((values) => values.slice()) };
  }

  return { batches: read(), types, facts: () => ({ ...facts, kept: writeUtc(kept.since) }) };
}

function toFollowed(kept: Held): FollowedFunnel & { readonly facts: AnswerFacts } {
  const followed = kept.read((text) => JSON.parse(text) as FollowedFunnel & { readonly facts: AnswerFacts });
  // JSON turns undefined into null for steps that nobody reached.
  const whole = <Figures extends FunnelFigures>(figures: Figures): Figures => ({
    ...figures,
    toConvert: figures.toConvert.map((times) => times ?? undefined),
  });
  return {
    ...followed,
    all: whole(followed.all),
    byValue: followed.byValue?.map(whole),
    facts: { ...followed.facts, kept: writeUtc(kept.since) },
  };
}

function toJsonAnswer(kept: Held): JsonAnswer {
  const { rowCount, bytes, facts } = kept.read((text) => {
    const [count, rows, told] = JSON.parse(text) as readonly [number, string, AnswerFacts];
    return { rowCount: count, bytes: new TextEncoder().encode(rows), facts: told };
  });

  async function* chunks(): AsyncGenerator<JsonChunk, void, undefined> {
    if (rowCount > 0) yield { rowCount, bytes };
  }

  return { chunks: chunks(), facts: () => ({ ...facts, kept: writeUtc(kept.since) }) };
}

import { throwIfAborted } from '../../ask/sluice-error.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Answer, AnswerFacts, Batch, FurtherAnswers, JsonAnswer, JsonChunk, LocalBackend } from '../backend.ts';
import { type FollowedFunnel, followedFunnels, type FunnelFigures, type FunnelFollower } from '../followed-funnel.ts';
import { readAnswer, writeAnswer, writePlan } from './answer-text.ts';
import type { DataIdentity } from './data-identity.ts';
import type { KeptFiles } from './kept-files.ts';
import type { KeptText } from './kept-text.ts';

export interface KeepOptions {
  /** Opens the engine; called only if something must be computed. */
  readonly open: () => Promise<LocalBackend>;
  /** What the answers come from by now; undefined: nothing is kept. */
  readonly identity: () => Promise<DataIdentity | undefined>;
  readonly files: KeptFiles;
  /** All else that an answer depends on: versions, and how the data is read. */
  readonly circumstances: string;
  /** Epoch milliseconds of the machine. */
  readonly now: () => number;
}

/** A backend that opens its engine when it needs it. */
export interface KeepingBackend extends LocalBackend {
  /** Opens the engine without waiting for it. */
  prepare(): void;
}

/** Larger answers are computed again: to write and read them takes as long. */
const mostCells = 500_000;
const mostJsonBytes = 16 * 2 ** 20;
/** Characters of the answers that this process holds itself. */
const mostInMemory = 16 * 2 ** 20;

/**
 * The same backend, which computes no answer twice over the same data. An answer is kept only if the data are the same
 * before and after it, were the same when the engine was opened, and did not change just before; and if computing it
 * asked for the present, it is kept for this present alone.
 */
export function keepAnswers({ open, identity, files, circumstances, now }: KeepOptions): KeepingBackend {
  const memory = new Map<string, KeptText>();
  let held = 0;
  let opening: Promise<{ readonly backend: LocalBackend; readonly over: DataIdentity | undefined }> | undefined;
  const writing = new Set<Promise<void>>();

  const opened = () => {
    opening ??= (async () => {
      const over = await identity();
      return { over, backend: await open() };
    })().catch((error: unknown) => {
      // The files may be there the next time.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const backend = async () => (await opened()).backend;

  const hold = (key: string, kept: KeptText) => {
    held += kept.text.length - (memory.get(key)?.text.length ?? 0);
    memory.delete(key);
    memory.set(key, kept);
    for (const [oldest, { text }] of memory) {
      if (held <= mostInMemory) return;
      memory.delete(oldest);
      held -= text.length;
    }
  };

  const find = async (key: string): Promise<KeptText | undefined> => {
    const kept = memory.get(key) ?? (await files.read(key));
    if (kept) hold(key, kept);
    return kept;
  };

  /** A question that can be kept, with where to put its answer; undefined: it cannot. */
  const toKeepable = async (
    kind: string,
    plan: Plan,
    // An analysis looks at the present; in other plans it has become a range.
    isOfPresent = plan.computed !== undefined || plan.cohorts !== undefined,
  ) => {
    // Its files are not among the data that the identity is of.
    if (plan.root.synced) return undefined;
    const written = await writePlan(plan);
    const generation = await files.generation();
    const before = written === undefined ? undefined : await identity();
    if (written === undefined || !before) return undefined;
    const key = JSON.stringify([kind, circumstances, before.text, isOfPresent ? plan.now : undefined, written]);
    const keep = async (text: string) => {
      const { over } = await opened();
      const after = await identity();
      if (!before.isSettled || after?.text !== before.text || over?.files !== before.files) return;
      const kept = { text, since: now() };
      hold(key, kept);
      const done = files.write(key, kept, generation).finally(() => writing.delete(done));
      writing.add(done);
    };
    return { key, keep, watched: isOfPresent ? { plan, isAsked: () => false } : watchPresent(plan) };
  };

  const engineFollower = async () => (await (await backend()).further(followedFunnels)) as FunnelFollower;
  const follower: FunnelFollower = {
    async follow(plan, options = {}) {
      // Functions cannot be compared, and cohorts are those of the present.
      const keepable =
        options.bucketOf || plan.cohorts
          ? undefined
          : await toKeepable(JSON.stringify(['followed', options.byEntry ?? false]), plan, false);
      if (!keepable) return (await engineFollower()).follow(plan, options);
      const kept = await find(keepable.key);
      throwIfAborted(options.signal);
      if (kept) return toFollowed(kept);
      const { watched, keep } = keepable;
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
      const keepable = options?.once ? undefined : await toKeepable('rows', plan);
      if (!keepable) return (await backend()).run(plan, options);
      const kept = await find(keepable.key);
      throwIfAborted(options?.signal);
      if (kept) return toAnswer(kept);
      const { watched, keep } = keepable;
      const answer = await (await backend()).run(watched.plan, options);
      return { ...answer, batches: rowsToKeep(answer, (text) => (watched.isAsked() ? undefined : keep(text))) };
    },
    async runJson(plan, row, options) {
      const keepable = options?.once ? undefined : await toKeepable(JSON.stringify(['json', row]), plan);
      if (!keepable) return (await backend()).runJson(plan, row, options);
      const kept = await find(keepable.key);
      throwIfAborted(options?.signal);
      if (kept) return toJsonAnswer(kept);
      const { watched, keep } = keepable;
      const answer = await (await backend()).runJson(watched.plan, row, options);
      return (
        answer && { ...answer, chunks: chunksToKeep(answer, (text) => (watched.isAsked() ? undefined : keep(text))) }
      );
    },
    store: async (plan, options) => (await backend()).store(plan, options),
    properties: async (paths) => (await backend()).properties(paths),
    further: async <T>(what: FurtherAnswers<T>) =>
      what.analysis === followedFunnels.analysis ? (follower as T) : (await backend()).further(what),
    explain: async (plan, options) => (await backend()).explain(plan, options),
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
      await (await opening?.catch(() => undefined))?.backend[Symbol.asyncDispose]();
    },
  };
}

/** The plan, and whether somebody has asked it for the present. */
function watchPresent(plan: Plan): { readonly plan: Plan; readonly isAsked: () => boolean } {
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

function toAnswer({ text, since }: KeptText): Answer {
  const { batches, types, facts } = readAnswer(text);

  async function* read(): AsyncGenerator<Batch, void, undefined> {
    yield* batches;
  }

  return { batches: read(), types, facts: () => ({ ...facts, kept: writeUtc(since) }) };
}

function toFollowed({ text, since }: KeptText): FollowedFunnel & { readonly facts: AnswerFacts } {
  const followed = JSON.parse(text) as FollowedFunnel & { readonly facts: AnswerFacts };
  // JSON has null where nobody reached a step.
  const whole = <Figures extends FunnelFigures>(figures: Figures): Figures => ({
    ...figures,
    toConvert: figures.toConvert.map((times) => times ?? undefined),
  });
  return {
    ...followed,
    all: whole(followed.all),
    byValue: followed.byValue?.map(whole),
    facts: { ...followed.facts, kept: writeUtc(since) },
  };
}

function toJsonAnswer({ text, since }: KeptText): JsonAnswer {
  const [rowCount, rows, facts] = JSON.parse(text) as readonly [number, string, AnswerFacts];

  async function* chunks(): AsyncGenerator<JsonChunk, void, undefined> {
    if (rowCount > 0) yield { rowCount, bytes: new TextEncoder().encode(rows) };
  }

  return { chunks: chunks(), facts: () => ({ ...facts, kept: writeUtc(since) }) };
}

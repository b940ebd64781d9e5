import { openSemaphore } from '../semaphore.ts';
import { hash } from 'node:crypto';
import { drawIssues } from '../../ask/document/draw-issue.ts';
import { invariant } from '../../ask/invariant.ts';
import type { CanonicalQuery } from '../../ask/query/query.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { bind } from '../../plan/bind/bind.ts';
import type { Value } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { toInstant } from '../../plan/to-instant.ts';
import {
  type Backend,
  type Batch,
  type JsonRow,
  type LocalBackend,
  nothingRejected,
  type RunOptions,
} from '../backend.ts';
import type { BodySieve } from '../http/body-sieve.ts';
import { ExportError } from './rows/export-error.ts';
import type { ExportQuery } from './rows/export-query.ts';
import {
  type CountedUnit,
  type ExportSource,
  type FetchedRows,
  type Habits,
  mostBuckets,
  type RowPage,
  unitSizes,
} from './rows/export-source.ts';
import { OutOfOrder, toLineForm, WrittenOtherwise } from './rows/line-form.ts';
import { rewriteRows } from './rows/rewrite-rows.ts';
import type { LineTaker } from './rows/row-sieve.ts';
import { sortLines } from './rows/sort-lines.ts';
import { spliceRows } from './rows/splice-rows.ts';
import type { Oddity, Spool } from './rows/window.ts';

/** The most rows that the platform and Cube return in one answer. */
const usualLimit = 50_000;

interface SourceOptions extends Pick<RunOptions, 'onWait'> {
  /** The present in epoch milliseconds. */
  readonly now: number;
  /** Only events of this project. */
  readonly project?: string | undefined;
  /** Rows per request; defaults to `usualLimit`. */
  readonly limit?: number | undefined;
  /** Done once before a local engine is asked for rows. */
  readonly beforeRows?: (() => Promise<void>) | undefined;
  /** Called once for each kind of oddity of the source. */
  readonly onOddity?: ((oddity: Oddity) => void) | undefined;
}

/** Asks a backend the questions of an export. The backend stays open. */
export function toExportSource(backend: Backend, query: ExportQuery, options: SourceOptions): ExportSource {
  const { limit = usualLimit } = options;
  const habits = openHabits(limit, options.onOddity);
  // A local engine uses all of its cores for one answer, and takes several times the answer's size in memory.
  const asking = openSemaphore(backend.reach === 'remote' ? Infinity : 1);

  let prepared: Promise<void> | undefined;

  const planOf = (asked: CanonicalQuery): Plan => {
    const bound = bind(asked, query.model, {
      now: options.now,
      zone: 'UTC',
      project: options.project,
      limits: backend.reach,
    });
    invariant(bound.ok, `an export asks what cannot be asked: ${bound.ok ? '' : drawIssues(bound.issues, {})}`);
    return bound.value[0]!;
  };
  const counting = (range: TimeRange, unit?: CountedUnit): CanonicalQuery => ({
    measures: [query.count],
    timeDimensions: [{ dimension: query.time, ...(unit && { granularity: unit }), dateRange: written(range) }],
    ...(query.rows.filters && { filters: query.rows.filters }),
    ...(query.rows.segments && { segments: query.rows.segments }),
    timezone: 'UTC',
    limit: unit === undefined ? 1 : Math.min(mostBuckets, Math.ceil((range.end - range.start) / unitSizes[unit]) + 1),
  });
  const runOptions = (signal: AbortSignal | undefined): RunOptions => ({
    signal,
    onWait: options.onWait,
    // A window is counted before and after it is read.
    once: true,
  });

  async function fetchInto(
    plan: Plan,
    page: RowPage,
    spool: Spool,
    { rewrite, sort }: Pick<Habits, 'rewrite' | 'sort'>,
    signal: AbortSignal | undefined,
  ): Promise<FetchedRows> {
    const form = toLineForm(query, page.range);
    const sorted = sort && form.timed ? sortLines() : undefined;
    let marks: string[] = [];
    const taker: LineTaker = sorted ?? { restart: () => spool.restart(), write: (bytes) => spool.write(bytes) };
    const marking: LineTaker = {
      restart: async () => {
        marks = [];
        await taker.restart();
      },
      line: (bytes, start, countAt, end) => {
        if (page.marked) marks.push(hash('sha1', bytes.subarray(start, countAt), 'base64'));
        taker.line?.(bytes, start, countAt, end);
      },
      write: (lines) => taker.write(lines),
    };
    const sieve = (rewrite ? rewriteRows : spliceRows)(form, marking, { ordered: form.timed && !sorted });
    await asking.run(() => siftAnswer(backend, plan, sieve, runOptions(signal)));
    const repeated = sorted ? sorted.sort(form) : sieve.found.repeated;
    await sorted?.release(spool);
    return { ...sieve.found, repeated, ...(page.marked && { marks }) };
  }

  return {
    query,
    limit,
    together: backend.reach === 'remote' || query.columns[0]?.key !== query.time ? 0 : 4 * limit,
    expires: backend.reach === 'remote',
    habits,
    async count(range, signal) {
      let events = 0;
      const answer = await backend.run(planOf(counting(range)), runOptions(signal));
      for await (const {
        columns: [counts],
      } of answer.batches)
        for (const value of counts ?? []) events += toCount(value);
      return events;
    },
    async leftOut(range, signal) {
      if (backend.reach === 'remote') return { rejected: nothingRejected, notes: [] };
      const answer = await backend.run(planOf(counting(range)), runOptions(signal));
      for await (const _batch of answer.batches);
      const { rejected, lacking = [], repeated = [] } = answer.facts();
      return { rejected, notes: [...lacking, ...repeated] };
    },
    async countBy(range, unit, signal) {
      const found = new Map<number, number>();
      const answer = await backend.run(planOf(counting(range, unit)), runOptions(signal));
      for await (const {
        columns: [labels, counts],
      } of answer.batches) {
        for (const [index, label] of (labels ?? []).entries()) {
          const start = toInstant(String(label)) ?? Number.NaN;
          found.set(start, (found.get(start) ?? 0) + toCount(counts?.[index] ?? null));
        }
      }
      return found;
    },
    async fetchRows(page, spool, signal) {
      if (backend.reach === 'local') await (prepared ??= options.beforeRows?.() ?? Promise.resolve());
      // An answer to one request is sorted here among rows of one time, so the source need not do it.
      const isOrderEnough = !page.marked && query.columns[0]?.key === query.time;
      const plan = planOf({
        ...query.rows,
        ...(isOrderEnough && { order: [[query.time, 'asc']] }),
        timeDimensions: [{ dimension: query.time, dateRange: written(page.range) }],
        limit: page.limit,
        ...(page.offset > 0 && { offset: page.offset }),
      });
      for (;;) {
        const { rewrite, sort } = habits;
        try {
          return await fetchInto(plan, page, spool, { rewrite, sort }, signal);
        } catch (error) {
          if (error instanceof WrittenOtherwise && !rewrite) {
            habits.rewrite = true;
            habits.note({
              code: 'rows-written-otherwise',
              text: `The rows have an unexpected format (${error.message}). sluice parses each row, which is slower.`,
            });
          } else if (error instanceof OutOfOrder && !sort) {
            habits.sort = true;
            habits.note({
              code: 'order-ignored',
              text: 'The source does not return rows in the requested order. sluice sorts them.',
            });
          } else throw error;
        }
      }
    },
  };
}

function openHabits(limit: number, onOddity: SourceOptions['onOddity']): Habits {
  const told = new Set<string>();
  return {
    mostRows: limit,
    suspected: undefined,
    rewrite: false,
    sort: false,
    alike: false,
    note(oddity) {
      if (!told.has(oddity.code)) onOddity?.(oddity);
      told.add(oddity.code);
    },
  };
}

/** An explicit instant is inclusive to the millisecond. */
function written({ start, end }: TimeRange): readonly [string, string] {
  return [writeUtc(start), writeUtc(end - 1)];
}

function toCount(value: unknown): number {
  const count = Number(value ?? 0);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new ExportError(`The source counts ${String(value)} events, which is not a valid count.`, {
    code: 'count-unreadable',
    hint: 'Check the measure that counts events.',
  });
}

/**
 * Passes the rows of a plan through a sieve as the text of a load answer: a server's own bytes, JSON written by the
 * engine, or rows written here. Rejects like `Backend.run` and like the sieve.
 */
async function siftAnswer(backend: Backend, plan: Plan, sieve: BodySieve, options: RunOptions): Promise<void> {
  if (backend.reach === 'remote') return backend.siftRows(plan, sieve, options);
  await sieve.begin();
  await sieve.take(Buffer.from('{"data":['));
  let first = true;
  for await (const bytes of await writtenRows(backend, plan, options)) {
    if (!first) await sieve.take(Buffer.from(','));
    first = false;
    await sieve.take(bytes);
  }
  await sieve.take(Buffer.from(']}'));
  const rest = await sieve.end();
  invariant(Buffer.from(rest).toString() === '{"data":[]}', 'what was written is no load answer');
}

async function writtenRows(backend: LocalBackend, plan: Plan, options: RunOptions): Promise<AsyncIterable<Uint8Array>> {
  const json = await backend.runJson(plan, layoutOf(plan), { ...options, sparing: true });
  if (json) return bytesOf(json.chunks);
  return writeBatches((await backend.run(plan, options)).batches, plan);
}

function layoutOf({ columns }: Plan): JsonRow {
  return [...columns.flatMap(({ key }, index) => [`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, index]), '}'];
}

async function* bytesOf(
  chunks: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { bytes } of chunks) yield bytes;
}

async function* writeBatches(
  batches: AsyncIterable<Batch>,
  { columns }: Plan,
): AsyncGenerator<Uint8Array, void, undefined> {
  const keys = columns.map(({ key }) => JSON.stringify(key));
  for await (const { rowCount, columns: values } of batches) {
    if (rowCount === 0) continue;
    const rows = Array.from(
      { length: rowCount },
      (_, row) => `{${keys.map((key, index) => `${key}:${writeValue(values[index]![row] ?? null)}`).join(',')}}`,
    );
    yield Buffer.from(rows.join(','));
  }
}

/** Writes a value as in load answers, where numbers are text. */
function writeValue(value: Value): string {
  return value === null || typeof value === 'boolean' ? String(value) : JSON.stringify(String(value));
}

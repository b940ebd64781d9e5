import { writeUtc } from '../../ask/time/local-time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { JsonAnswer, RejectedLines } from '../../run/backend.ts';
import { type RowLayout, toEnvelopeData, toRowLayout, writeEnvelopeData } from '../../shape/envelope/envelope-data.ts';
import type { QueryType } from '../../shape/envelope/envelope-query.ts';
import {
  type JsonPiece,
  type StreamedPart,
  writeLoadResponse,
  writeLoadResult,
} from '../../shape/envelope/envelope.ts';
import { fillOnWire, fillsOnWire } from '../../shape/envelope/wire-fill.ts';
import type { BoundLoad } from '../answer/read-load.ts';
import type { Session } from '../workspace/session.ts';

export interface StreamLoadOptions {
  /** Appends days without rows, as the platform does and Cube does not. */
  readonly fillDays: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called after each part with lines that could not be read and are not counted. */
  readonly onRejected?: ((rejected: RejectedLines) => void) | undefined;
}

/** Shorter answers do not justify a separate statement. */
const leastForEngine = 1_000;
/** Longer answers are kept on disk, because several of them at once would take too much memory. */
const mostInMemory = 10_000;

function mayBeLong(plan: Plan): boolean {
  const hasGroups = plan.ungrouped || plan.columns.some(({ kind }) => kind !== 'measure');
  return hasGroups && (plan.limit ?? leastForEngine) >= leastForEngine;
}

/** A part whose rows are read until it is closed. */
interface OpenedPart extends StreamedPart {
  readonly close?: (() => Promise<unknown> | undefined) | undefined;
}

/**
 * Streams the answer to a load request as JSON text, with the content of `answerLoad`. Resolves when the first rows of
 * each query exist, all over one state of the data. Throws as `Session.run`.
 */
export async function streamLoad(
  { plans, queryType, multi }: BoundLoad,
  session: Session,
  options: StreamLoadOptions,
): Promise<AsyncIterable<JsonPiece>> {
  const lastRefreshTime = writeUtc(session.now());
  if (!multi) return writeLoadResult(await openPart(plans[0]!, session, undefined, options), { lastRefreshTime });
  const opened = await session.atOneState(
    async () => {
      const parts: OpenedPart[] = [];
      try {
        for (const plan of plans) parts.push(await openPart(plan, session, queryType, options));
        return parts;
      } catch (error) {
        await closeAll(parts);
        throw error;
      }
    },
    { drop: closeAll },
  );

  async function* parts(): AsyncGenerator<StreamedPart, void, undefined> {
    try {
      yield* opened;
    } finally {
      await closeAll(opened);
    }
  }

  return writeLoadResponse(parts(), plans, { queryType, lastRefreshTime });
}

async function closeAll(parts: readonly OpenedPart[]): Promise<void> {
  for (const { close } of parts) await close?.();
}

async function openPart(
  plan: Plan,
  session: Session,
  queryType: QueryType | undefined,
  options: StreamLoadOptions,
): Promise<OpenedPart> {
  const { signal } = options;
  const isFilled = options.fillDays && fillsOnWire(plan.query);
  const layout = isFilled || !mayBeLong(plan) ? undefined : toRowLayout(plan, queryType);
  const written =
    layout && (await session.runJson(plan, layout.row, { signal, sparing: (plan.limit ?? Infinity) > mostInMemory }));
  if (layout && written) {
    const { data, close } = await writtenRows(written, layout, options);
    return { plan, data, total: () => written.facts().total, close };
  }
  const result = await session.run(plan, { fill: 'none', signal });
  options.onRejected?.(result.provenance.rejected);
  const total = () => result.provenance.total;
  const data = isFilled ? toEnvelopeData(result, plan, queryType) : undefined;
  if (!Array.isArray(data)) return { plan, data: writeEnvelopeData(result, plan, queryType), total };
  return { plan, data: [JSON.stringify(fillOnWire(data, plan.query))], total };
}

/** Waits for the first rows, so that earlier errors can still be reported. */
async function writtenRows(
  answer: JsonAnswer,
  layout: RowLayout,
  { onRejected }: StreamLoadOptions,
): Promise<Pick<OpenedPart, 'data' | 'close'>> {
  const chunks = answer.chunks[Symbol.asyncIterator]();
  const first = await chunks.next();

  async function* pieces(): AsyncGenerator<JsonPiece, void, undefined> {
    try {
      if (first.done === true) yield layout.empty;
      else {
        yield layout.opening;
        yield first.value.bytes;
        for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
          yield layout.separator;
          yield next.value.bytes;
        }
        yield layout.closing;
      }
      onRejected?.(answer.facts().rejected);
    } finally {
      await chunks.return?.();
    }
  }

  return { data: pieces(), close: () => chunks.return?.() };
}

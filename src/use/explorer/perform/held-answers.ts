import { type GridFeed, openGridFeed } from '../grid/grid-feed.ts';
import type { GridState } from '../grid/grid-state.ts';
import type { Size } from '../state/state.ts';
import type { RowsAnswer } from './answer-cell.ts';
import { toFailure } from './to-failure.ts';

/** An answer whose rows the grid can read. */
export interface HeldAnswer extends RowsAnswer {
  readonly feed: GridFeed;
  readonly abort: AbortController;
}

/** Open answers by number. */
export interface HeldAnswers {
  get(number: number): HeldAnswer | undefined;
  /** Rejects as reading rows does, and then closes the answer. */
  hold(answer: RowsAnswer, room: Size): Promise<{ readonly number: number; readonly grid: GridState }>;
  release(number: number): Promise<void>;
  /** Closes answers with rows in an engine that is about to close; keeps those in memory. */
  releaseStored(): Promise<void>;
  releaseAll(): Promise<void>;
}

export function openHeldAnswers(): HeldAnswers {
  const answers = new Map<number, HeldAnswer>();
  let next = 1;

  async function release(number: number): Promise<void> {
    const answer = answers.get(number);
    answers.delete(number);
    answer?.abort.abort();
    await answer?.feed[Symbol.asyncDispose]();
    await answer?.[Symbol.asyncDispose]();
  }

  return {
    get: (number) => answers.get(number),
    async hold(answer, { columns: width, rows: height }) {
      const feed = await openGridFeed(answer.source, { width, height }, (error) => toFailure(error).message).catch(
        async (error: unknown) => {
          await answer[Symbol.asyncDispose]();
          throw error;
        },
      );
      const number = next;
      next += 1;
      answers.set(number, {
        ...answer,
        [Symbol.asyncDispose]: answer[Symbol.asyncDispose],
        feed,
        abort: new AbortController(),
      });
      return { number, grid: feed.opening };
    },
    release,
    async releaseStored() {
      await Promise.all([...answers].filter(([, { whole }]) => !whole).map(([number]) => release(number)));
    },
    async releaseAll() {
      await Promise.all([...answers.keys()].map(release));
    },
  };
}

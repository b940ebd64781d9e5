import { withParts } from '../../../ask/cloneable.ts';
import { AbortedError } from '../../../ask/sluice-error.ts';
import { pivotBy } from '../../../shape/pivot.ts';
import type { Result } from '../../../shape/result/result.ts';
import type { Session } from '../../workspace/session.ts';
import { sourceOfResult } from '../grid/grid-source.ts';
import type { Effect } from '../state/effects.ts';
import type { DataStates, Message } from '../state/message.ts';
import type { Size, Failure } from '../state/state.ts';
import { answerCell, type RowsAnswer } from './answer-cell.ts';
import type { HeldAnswers } from './held-answers.ts';
import { toFailure } from './to-failure.ts';

type Tell = (message: Message) => void;

/** Running questions, by run number. Nothing rejects: results and errors are messages. */
interface AnswerRuns {
  run(effect: Effect & { readonly kind: 'run' }, tell: Tell): Promise<void>;
  /** Pivots the same rows by a column, or undoes the pivot. */
  pivot(effect: Effect & { readonly kind: 'pivot' }, tell: Tell): Promise<void>;
  /**
   * Does cancellable work under a run number. `failed` makes the message if it fails; by default that of a run of
   * cells.
   */
  during(
    run: number,
    tell: Tell,
    work: (signal: AbortSignal) => Promise<void>,
    failed?: (failure: Failure) => Message,
  ): Promise<void>;
  cancel(run: number): void;
  cancelAll(): void;
}

interface RunSurroundings {
  readonly answers: HeldAnswers;
  readonly session: () => Promise<Session>;
  /** Says which files of the workspace have changed since they were read. */
  readonly changedFiles: () => Promise<string | undefined>;
  readonly size: () => Size;
  readonly cwd: string;
}

export function openRuns({ answers, session, changedFiles, size, cwd }: RunSurroundings): AnswerRuns {
  const runs = new Map<number, AbortController>();

  const during: AnswerRuns['during'] = async (
    run,
    tell,
    work,
    failed = (failure) => ({ kind: 'run-failed', run, failure }),
  ) => {
    const abort = new AbortController();
    runs.set(run, abort);
    try {
      await work(abort.signal);
    } catch (error) {
      const isCancelled = abort.signal.aborted || error instanceof AbortedError;
      tell(isCancelled ? { kind: 'run-cancelled', run } : failed(toFailure(error)));
    } finally {
      runs.delete(run);
    }
  };

  /** Sends the answer, or the reason for its failure. */
  const answering = (
    run: number,
    tell: Tell,
    answer: (signal: AbortSignal) => Promise<RowsAnswer>,
    { pivot, isOfData = false }: { readonly pivot?: string | undefined; readonly isOfData?: boolean },
  ): Promise<void> =>
    during(run, tell, async (signal) => {
      const since = performance.now();
      const data = isOfData ? await watchData(await session()) : undefined;
      const asked = await answer(signal);
      const { number, grid } = await answers.hold(asked, size());
      const elapsedMs = performance.now() - since;
      tell({
        kind: 'answered',
        run,
        answer: { ...asked.answer, number },
        grid,
        pivot,
        elapsedMs,
        data: await data?.(),
      });
    });

  return {
    async run({ run, ask }, tell) {
      if (ask.kind === 'text') return;
      const onWait = (note: string) => tell({ kind: 'run-waits', run, note });
      const onFirst = (first: Result) => tell({ kind: 'first-rows', run, first });
      await answering(
        run,
        tell,
        async (signal) => {
          const changes = await changedFiles();
          const asked = await answerCell(await session(), ask, { signal, cwd, onWait, onFirst });
          return changes === undefined ? asked : withFirstNote(asked, changes);
        },
        { isOfData: true },
      );
    },
    pivot({ answer, run, key }, tell) {
      return answering(
        run,
        tell,
        async () => {
          const held = answers.get(answer);
          if (!held?.whole) throw new AbortedError();
          const { whole } = held;
          const turned = key === undefined ? whole : pivotBy(whole, key);
          return {
            answer: { ...held.answer, head: turned, rowCount: turned.rowCount },
            source: sourceOfResult(turned),
            whole,
            [Symbol.asyncDispose]: async () => undefined,
          };
        },
        { pivot: key },
      );
    },
    during,
    cancel: (run) => runs.get(run)?.abort(),
    cancelAll() {
      for (const abort of runs.values()) abort.abort();
    },
  };
}

/** Looks at the data before a question. The function looks again; undefined if it cannot be looked at. */
export async function watchData({ dataState }: Session): Promise<() => Promise<DataStates | undefined>> {
  const asked = await dataState();
  return async () => {
    const now = asked === undefined ? undefined : await dataState();
    return asked === undefined || now === undefined ? undefined : { asked, now };
  };
}

function withFirstNote(asked: RowsAnswer, note: string): RowsAnswer {
  const { head } = asked.answer;
  const { provenance } = head;
  return {
    ...asked,
    [Symbol.asyncDispose]: asked[Symbol.asyncDispose],
    answer: {
      ...asked.answer,
      head: withParts(head, { provenance: { ...provenance, notes: [note, ...provenance.notes] } }),
    },
  };
}

import { throwIfAborted } from '../../ask/sluice-error.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import { toTimeReader } from '../../shape/result/read-times.ts';
import { type RowSource, rowsOfResult } from '../../show/text/row-source.ts';
import { answerQuestion } from '../answer/answer-question.ts';
import { bindQuestion } from '../answer/bind-question.ts';
import { toAsking, toOptions } from './ask.ts';
import { checkTimes, withTimes } from './dated-rows.ts';
import { inCode, provenanceInCode } from './option-wording.ts';
import type { Opened } from './open-library.ts';
import type { Asked, AskOptions, RowOptions } from './options.ts';

type AnyRow = Readonly<Record<string, unknown>>;

/**
 * An async iterator of rows. Ending the loop early, or calling `return()`, releases the answer. After the last row, the
 * iterator returns the provenance. Throws the errors of `query`.
 */
export type RowStream<Row> = AsyncGenerator<Row, Provenance, void>;

/** Streams the rows of an answer in batches, so that memory use does not grow with their number. */
export function streamRows(opened: Opened, asked: Asked, options: AskOptions & RowOptions = {}): RowStream<AnyRow> {
  const stopping = new AbortController();
  const pieces = read(opened, asked, options, stopping.signal);
  let piece: Piece | undefined;
  let at = 0;
  /** Whether the options were checked, which the first batch shows. */
  let isRead = false;
  /** An aborted stream must not look complete. */
  const demandNotAborted = () => {
    throwIfAborted(stopping.signal);
    if (isRead) throwIfAborted(options.signal);
  };
  const forget = opened.closeFirst({
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await end();
    },
  });
  const end = async () => {
    forget();
    piece = undefined;
    await pieces.return(undefined as never);
  };
  const take = async (): Promise<IteratorResult<AnyRow, Provenance>> => {
    try {
      for (;;) {
        demandNotAborted();
        if (piece && at < piece.rowCount) return { done: false, value: piece.row(at++) };
        const step = await pieces.next();
        if (step.done) {
          isRead = true;
          demandNotAborted();
          forget();
          return step;
        }
        piece = step.value;
        at = 0;
        isRead = true;
      }
    } catch (error) {
      await end();
      throw inCode(error);
    }
  };
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Runs calls one after another, as a generator does: two calls that read a batch at once would lose one. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    waiting += 1;
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      waiting -= 1;
    }
  };
  return {
    // Nearly every row is in memory already, and a loop never has two calls at once.
    next: () => (waiting === 0 && piece && at < piece.rowCount ? take() : inTurn(take)),
    async return(value) {
      await inTurn(end);
      return { done: true, value: await value };
    },
    async throw(error) {
      await inTurn(end);
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: () => inTurn(end),
  };
}

/** A batch of columns. Its rows are built on demand. */
interface Piece {
  readonly rowCount: number;
  readonly row: (index: number) => AnyRow;
}

async function* read(
  opened: Opened,
  asked: Asked,
  options: AskOptions & RowOptions,
  stopping: AbortSignal,
): AsyncGenerator<Piece, Provenance, void> {
  const answered = await opened.call('stream', options, async (ending) => {
    const { times: _, ...rest } = options;
    checkTimes('stream', options);
    const bound = await bindQuestion(
      opened.session,
      toAsking('stream', opened, asked, options.timezone),
      toOptions(rest, ending),
    );
    const found = await answerQuestion(opened.session, bound, { ...toOptions(rest, ending), stream: {} });
    try {
      opened.tell(found.rows.provenance, options);
    } catch (error) {
      await found[Symbol.asyncDispose]();
      throw error;
    }
    return found;
  });
  await using _held = answered;
  const source: RowSource = answered.whole ? rowsOfResult(answered.whole) : answered.rows;
  const signal = options.signal ? AbortSignal.any([stopping, options.signal]) : stopping;
  const { columns, provenance } = source;
  const readers = columns.map((column) => toTimeReader(withTimes(column, options), provenance.zone));
  const keys = columns.map(({ key }) => key);
  for await (const { rowCount, columns: data } of source.batches(signal)) {
    throwIfAborted(signal);
    yield {
      rowCount,
      row(index) {
        const row: Record<string, unknown> = {};
        for (let column = 0; column < keys.length; column += 1) {
          const value = data[column]?.[index] ?? null;
          row[keys[column] as string] = readers[column]?.(value) ?? value;
        }
        return row;
      },
    };
  }
  return provenanceInCode(provenance);
}

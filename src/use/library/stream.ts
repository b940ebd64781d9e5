import { AbortedError } from '../../ask/sluice-error.ts';
import type { Value } from '../../plan/column.ts';
import type { Batch } from '../../run/backend.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import type { RowSource } from '../../show/text/row-source.ts';
import { rowsOfResult } from '../../show/text/row-source.ts';
import { answerQuestion } from '../answer/answer-question.ts';
import { bindQuestion } from '../answer/bind-question.ts';
import { toAsking, toOptions } from './ask.ts';
import { dateReader } from './dated-rows.ts';
import { inCode } from './in-code.ts';
import type { Opened } from './opened.ts';
import type { Asked, AskOptions, RowOptions } from './options.ts';

type AnyRow = Readonly<Record<string, Value | Date>>;

/**
 * Rows one by one. A loop that ends early lets go of the answer; so does `return()`. After the last row, the value of
 * the iteration is where the rows come from.
 */
export type RowStream<Row> = AsyncGenerator<Row, Provenance, void>;

/** The rows of an answer, read piece by piece from the disk of the engine, so that memory does not grow. */
export function streamRows(opened: Opened, asked: Asked, options: AskOptions & RowOptions = {}): RowStream<AnyRow> {
  const stopping = new AbortController();
  const rows = read(opened, asked, options, stopping.signal);
  const close = async () => {
    stopping.abort();
    await rows.return(undefined as never).catch(() => undefined);
  };
  const forget = opened.closeFirst({ [Symbol.asyncDispose]: close });
  const step = async (work: () => Promise<IteratorResult<AnyRow, Provenance>>) => {
    try {
      const result = await work();
      // What was cut off must not look like the end.
      if (result.done && stopping.signal.aborted) throw new AbortedError();
      if (result.done) forget();
      return result;
    } catch (error) {
      forget();
      throw inCode(error);
    }
  };
  return {
    next: () => step(() => rows.next()),
    return: async (value) => {
      forget();
      return rows.return(await value);
    },
    throw: async (error) => {
      forget();
      return rows.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      forget();
      await rows.return(undefined as never);
    },
  };
}

async function* read(
  opened: Opened,
  asked: Asked,
  options: AskOptions & RowOptions,
  stopping: AbortSignal,
): AsyncGenerator<AnyRow, Provenance, void> {
  const answered = await opened.call('stream', options, async (ending) => {
    const { times: _, ...rest } = options;
    const bound = await bindQuestion(
      opened.session,
      toAsking(opened, asked, options.timezone),
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
  const readers = options.times === 'date' ? columns.map((column) => dateReader(column, provenance.zone)) : [];
  for await (const batch of source.batches(signal)) {
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (signal.aborted) throw new AbortedError(signal.reason);
      yield toRow(batch, row, columns, readers);
    }
  }
  return provenance;
}

function toRow(
  { columns: data }: Batch,
  row: number,
  columns: RowSource['columns'],
  readers: readonly ReturnType<typeof dateReader>[],
): AnyRow {
  const object: Record<string, Value | Date> = {};
  for (const [index, { key }] of columns.entries()) {
    const value = data[index]?.[row] ?? null;
    object[key] = readers[index]?.(value) ?? value;
  }
  return object;
}

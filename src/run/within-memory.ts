import { getHeapStatistics } from 'node:v8';
import { BackendError } from '../ask/sluice-error.ts';
import type { Answer, Batch } from './backend.ts';

/** What a value in an array takes, twice: in its batch, and in the array that all batches are joined into. */
const bytesPerCell = 16;
/** What a text or a large number takes besides its characters. */
const bytesPerObject = 24;

/**
 * The answer, for who holds all of its rows. A batch rejects with `answer-too-large` before the rows fill the memory
 * that JavaScript has, because the process would then be aborted without a word.
 */
export function withinMemory(answer: Answer): Answer {
  async function* batches(): AsyncGenerator<Batch> {
    let held = 0;
    let rows = 0;
    for await (const batch of answer.batches) {
      held += batch.columns.reduce((sum, values) => sum + sizeOf(values), 0);
      rows += batch.rowCount;
      refuseTooMuch(held, rows);
      yield batch;
    }
  }
  return { ...answer, batches: batches() };
}

/** Node's heap limit includes this much for young objects; what lasts cannot use it. */
const youngBytes = 216 * 2 ** 20;

function refuseTooMuch(held: number, rows: number): void {
  const { heap_size_limit: whole, used_heap_size: used } = getHeapStatistics();
  const limit = Math.max(whole / 4, whole - youngBytes);
  // What is used holds garbage too, so it proves nothing alone. Some room is left for what the program makes of the
  // rows.
  if (held < limit * 0.4 || (held < limit * 0.6 && used < limit * 0.6)) return;
  throw new BackendError(`The result does not fit into memory: it has more than ${rows} rows.`, {
    code: 'answer-too-large',
    hint: "Stream it to a file with `write(question, 'answer.parquet')`, set a limit, or give Node more memory with --max-old-space-size.",
  });
}

/** About the bytes of the heap that the values take. Typed arrays lie outside of it. */
function sizeOf(values: Batch['columns'][number]): number {
  if (values instanceof Float64Array) return 0;
  let bytes = values.length * bytesPerCell;
  for (const value of values) {
    if (typeof value === 'string') bytes += bytesPerObject + value.length;
    else if (typeof value === 'bigint') bytes += bytesPerObject;
  }
  return bytes;
}

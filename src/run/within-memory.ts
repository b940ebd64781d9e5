import { getHeapStatistics } from 'node:v8';
import { BackendError } from '../ask/sluice-error.ts';
import type { Answer, Batch } from './backend.ts';

/** Twice the size of a value in an array: in its batch, and in the array that joins all batches. */
const bytesPerCell = 16;
/** The size of a text or a large number in addition to its characters. */
const bytesPerObject = 24;

/**
 * Limits an answer to memory, for callers that hold all rows. A batch rejects with `answer-too-large` before the rows
 * fill the JavaScript heap, because Node would then abort the process.
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

/** The part of Node's heap limit for young objects, which long-lived objects cannot use. */
const youngBytes = 216 * 2 ** 20;
/** Every heap has room for so much. */
const littleBytes = 2 ** 18;

function refuseTooMuch(held: number, rows: number): void {
  if (held < littleBytes) return;
  const { heap_size_limit: whole, used_heap_size: used } = getHeapStatistics();
  const limit = Math.max(whole / 4, whole - youngBytes);
  // Used heap includes garbage, so it proves nothing by itself. Leave some room for the program's use of the rows.
  if (held < limit * 0.4 || (held < limit * 0.6 && used < limit * 0.6)) return;
  throw new BackendError(`The result does not fit into memory: it has more than ${rows} rows.`, {
    code: 'answer-too-large',
    hint:
      "Stream it to a file with `write(question, 'answer.parquet')`, set a limit, " +
      'or give Node more memory with --max-old-space-size.',
  });
}

/** The approximate size of the values on the heap. Typed arrays lie outside it. */
function sizeOf(values: Batch['columns'][number]): number {
  if (values instanceof Float64Array) return 0;
  let bytes = values.length * bytesPerCell;
  for (const value of values) {
    if (typeof value === 'string') bytes += bytesPerObject + value.length;
    else if (typeof value === 'bigint') bytes += bytesPerObject;
  }
  return bytes;
}

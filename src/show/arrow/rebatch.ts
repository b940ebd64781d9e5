import type { Batch } from '../../run/backend.ts';
import { joinValues } from '../../shape/values/join-values.ts';

/** The same rows in batches of `size`, the last one smaller: however they came, they leave alike. */
export async function* rebatch(batches: AsyncIterable<Batch> | Iterable<Batch>, size: number): AsyncGenerator<Batch> {
  let waiting: Batch[] = [];
  let count = 0;
  for await (const batch of batches) {
    for (let start = 0; start < batch.rowCount;) {
      const end = Math.min(batch.rowCount, start + size - count);
      waiting.push(slice(batch, start, end));
      count += end - start;
      start = end;
      if (count < size) continue;
      yield join(waiting);
      waiting = [];
      count = 0;
    }
  }
  if (count > 0) yield join(waiting);
}

function slice(batch: Batch, start: number, end: number): Batch {
  if (start === 0 && end === batch.rowCount) return batch;
  return { rowCount: end - start, columns: batch.columns.map((values) => values.slice(start, end)) };
}

function join(batches: readonly Batch[]): Batch {
  const [first] = batches as readonly [Batch];
  if (batches.length === 1) return first;
  return {
    rowCount: batches.reduce((sum, { rowCount }) => sum + rowCount, 0),
    columns: first.columns.map((_, index) => joinValues(batches.map(({ columns }) => columns[index] as Batch['columns'][number]))),
  };
}

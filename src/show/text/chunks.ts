import type { Batch } from '../../run/backend.ts';
import type { Result } from '../../shape/result/result.ts';

/** Large enough that writing to a pipe or file is cheap compared to making the text. */
const chunkLength = 64 * 1024;

/** How a format writes rows. It is made once per answer, because it caches texts across batches. */
export interface RowForm {
  readonly head: string;
  /** Separates two rows. */
  readonly between: string;
  readonly tail: string;
  /** The text of a row of the batch. */
  rows(columns: Batch['columns']): (row: number) => string;
}

/** Head, rows and tail in chunks of about 64 Ki characters, so that large answers stream. */
export function* toChunks(form: RowForm, batch: Batch): Generator<string> {
  const gathering = gather(form);
  yield* gathering.add(batch);
  yield* gathering.end();
}

/** Like `toChunks`, for an answer in several batches. */
export async function* streamChunks(
  form: RowForm,
  batches: AsyncIterable<Batch> | Iterable<Batch>,
): AsyncGenerator<string> {
  const gathering = gather(form);
  for await (const batch of batches) yield* gathering.add(batch);
  yield* gathering.end();
}

function gather({ head, between, tail, rows }: RowForm) {
  let chunk = head;
  let before = '';
  return {
    *add({ rowCount, columns }: Batch): Generator<string> {
      const writeRow = rows(columns);
      for (let row = 0; row < rowCount; row += 1) {
        chunk += before + writeRow(row);
        before = between;
        if (chunk.length >= chunkLength) {
          yield chunk;
          chunk = '';
        }
      }
    },
    *end(): Generator<string> {
      chunk += tail;
      if (chunk !== '') yield chunk;
    },
  };
}

/** All rows of a result as one batch. */
export function toBatch(result: Result<object>): Batch {
  return { rowCount: result.rowCount, columns: result.columns.map(({ key }) => result.values(key)) };
}

/** Answers repeat few different texts many times. In a column with more texts than this, lookups do not pay. */
const capacity = 4096;
/** Long texts rarely repeat, and cost memory. */
const longest = 256;

/** Caches the first results of a function from text to text. */
export function remember(convert: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length > longest) return convert(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const converted = convert(text);
    if (known.size < capacity) known.set(text, converted);
    return converted;
  };
}

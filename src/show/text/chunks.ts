/** Large enough that a write to a pipe or file costs next to nothing beside making the text. */
const chunkLength = 64 * 1024;

/** Head, then one text a row, then tail, gathered into chunks of about 64 Ki characters, so that large answers stream. */
export function* toChunks(head: string, rowCount: number, writeRow: (row: number) => string, tail = ''): Generator<string> {
  let chunk = head;
  for (let row = 0; row < rowCount; row += 1) {
    chunk += writeRow(row);
    if (chunk.length >= chunkLength) {
      yield chunk;
      chunk = '';
    }
  }
  chunk += tail;
  if (chunk !== '') yield chunk;
}

/**
 * RFC 4180, character by character: the slow, obvious reading of an intact file. Rows with a single empty cell are
 * blank lines.
 */
export function readCsvSlowly(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let state: 'start' | 'bare' | 'quoted' | 'closed' = 'start';
  const endCell = () => {
    row.push(cell);
    cell = '';
    state = 'start';
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (const character of text.replaceAll('\r\n', '\n')) {
    if (state === 'quoted') {
      if (character === '"') state = 'closed';
      else cell += character;
    } else if (character === '"' && state === 'start') state = 'quoted';
    else if (character === '"' && state === 'closed') {
      cell += '"';
      state = 'quoted';
    } else if (character === delimiter) endCell();
    else if (character === '\n') endRow();
    else {
      if (state === 'closed') throw new Error(`text after a closing quotation mark: ${JSON.stringify(text)}`);
      state = 'bare';
      cell += character;
    }
  }
  if (state !== 'start' || row.length > 0) endRow();
  return rows;
}

/** A field, and whether it was quoted: this distinguishes the empty text from null. */
export interface Field {
  readonly text: string;
  readonly quoted: boolean;
}

/**
 * Reads comma-separated values one character at a time, by the grammar of RFC 4180 with a line feed as the end of a
 * record.
 */
export function readCsv(text: string): readonly (readonly Field[])[] {
  const records: Field[][] = [];
  let record: Field[] = [];
  let at = 0;
  while (at < text.length) {
    let field = '';
    const quoted = text[at] === '"';
    if (quoted) {
      at += 1;
      for (;;) {
        if (at >= text.length) throw new Error('a quoted field has no end');
        if (text[at] !== '"') field += text[at++];
        else if (text[at + 1] === '"') {
          field += '"';
          at += 2;
        } else {
          at += 1;
          break;
        }
      }
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\n') {
        if (text[at] === '"' || text[at] === '\r')
          throw new Error('a field without quotes holds a quote or a line break');
        field += text[at++];
      }
    }
    record.push({ text: field, quoted });
    if (text[at] === ',') {
      at += 1;
      if (at === text.length) throw new Error('the last record has no end');
      if (text[at] === '\n') {
        record.push({ text: '', quoted: false });
        records.push(record);
        record = [];
        at += 1;
      }
    } else if (text[at] === '\n') {
      records.push(record);
      record = [];
      at += 1;
    } else throw new Error(`neither a comma nor a line feed after a field: ${JSON.stringify(text.slice(at, at + 10))}`);
  }
  if (record.length > 0) throw new Error('the last record has no end');
  return records;
}

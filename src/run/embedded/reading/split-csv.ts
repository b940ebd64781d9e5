import { gather, longestHead, type Splitter, type TakeRecord } from './split-records.ts';

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A record a row of a CSV file, which may run over several lines inside quotation marks. */
export function splitCsv(delimiter: string): (take: TakeRecord) => Splitter {
  const separator = delimiter.charCodeAt(0);
  return (take) => {
    const record = gather();
    let line = 1;
    let startLine = 1;
    let quoted = false;
    let justClosed = false;
    let atFieldStart = true;

    const finish = () => {
      take({ line: startLine, ...record.take() });
    };

    return {
      push(piece) {
        let start = 0;
        for (let index = 0; index < piece.length; index++) {
          const byte = piece[index]!;
          if (byte === lineFeed) line += 1;
          const wasQuoted = quoted;
          if (quoted) {
            if (byte === quote) quoted = false;
          } else if (byte === quote && (atFieldStart || justClosed)) {
            // A doubled quotation mark closes and opens again.
            quoted = true;
          } else if (byte === lineFeed) {
            record.add(piece, start, index);
            finish();
            start = index + 1;
            startLine = line;
          }
          justClosed = wasQuoted && !quoted;
          atFieldStart = !quoted && (byte === separator || byte === lineFeed);
        }
        record.add(piece, start, piece.length);
      },
      end() {
        if (quoted) take({ line: startLine, reason: 'a quotation mark that opens in this row is never closed', head: record.take().bytes?.subarray(0, longestHead) });
        else if (!record.empty) finish();
      },
    };
  };
}

/** The fields of one row. A last carriage return belongs to the line's end. */
export function splitFields(row: string, delimiter: string): readonly string[] {
  const text = row.charCodeAt(row.length - 1) === carriageReturn ? row.slice(0, -1) : row;
  const fields: string[] = [];
  let position = 0;
  for (;;) {
    let field = '';
    if (text[position] === '"') {
      let close = position + 1;
      while (close < text.length && (text[close] !== '"' || text[close + 1] === '"')) close += text[close] === '"' ? 2 : 1;
      field = text.slice(position + 1, close).replaceAll('""', '"');
      position = Math.min(text.length, close + 1);
    }
    const end = text.indexOf(delimiter, position);
    fields.push(field + text.slice(position, end < 0 ? text.length : end));
    if (end < 0) return fields;
    position = end + delimiter.length;
  }
}

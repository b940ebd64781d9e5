import { gather, type Splitter, type TakeRecord } from './split-records.ts';

/** Each element of the file's JSON array is a record, and of further arrays, which may stand on lines of their own. */
export function splitArray(take: TakeRecord): Splitter {
  const record = gather();
  let line = 1;
  let startLine = 1;
  let depth = 0;
  let inText = false;
  let escaped = false;
  let inElement = false;
  let closed = false;

  const finish = () => {
    if (!inElement) return;
    inElement = false;
    take({ line: startLine, ...record.take() });
  };

  return {
    push(piece) {
      let from = 0;
      for (let index = 0; index < piece.length; index++) {
        const byte = piece[index]!;
        if (byte === 0x0a) line += 1;
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === 0x5c) escaped = true;
          else if (byte === 0x22) inText = false;
          continue;
        }
        const opens = byte === 0x5b || byte === 0x7b;
        const closes = byte === 0x5d || byte === 0x7d;
        if (depth === 0 && !inElement && (byte === 0x5b || (opens && !closed))) {
          depth = 1;
          closed = false;
          continue;
        }
        if (depth === 1 && (byte === 0x2c || closes)) {
          if (inElement) record.add(piece, from, index);
          finish();
          if (closes) {
            depth = 0;
            closed = true;
          }
          continue;
        }
        if (!inElement) {
          if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || (line === 1 && depth === 0 && byte >= 0xbb)) continue;
          inElement = true;
          startLine = line;
          from = index;
        }
        if (byte === 0x22) inText = true;
        else if (opens) depth += 1;
        else if (closes) depth -= 1;
      }
      if (inElement) record.add(piece, from, piece.length);
    },
    end() {
      finish();
      if (!closed) take({ line, reason: 'the list is not closed: the file ends too early' });
    },
  };
}

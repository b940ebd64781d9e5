import { gather, type Splitter, type TakeRecord } from './split-records.ts';

const lineFeed = 0x0a;

/** Each line is a record. */
export function splitLines(take: TakeRecord): Splitter {
  const record = gather();
  let line = 1;

  const finish = () => {
    take({ line, ...record.take() });
    line += 1;
  };

  return {
    push(piece) {
      let start = 0;
      for (;;) {
        const end = piece.indexOf(lineFeed, start);
        if (end < 0) break;
        record.add(piece, start, end);
        finish();
        start = end + 1;
      }
      record.add(piece, start, piece.length);
    },
    end() {
      if (!record.empty) finish();
    },
  };
}

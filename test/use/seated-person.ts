import { PassThrough, Writable } from 'node:stream';
import type { Terminal } from '../../src/use/process/effects.ts';

/** Keys as a terminal sends them. */
export const keys = {
  enter: '\r',
  down: '\u001b[B',
  up: '\u001b[A',
  interrupt: '\u0003',
  erase: '\u007f',
  right: '\u001b[C',
} as const;

/** A person at a terminal who answers each question with the next prepared answer. */
export interface SeatedPerson extends Terminal {
  /** Everything that was shown, without colours and cursor movements. */
  readonly seen: () => string;
  /** Answers to questions that have not come. */
  readonly left: () => number;
}

/** `answers`: a piece of the question, and the keys to type. */
export function seatPerson(answers: readonly (readonly [question: string, typed: string])[]): SeatedPerson {
  const input = Object.assign(new PassThrough(), { isTTY: false });
  const waiting = [...answers];
  let shown = '';
  let heard = 0;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown += chunk.toString();
      const next = waiting[0];
      if (next && shown.slice(heard).includes(next[0])) {
        waiting.shift();
        heard = shown.length;
        // Wait until the program listens, then send one key after the other.
        setTimeout(() => void typeAll(next[1]), 20);
      }
      done();
    },
  });
  async function typeAll(text: string): Promise<void> {
    for (const key of text.match(/\u001b\[[A-D]|[^]/gu) ?? []) {
      input.write(key);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  return {
    input,
    output: Object.assign(output, { columns: 80, rows: 40, isTTY: true }),
    left: () => waiting.length,
    seen: () => shown.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, ''),
  };
}

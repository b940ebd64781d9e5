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

/** Someone at a terminal who answers each question, as soon as it is asked, with what they have in mind. */
export interface SeatedPerson extends Terminal {
  /** All that was shown, without colours and movements. */
  readonly seen: () => string;
  /** Answers that no question has come for. */
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
        // A person takes longer than it takes to listen for them; one key after the other.
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

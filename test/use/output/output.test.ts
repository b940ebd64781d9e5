import { expect, it } from 'vitest';
import { AbortedError } from '../../../src/ask/sluice-error.ts';
import { writeChunks } from '../../../src/use/cli/actions/write-answer.ts';

function* interrupting(controller: AbortController): Generator<string> {
  yield 'one';
  controller.abort();
  yield 'two';
}

it('reports an interrupted stream as an interruption, not as a bug', async () => {
  const controller = new AbortController();
  const written: unknown[] = [];
  const sink = { isTerminal: false, write: async (text: unknown) => void written.push(text) };
  await expect(writeChunks(sink, interrupting(controller), controller.signal)).rejects.toBeInstanceOf(AbortedError);
  expect(written).toEqual(['one']);
});

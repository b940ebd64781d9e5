import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openRequestQueue } from '../../../src/use/server/request-queue.ts';

it('never exceeds its limit, forgets nobody, and keeps the order of the queue', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 4 }),
      fc.array(fc.tuple(fc.constantFrom('enter', 'enter', 'leave', 'abort'), fc.nat(9)), { maxLength: 60 }),
      async (concurrency, queue, steps) => {
        const gate = openRequestQueue({ concurrency, queue });
        // The model: running and waiting requests, in order.
        const inside: number[] = [];
        const line: number[] = [];
        const leaves = new Map<number, () => void>();
        const controllers = new Map<number, AbortController>();
        const ended = new Map<number, string>();
        let next = 0;
        const advance = () => {
          while (inside.length < concurrency && line.length > 0) inside.push(line.shift()!);
        };
        for (const [step, pick] of steps) {
          if (step === 'enter') {
            const name = (next += 1);
            const controller = new AbortController();
            controllers.set(name, controller);
            gate.enter(controller.signal).then(
              (leave) => leaves.set(name, leave),
              (error: { status?: number; code: string }) =>
                ended.set(name, error.status === 429 ? 'refused' : error.code),
            );
            if (inside.length < concurrency || line.length < queue) line.push(name);
            else await expect.poll(() => ended.get(name)).toBe('refused');
          } else if (step === 'leave' && inside.length > 0) {
            const [name] = inside.splice(pick % inside.length, 1);
            leaves.get(name!)!();
            // Releasing twice has no further effect.
            leaves.get(name!)!();
            leaves.delete(name!);
          } else if (step === 'abort' && line.length > 0) {
            const [name] = line.splice(pick % line.length, 1);
            controllers.get(name!)!.abort();
            await Promise.resolve();
          }
          advance();
          await new Promise(setImmediate);
          expect([...leaves.keys()].sort()).toEqual([...inside].sort());
        }
      },
    ),
    { numRuns: 60 },
  );
});

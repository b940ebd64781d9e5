import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSpool } from '../../../src/use/server/spool.ts';

const wide = { memoryBytes: 1_000, diskBytes: 1_000_000, holdMs: 60_000 };

/** A source that reuses its bytes, and reports how far it was read. */
function source(sizes: readonly number[], failure?: Error) {
  const seen = { pieces: 0, ended: false };
  const shared = Buffer.alloc(5_000);
  const expected = createHash('sha256');
  sizes.forEach((size, index) => expected.update(Buffer.alloc(size, index)));
  async function* pieces() {
    try {
      for (const [index, size] of sizes.entries()) {
        seen.pieces += 1;
        yield shared.fill(index).subarray(0, size);
      }
      if (failure) throw failure;
    } finally {
      seen.ended = true;
    }
  }
  return { seen, pieces: pieces(), digest: expected.digest('hex') };
}

it('gives the same bytes, whatever the limits of memory and disk, and however slowly they are read', async () => {
  const sizes = fc.array(fc.nat(2_000), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.nat(3_000),
      fc.nat(6_000),
      fc.infiniteStream(fc.nat(3)),
      async (pieces, memoryBytes, diskBytes, pauses) => {
        const spool = openSpool({ memoryBytes, diskBytes, holdMs: 60_000 });
        const { seen, pieces: from, digest } = source(pieces);
        let ends = 0;
        const answer = spool.read(from, () => {
          ends += 1;
        });
        const hash = createHash('sha256');
        for await (const piece of answer.pieces) {
          hash.update(piece);
          for (let left = pauses.next().value!; left > 0; left -= 1) await turn();
        }
        await answer.close();
        expect([hash.digest('hex'), ends, seen.ended]).toEqual([digest, 1, true]);
      },
    ),
    { numRuns: 60 },
  );
});

it('reads the source to the end even if nobody reads from it', async () => {
  const { pieces } = source(Array.from({ length: 200 }, () => 1_000));
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = openSpool(wide).read(pieces, resolve);
  await promise;
  await answer.close();
});

it('reads only as far as memory and disk allow, stops when closed, and frees the disk', async () => {
  const spool = openSpool({ ...wide, diskBytes: 10_000 });
  for (let round = 0; round < 3; round += 1) {
    const { seen, pieces } = source(Array.from({ length: 200 }, () => 1_000));
    const answer = spool.read(pieces, () => undefined);
    const taking = answer.pieces[Symbol.asyncIterator]();
    await taking.next();
    while (seen.pieces < 12) await turn();
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(seen.pieces).toBeLessThan(15);
    await answer.close();
    expect(seen.ended).toBe(true);
  }
});

it('drops a client that blocks others when the disk space is used up', async () => {
  const { seen, pieces } = source(Array.from({ length: 200 }, () => 1_000));
  let answer = openSpool({ ...wide, diskBytes: 0, holdMs: 20 }).read(pieces, () => undefined);
  while (!seen.ended) await turn();
  const taken: number[] = [];
  await expect(
    (async () => {
      for await (const piece of answer.pieces) taken.push(piece.length);
    })(),
  ).rejects.toMatchObject({ code: 'aborted' });
  expect(taken).toEqual([1_000]);
  await answer.close();
  answer = openSpool(wide).read(source([5], new Error('halfway')).pieces, () => undefined);
  await expect(
    (async () => {
      for await (const piece of answer.pieces) taken.push(piece.length);
    })(),
  ).rejects.toThrow('halfway');
  expect(taken).toEqual([1_000, 5]);
  await answer.close();
});

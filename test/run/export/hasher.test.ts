import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openHashThread } from '../../../src/run/export/files/hash-thread.ts';
import { openHasher } from '../../../src/run/export/files/hasher.ts';

const sha256 = (pieces: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(pieces)).digest('hex');

/** Sometimes more than fits into one transfer. */
const piece = fc
  .tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.oneof(
      { weight: 6, arbitrary: fc.nat(2_000) },
      { weight: 1, arbitrary: fc.integer({ min: 500_000, max: 1_700_000 }) },
    ),
  )
  .map(([byte, length]) => {
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index += 1) bytes[index] = byte + index * 7;
    return bytes;
  });
const file = fc.record({ void: fc.array(piece, { maxLength: 3 }), pieces: fc.array(piece, { maxLength: 6 }) });

describe('hashers', () => {
  it('on a thread of their own, many at once, give what those here give, whatever becomes of the bytes afterwards', async () => {
    await using thread = openHashThread();
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 6 }), async (files) => {
        const found = await Promise.all(
          files.flatMap((each) =>
            [thread.open(), openHasher()].map(async (hasher) => {
              for (const bytes of each.void) await hasher.update(bytes);
              hasher.restart();
              for (const bytes of each.pieces) {
                const given = bytes.slice();
                await hasher.update(given);
                given.fill(0);
              }
              return await hasher.digest();
            }),
          ),
        );
        expect(found).toEqual(files.flatMap(({ pieces }) => [sha256(pieces), sha256(pieces)]));
      }),
      { numRuns: 20 },
    );
  });

  it('reject where their thread ends before its time', async () => {
    const thread = openHashThread();
    const hasher = thread.open();
    await hasher.update(Buffer.alloc(10));
    await thread[Symbol.asyncDispose]();
    await expect(hasher.digest()).rejects.toThrow('come to an end');
    await expect(hasher.update(Buffer.alloc(10))).rejects.toThrow('come to an end');
  });
});

import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync, brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BodySieve } from '../../../src/run/http/body-sieve.ts';
import { openTestHttp, token } from './open-test-http.ts';
import { inTurn, openScriptedServer, type Reply } from './scripted-server.ts';

interface WatchedSieve extends BodySieve {
  readonly begun: () => number;
  readonly taken: () => string;
}

/** Takes everything, slowly, and records it. */
function sieve(slow = false): WatchedSieve {
  let begun = 0;
  let taken: Buffer[] = [];
  return {
    begun: () => begun,
    taken: () => Buffer.concat(taken).toString(),
    async begin() {
      begun += 1;
      taken = [];
    },
    take(piece) {
      taken.push(Buffer.from(piece));
      return slow ? new Promise((resolve) => setImmediate(resolve)) : undefined;
    },
    end: async () => Buffer.from(JSON.stringify({ bytes: Buffer.concat(taken).length })),
  };
}

const text = 'so many rows\n'.repeat(40_000);
const request = { method: 'POST', path: '/load', json: {}, safe: true } as const;

async function siftOnce(reply: Reply | readonly Reply[], own: BodySieve, options: { readonly maxBytes?: number } = {}) {
  await using server = await openScriptedServer(inTurn(...[reply].flat()));
  await using http = openTestHttp(server.url);
  const response = await http.request({ ...request, ...options, sieve: own });
  return { status: response.status, text: await response.text(), requests: server.requests.length };
}

describe('a sieve', () => {
  it.each<[string, Uint8Array, string | undefined]>([
    ['as they are', Buffer.from(text), undefined],
    ['from gzip', gzipSync(text), 'gzip'],
    ['from zstd', zstdCompressSync(text), 'zstd'],
    ['from brotli', brotliCompressSync(text), 'br'],
    ['from deflate', deflateSync(text), 'deflate'],
    ['from deflate without its wrapper', deflateRawSync(text), 'deflate'],
    ['from two encodings', gzipSync(gzipSync(text)), 'gzip, gzip'],
  ])('gets the bytes of a body %s, and what it leaves is the body', async (_, bytes, encoding) => {
    for (const slow of [false, true]) {
      const own = sieve(slow);
      expect(await siftOnce({ bytes, headers: { 'content-encoding': encoding } }, own)).toEqual({
        status: 200,
        text: `{"bytes":${text.length}}`,
        requests: 1,
      });
      expect(own.taken()).toBe(text);
    }
  });

  it('begins anew where an answer breaks off and the request is sent again', async () => {
    const own = sieve();
    const bytes = Buffer.from(text);
    const found = await siftOnce(
      [
        { bytes, trick: { kind: 'cut-off', after: 200_000 } },
        { bytes: gzipSync(text).subarray(0, 300), headers: { 'content-encoding': 'gzip' } },
        { bytes },
      ],
      own,
    );
    expect(found).toEqual({ status: 200, text: `{"bytes":${text.length}}`, requests: 3 });
    expect([own.begun(), own.taken()]).toEqual([3, text]);
  });

  it('gets nothing of what is no success', async () => {
    const own = sieve();
    expect(await siftOnce({ status: 400, text: 'no' }, own)).toEqual({ status: 400, text: 'no', requests: 1 });
    expect(own.begun()).toBe(0);
  });

  it.each<[string, Partial<BodySieve>]>([
    ['begins', { begin: () => Promise.reject(new Error('full')) }],
    ['takes', { take: () => Promise.reject(new Error('full')) }],
    [
      'takes at once',
      {
        take: () => {
          throw new Error('full');
        },
      },
    ],
    ['ends', { end: () => Promise.reject(new Error('full')) }],
  ])('that fails while it %s fails the request with its own error, and nothing is sent again', async (_, broken) => {
    await using server = await openScriptedServer(() => ({ text }));
    await using http = openTestHttp(server.url);
    await expect(http.request({ ...request, sieve: { ...sieve(), ...broken } })).rejects.toThrow(/^full$/);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['', undefined],
    ['gzip', gzipSync],
    ['gzip, gzip', (bytes: Uint8Array) => gzipSync(gzipSync(bytes))],
  ] as const)('gets nothing of a token in a body (%s), and the request fails', async (encoding, encode) => {
    const holding = Buffer.from(`${text}{"path":"/a?key=${encodeURIComponent(token)}"}${text}`);
    const own = sieve();
    await expect(
      siftOnce({ bytes: encode ? encode(holding) : holding, headers: { 'content-encoding': encoding } }, own),
    ).rejects.toMatchObject({ code: 'token-echoed' });
    expect(own.taken()).not.toContain(token.slice(0, 8));
    expect(text.startsWith(own.taken().slice(0, text.length))).toBe(true);
  });

  it('gets no more than is allowed, however small the body is on its way', async () => {
    await expect(
      siftOnce({ bytes: gzipSync(text), headers: { 'content-encoding': 'gzip' } }, sieve(), { maxBytes: 10_000 }),
    ).rejects.toMatchObject({ code: 'body-too-large' });
  });

  it('is left alone when the caller goes', async () => {
    await using server = await openScriptedServer(() => ({ text, trick: { kind: 'stall', after: 100_000 } }));
    await using http = openTestHttp(server.url);
    const leaving = new AbortController();
    const own = { ...sieve(), take: () => leaving.abort() };
    await expect(http.request({ ...request, sieve: own, signal: leaving.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
  });
});

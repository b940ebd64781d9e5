import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** The body is too large, before or after decoding: a small body may decode to a large one. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(maxBytes: number, options?: ErrorOptions) {
    const megabytes = maxBytes / 2 ** 20;
    super(megabytes >= 1 ? `more than ${Math.floor(megabytes)} MB` : `more than ${maxBytes} bytes`, options);
  }
}

/** The `Content-Encoding` is unknown or nested too often. */
export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding';
}

export const acceptedEncodings = 'gzip, br, zstd, deflate';
const mostEncodings = 3;

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const gunzip: Decode = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate: Decode = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw: Decode = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);

const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
  // Some servers omit the wrapper of deflate (RFC 9110, 8.4.1.2), whose first byte names the method 8.
  deflate: (bytes, options) => ((bytes[0]! & 0x0f) === 8 ? inflate : inflateRaw)(bytes, options),
};

/** Reads a whole body. Rejects with the stream's error or `BodyTooLarge`; the stream is closed then. */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Decodes a body's `Content-Encoding`. Rejects with `BodyTooLarge`, `UnknownEncoding` or zlib's error. */
export async function decodeBody(
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const names = (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (body.length === 0 || names.length === 0) return body;
  if (names.length > mostEncodings) throw new UnknownEncoding(names.join(', '));
  let decoded = body;
  // Encodings are listed in the order in which they were applied.
  for (const name of names.reverse()) {
    const decode = Object.hasOwn(decoders, name) ? decoders[name]! : refuse(name);
    decoded = await decode(decoded, { maxOutputLength: maxBytes }).catch((cause: unknown) => {
      throw (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        ? new BodyTooLarge(maxBytes, { cause })
        : cause;
    });
  }
  return decoded;
}

function refuse(name: string): never {
  throw new UnknownEncoding(name);
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMultipart } from '../../../../src/run/platform/api/multipart.ts';
import { type QueryParameters, toQueryString } from '../../../../src/run/http/query-string.ts';

type Tree = string | Tree[] | { [key: string]: Tree };

/**
 * Parses names with brackets as Rack does: `a[]` appends, `a[k]` is a key of a hash. A hash with keys that count from 0
 * is also an array of hashes.
 */
function nest(pairs: readonly (readonly [string, string])[]): { [key: string]: Tree } {
  const root: { [key: string]: Tree } = {};
  for (const [name, value] of pairs) {
    const steps = [/^[^[]*/.exec(name)![0], ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, step]) => step!)];
    let at: { [key: string]: Tree } | Tree[] = root;
    steps.forEach((step, index) => {
      const isLast = index === steps.length - 1;
      const next: Tree = isLast ? value : steps[index + 1] === '' ? [] : {};
      if (Array.isArray(at)) at.push(next);
      else if (isLast || at[step] === undefined) at[step] = next;
      at = (Array.isArray(at) ? at.at(-1)! : at[step]!) as typeof at;
    });
  }
  return root;
}

/** The same for values that arrive as text, with arrays of hashes as hashes by index. */
function asReceived(value: unknown): Tree {
  if (Array.isArray(value))
    return value.some((item) => typeof item === 'object')
      ? Object.fromEntries(value.map((item, index) => [String(index), asReceived(item)]))
      : value.map(String);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asReceived(item)]));
}

/** Names of parameters and keys of hashes contain no brackets, and nothing that multipart would escape. */
const name = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => !/[[\]"\r\n]/.test(text) && text !== '__proto__' && text !== 'file');
const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean());
const hash = fc.dictionary(name, scalar, { minKeys: 1, noNullPrototype: true });
const parameters = fc.dictionary(
  name,
  fc.oneof(
    scalar,
    fc.array(scalar, { minLength: 1 }),
    hash,
    fc.array(hash, { minLength: 1 }),
    fc.dictionary(name, hash, { minKeys: 1, noNullPrototype: true }),
  ),
  { noNullPrototype: true },
);

describe('parameters arrive as they were given', () => {
  it('in a query or a form', () => {
    fc.assert(
      fc.property(parameters, (given) => {
        const pairs = toQueryString(given as QueryParameters)
          .split('&')
          .filter((pair) => pair !== '')
          .map((pair) => pair.split('=').map((part) => decodeURIComponent(part.replaceAll('+', ' '))));
        expect(nest(pairs as [string, string][])).toEqual(asReceived(given));
      }),
      { seed: 7 },
    );
  });

  it('in a multipart body, beside a file', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, fc.uint8Array(), async (given, bytes) => {
        const source = {
          name: 'a.bin',
          bytes: bytes.length,
          open: async function* () {
            yield bytes;
          },
        };
        const { type, body } = await openMultipart(given as QueryParameters, { file: source }, Math.random);
        const pieces: Uint8Array[] = [];
        for await (const piece of body.open()) pieces.push(piece);
        const sent = Buffer.concat(pieces);
        expect(sent).toHaveLength(body.bytes);
        const form = await new Response(sent, { headers: { 'content-type': type } }).formData();
        const file = form.get('file') as File;
        expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from(bytes));
        form.delete('file');
        expect(nest([...form] as [string, string][])).toEqual(asReceived(given));
      }),
      { seed: 7 },
    );
  });
});

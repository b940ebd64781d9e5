import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodingOfHead, readEncoding, unknownEncodingHint } from '../../src/run/file/encoding.ts';
import { transcode } from '../../src/run/file/transcode.ts';
import { readTranscodingFault, withoutFaults } from '../../src/run/file/transcoding-fault.ts';
import { encodeText, lettersOf } from './encoded-text.ts';

/** Pieces of the given lengths, and the rest. */
async function* cut(bytes: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0;
  for (const length of lengths) {
    yield bytes.subarray(start, start + length);
    start += length;
  }
  yield bytes.subarray(start);
}

async function transcoded(bytes: Buffer, encoding: string, lengths: readonly number[] = []): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of transcode(cut(bytes, lengths), encoding)) parts.push(piece);
  return Buffer.concat(parts);
}

const lengths = fc.array(fc.nat({ max: 7 }), { maxLength: 40 });

describe('text in another encoding', () => {
  for (const [encoding, letters] of Object.entries(lettersOf)) {
    it(`is read from ${encoding} by its published codes`, async () => {
      for (const [letter, hex] of letters)
        expect((await transcoded(Buffer.from(hex, 'hex'), encoding)).toString()).toBe(letter);
    });

    it(`is the same from ${encoding}, wherever the pieces are cut`, async () => {
      const alphabet = ['a', '"', ',', '\n', '{', '\\', '9', ' ', ...letters.map(([letter]) => letter)];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...alphabet)), lengths, async (text, pieces) => {
          const bytes = encodeText(text.join(''), encoding);
          expect((await transcoded(bytes, encoding, pieces)).toString()).toBe(text.join(''));
        }),
      );
    });

    it(`never takes bytes for text that are none in ${encoding}, and tells the line and place of the first`, async () => {
      const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), lengths, async (noise, pieces) => {
          const before = encodeText('first\nab', encoding);
          const bytes = Buffer.concat([before, noise, encodeText('\n', encoding)]);
          let text: string | undefined;
          try {
            text = decoder.decode(bytes);
          } catch {}
          const read = await transcoded(bytes, encoding, pieces);
          const fault = readTranscodingFault(read);
          if (text !== undefined) {
            expect([fault, read.toString()]).toEqual([undefined, text]);
            return;
          }
          // The bytes before the fault are valid; with the next few they are not.
          const lines = splitLines(bytes, encoding);
          const start = lines.slice(0, fault!.line - 1).reduce((sum, line) => sum + line.length, 0);
          const at = start + fault!.position - 1;
          expect(() => decoder.decode(bytes.subarray(0, at))).not.toThrow();
          expect([1, 2, 3, 4].some((more) => isText(bytes.subarray(0, at + more), encoding))).toBe(false);
          expect(fault!.byte.toLowerCase()).toBe(bytes.toString('hex', at, at + 1));
          expect(withoutFaults(read)).toContain('\uFFFD');
        }),
      );
    });
  }

  it('loses its byte order mark', async () => {
    for (const encoding of ['utf-16le', 'utf-16be'])
      expect((await transcoded(encodeText('\uFEFFa\uFEFFb', encoding), encoding)).toString()).toBe('a\uFEFFb');
  });
});

function isText(bytes: Buffer, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Lines with their line endings. */
function splitLines(bytes: Buffer, encoding: string): readonly Buffer[] {
  const size = encoding.startsWith('utf-16') ? 2 : 1;
  const feed = encodeText('\n', encoding);
  const lines: Buffer[] = [];
  let start = 0;
  for (let at = 0; at + size <= bytes.length; at += size) {
    if (!bytes.subarray(at, at + size).equals(feed)) continue;
    lines.push(bytes.subarray(start, at + size));
    start = at + size;
  }
  return [...lines, bytes.subarray(start)];
}

describe('the name of an encoding', () => {
  it('may be any label of the Encoding Standard', () => {
    expect(
      ['UTF-8', 'latin1', 'ISO-8859-1', 'cp1252', 'utf-16', 'utf-16be', 'Shift_JIS', 'x-sjis', 'gb2312'].map(
        readEncoding,
      ),
    ).toEqual([
      ...[
        'utf-8',
        'windows-1252',
        'windows-1252',
        'windows-1252',
        'utf-16',
        'utf-16be',
        'shift_jis',
        'shift_jis',
        'gbk',
      ],
    ]);
    expect(['utf-32', 'x-user-defined', 'iso-2022-jp', 'replacement', 'klingon', ''].map(readEncoding)).toEqual(
      Array.from({ length: 6 }),
    );
  });

  it('is offered where it was mistyped, and the others beside it', () => {
    expect(unknownEncodingHint('windows-125')).toMatch(/^Did you mean "windows-125\d"\? Choose one of utf-8, /);
    for (const [, name] of unknownEncodingHint('x').matchAll(/([\w-]+)(?=[,.])/g))
      expect(readEncoding(name!)).toBeDefined();
  });
});

describe('the first bytes of a file', () => {
  const samples = [
    '{"utcTime":"2024-03-06"}\n',
    'utcTime,docPath\n2024-03-06,/a\n',
    'время,страница\n2024-03-06 10:00,/я\n',
  ];
  it('tell UTF-16 by a byte order mark or by their zeros', () => {
    for (const text of samples) {
      for (const encoding of ['utf-16le', 'utf-16be']) {
        expect(encodingOfHead(encodeText(text, encoding))).toBe(encoding);
        expect(encodingOfHead(encodeText(`\uFEFF${text}`, encoding))).toBe(encoding);
      }
      expect(encodingOfHead(Buffer.from(text))).toBeUndefined();
      expect(encodingOfHead(Buffer.from(`\uFEFF${text}`))).toBe('utf-8');
    }
  });

  it('are never taken for UTF-16 where they are UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('\0') && !text.startsWith('\uFEFF'));
        expect(encodingOfHead(Buffer.from(text))).toBeUndefined();
      }),
    );
  });
});

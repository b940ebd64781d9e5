/** Encodes a text by decoding all codes of one and two bytes. */
export function encodeText(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  const codes = codesOf(encoding);
  return Buffer.concat(
    [...text].map((letter) => {
      const code = codes.get(letter);
      if (!code) throw new Error(`${encoding} has no ${letter}`);
      return code;
    }),
  );
}

const known = new Map<string, ReadonlyMap<string, Buffer>>();

function codesOf(encoding: string): ReadonlyMap<string, Buffer> {
  const found = known.get(encoding);
  if (found) return found;
  const codes = new Map<string, Buffer>();
  const decoder = new TextDecoder(encoding, { fatal: true });
  const take = (code: Buffer) => {
    try {
      const letter = decoder.decode(code);
      if ([...letter].length === 1 && !codes.has(letter)) codes.set(letter, code);
    } catch {}
  };
  for (let byte = 0; byte < 256; byte++) take(Buffer.of(byte));
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) take(Buffer.of(lead, trail));
  known.set(encoding, codes);
  return codes;
}

/** Letters beyond ASCII of an encoding, with their bytes as printed in its standard. */
export const lettersOf: Readonly<Record<string, readonly (readonly [letter: string, hex: string])[]>> = {
  'windows-1252': [
    ['é', 'e9'],
    ['€', '80'],
    ['ß', 'df'],
    ['ÿ', 'ff'],
  ],
  'windows-1251': [
    ['Ж', 'c6'],
    ['я', 'ff'],
    ['ё', 'b8'],
  ],
  'iso-8859-2': [
    ['ł', 'b3'],
    ['ż', 'bf'],
  ],
  'iso-8859-15': [
    ['€', 'a4'],
    ['œ', 'bd'],
  ],
  'koi8-r': [
    ['ж', 'd6'],
    ['Я', 'f1'],
  ],
  ibm866: [
    ['Ж', '86'],
    ['я', 'ef'],
  ],
  macintosh: [
    ['é', '8e'],
    ['ü', '9f'],
  ],
  shift_jis: [
    ['あ', '82a0'],
    ['ソ', '835c'],
    ['表', '955c'],
  ],
  'euc-jp': [
    ['あ', 'a4a2'],
    ['表', 'c9bd'],
  ],
  gbk: [
    ['中', 'd6d0'],
    ['文', 'cec4'],
  ],
  gb18030: [['中', 'd6d0']],
  big5: [
    ['中', 'a4a4'],
    ['功', 'a55c'],
  ],
  'euc-kr': [
    ['한', 'c7d1'],
    ['글', 'b1db'],
  ],
  'utf-16le': [
    ['é', 'e900'],
    ['Ċ', '0a01'],
    ['\u{1F600}', '3dd800de'],
  ],
  'utf-16be': [
    ['é', '00e9'],
    ['Ċ', '010a'],
    ['\u{1F600}', 'd83dde00'],
  ],
};

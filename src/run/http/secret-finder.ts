/** Start and end in characters of the text. */
type TextRange = readonly [start: number, end: number];

/** Finds the spellings of some secrets. */
export interface SecretFinder {
  /** Their ranges in a text, in order and without overlaps. */
  find(text: string): readonly TextRange[];
  /** The length of the shortest spelling. */
  readonly shortest: number;
  /** The spellings to search, as `comparable` characters. */
  readonly needles: readonly Buffer[];
}

/** Shorter ones would occur in base64 by chance. */
const shortestInBase64 = 8;

/**
 * Finds secrets in any case, with line breaks and other blanks inside, percent-encoded, escaped as in JSON or HTML
 * (also repeatedly, or only in part), and in base64, alone or inside other text.
 */
export function openSecretFinder(secrets: readonly string[]): SecretFinder {
  const long = secrets.filter(({ length }) => length >= shortestInBase64);
  const spellings = new Set([...secrets, ...long.flatMap(inBase64)]);
  const needles = [...spellings].map((spelling) => Buffer.from(spelling, 'latin1').map(comparable) as Buffer);
  const shortest = Math.min(...needles.map(({ length }) => length));
  // Decoding everything at once would alter a secret that itself contains escape characters.
  const orders = secrets.some((secret) => /[%&\\]/.test(secret)) ? separately : together;

  return {
    needles,
    shortest,
    find(text) {
      if (text.length < shortest) return [];
      return withoutOverlaps(layersOf(text, orders).flatMap((layer) => findIn(layer, needles)));
    },
  };
}

/** A text after decoding some of its escapes. */
interface Layer {
  readonly text: string;
  /** The position of each character in the original text, and the end of the last one. */
  readonly places: Uint32Array;
}

type Decode = { readonly pattern: RegExp; readonly read: (match: RegExpMatchArray) => string };

const byCode = (digits: string, base: number) => String.fromCharCode(Math.min(Number.parseInt(digits, base), 0xffff));

const url: Decode = { pattern: /%([0-9a-f]{2})/gi, read: ([, hex]) => byCode(hex!, 16) };

const json: Decode = {
  pattern: /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nrtbf])|([^a-z0-9]))?/gi,
  read([, unit, byte, control, sign]) {
    const hex = unit ?? byte;
    if (hex !== undefined) return byCode(hex, 16);
    return control === undefined ? (sign ?? '') : ' ';
  },
};

/** HTML names of characters that tokens contain. */
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  newline: '\n',
  tab: '\t',
  lowbar: '_',
  period: '.',
  plus: '+',
  sol: '/',
  bsol: '\\',
  equals: '=',
  colon: ':',
  semi: ';',
  comma: ',',
  num: '#',
  percnt: '%',
  dollar: '$',
  excl: '!',
  ast: '*',
  quest: '?',
  commat: '@',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  rsqb: ']',
  lcub: '{',
  rcub: '}',
  hat: '^',
  grave: '`',
  verbar: '|',
};
const html: Decode = {
  pattern: /&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|([a-z]{2,7}));?/gi,
  read([whole, decimal, hex, name]) {
    if (decimal !== undefined) return byCode(decimal, 10);
    return hex !== undefined ? byCode(hex, 16) : (entities[name!.toLowerCase()] ?? whole);
  },
};

/** Maximum depth of nested escapes. */
const deepest = 4;
const repeated = (decodes: readonly Decode[]) => Array.from({ length: deepest }, () => decodes);
const together = [repeated([url, json, html])];
const separately = [...together, repeated([url]), repeated([json]), repeated([html])];

/** Takes time linear in the text. */
function layersOf(text: string, orders: readonly (readonly (readonly Decode[])[])[]): readonly Layer[] {
  const first = { text, places: Uint32Array.from({ length: text.length + 1 }, (_, at) => at) };
  const layers: Layer[] = [first];
  if (!/[%&\\]/.test(text)) return layers;
  for (const rounds of orders) {
    let last: Layer = first;
    for (const decodes of rounds) {
      const next: Layer = decodes.reduce(decodeLayer, last);
      if (next === last) break;
      layers.push(next);
      last = next;
    }
  }
  return layers;
}

/** Returns the same layer if there is nothing to decode. */
function decodeLayer(layer: Layer, { pattern, read }: Decode): Layer {
  const { text, places } = layer;
  const parts: string[] = [];
  const starts = new Uint32Array(text.length + 1);
  let filled = 0;
  let from = 0;
  const copy = (to: number) => {
    parts.push(text.slice(from, to));
    starts.set(places.subarray(from, to), filled);
    filled += to - from;
  };
  for (const match of text.matchAll(pattern)) {
    const decoded = read(match);
    if (decoded === match[0]) continue;
    copy(match.index);
    parts.push(decoded);
    if (decoded !== '') starts[filled] = places[match.index]!;
    filled += decoded.length;
    from = match.index + match[0].length;
  }
  if (from === 0) return layer;
  copy(text.length);
  starts[filled] = places[text.length]!;
  return { text: parts.join(''), places: starts.subarray(0, filled + 1) };
}

/** Compares whole characters and skips blanks. */
function findIn({ text, places }: Layer, needles: readonly Buffer[]): TextRange[] {
  const codes = Buffer.allocUnsafe(text.length);
  const origins = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = comparable(text.charCodeAt(at));
    if (code === blank) continue;
    codes[length] = code;
    origins[length] = at;
    length += 1;
  }
  const written = codes.subarray(0, length);
  return needles.flatMap((needle) => {
    const spans: TextRange[] = [];
    for (let at = written.indexOf(needle); at >= 0; at = written.indexOf(needle, at + needle.length)) {
      spans.push([places[origins[at]!]!, places[origins[at + needle.length - 1]! + 1]!]);
    }
    return spans;
  });
}

function withoutOverlaps(spans: readonly TextRange[]): readonly TextRange[] {
  const found: [number, number][] = [];
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = found.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

const blank = 0;
const noSecretHasIt = 0xff;

/** A character for comparison: lower case, with both base64 alphabets unified; 0 for characters to skip. */
export function comparable(code: number): number {
  if (code <= 0x20 || code === 0x7f) return blank;
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  if (code === 0x5f) return 0x2f;
  if (code < 0x7f) return code;
  return isBlank(code) ? blank : noSecretHasIt;
}

function isBlank(code: number): boolean {
  if (code <= 0xa0 || code === 0xad || code === 0xfeff) return true;
  return (code >= 0x2000 && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f) || (code >= 0x205f && code <= 0x2064);
}

/** The base64 of a secret at each alignment: only the characters that depend on the secret alone. */
function inBase64(secret: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}

import { didYouMean } from '../../ask/suggest.ts';
import { isWritten } from './source-copy.ts';

/** Names for hints. The Encoding Standard has more labels for these encodings, such as `cp1252`. */
const offered = [
  ...['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'latin1', 'iso-8859-1', 'windows-1252'],
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16].map((part) => `iso-8859-${part}`),
  ...[1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258, 874].map((page) => `windows-${page}`),
  ...['koi8-r', 'koi8-u', 'macintosh', 'x-mac-cyrillic', 'ibm866'],
  ...['gbk', 'gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr'],
];

/** Encodings in which lines cannot be decoded separately. */
const unfit = new Set(['iso-2022-jp', 'x-user-defined', 'replacement']);

/**
 * The Encoding Standard's name for an encoding, or `utf-16` if the file decides the byte order; undefined if the name
 * is unknown. As in browsers, `latin1` and `iso-8859-1` mean `windows-1252`, which has more characters.
 */
export function readEncoding(name: string): string | undefined {
  const label = name.trim().toLowerCase();
  if (label === 'utf-16' || label === 'utf16') return 'utf-16';
  try {
    const { encoding } = new TextDecoder(label);
    return unfit.has(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/**
 * The encoding of all files, or a function from absolute path to encoding. undefined means UTF-8, unless the file has
 * another byte order mark.
 */
export type Encodings = string | ((path: string) => string | undefined) | undefined;

export function encodingFor(path: string, encodings: Encodings): string | undefined {
  if (isWritten(path)) return undefined;
  return typeof encodings === 'function' ? encodings(path) : encodings;
}

/** A hint for an unknown name. */
export function unknownEncodingHint(name: string): string {
  const near = didYouMean(name, offered);
  return `${near === undefined ? '' : `${near} `}Choose one of ${offered.join(', ')}.`;
}

/** The encoding of a file by its byte order mark, or by zero bytes at its start. */
export function encodingOfHead(head: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32' | undefined {
  const mark = head.subarray(0, 4).toString('hex');
  if (mark === 'fffe0000' || mark === '0000feff') return 'utf-32';
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  if (mark.startsWith('efbbbf')) return 'utf-8';
  // In every event format, text begins with ASCII, and UTF-8 contains no zeros.
  if (/^(?:000000(?!00)..|(?!00)..000000)$/.test(mark)) return 'utf-32';
  const sample = head.subarray(0, sampleBytes);
  let [even, odd] = [0, 0];
  for (let at = sample.indexOf(0); at >= 0; at = sample.indexOf(0, at + 1)) {
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  // Commas, quotes, digits and line ends make up a tenth of the characters in every script.
  const enough = sample.length / 20;
  // Few letters have a zero in their other byte.
  if (sample.length < 4 || even + odd < enough) return undefined;
  return odd > 4 * even ? 'utf-16le' : even > 4 * odd ? 'utf-16be' : undefined;
}

const sampleBytes = 1 << 12;

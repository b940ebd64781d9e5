import { isUtf8 } from 'node:buffer';
import { toSafestCell } from '../../../ask/safe-cell.ts';
import { parseExactly } from '../../../ask/document/parse-exactly.ts';
import { readLineBytes } from '../../file/line-bytes.ts';

const bytes = { newline: 0x0a, quote: 0x22, comma: 0x2c, backslash: 0x5c, closing: 0x7d, delete: 0x7f, semicolon: 0x3b } as const;

/** Lead bytes of U+0080 to U+00BF, and of the full-width signs. */
const leads = { control: 0xc2, wide: 0xef } as const;

/** First bytes of what may be a formula: = + - @ and full-width ones. */
const formulaStarts = new Set([0x3d, 0x2b, 0x2d, 0x40, leads.wide]);

const needsQuotes = /[",\r\n]/;
const plainValue = /^(?:true|false|-?\d[\d.eE+-]*)$/;

/**
 * Files of rows, a line each, as comma-separated values after RFC 4180, but for the line feed that ends a record, with a header.
 * Null is an empty field, the empty text is `""`; what is no text is written as the rows have it. Bytes that are no
 * UTF-8 become U+FFFD.
 */
export async function* toCsvRows(files: readonly string[], keys: readonly string[], safeCells: boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${keys.map(quoteCell).join(',')}\n`);
  const convert = openConverter(keys, safeCells);
  for (const file of files) {
    for await (const block of readLineBytes(file)) yield convert(isUtf8(block) ? block : Buffer.from(block.toString('utf8')));
  }
}

/**
 * Cuts values out of rows as they lie there, byte by byte: several times as fast as to parse them, and nothing is left for
 * the collector of garbage. A row that does not lie as expected, by its keys in their order and nothing between, is parsed.
 */
function openConverter(keys: readonly string[], safeCells: boolean): (block: Buffer) => Buffer {
  const labels = keys.map((key, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`));
  const encode = safeCells ? (text: string) => quoteCell(toSafestCell(text)) : quoteCell;
  return (block) => {
    // Labels and quotation marks take more than commas do; only rows that are parsed could grow.
    let out = Buffer.allocUnsafe(block.length + 1);
    let to = 0;
    const put = (text: string, left: number) => {
      const length = Buffer.byteLength(text);
      if (to + length + left + 1 > out.length) out = Buffer.concat([out.subarray(0, to)], to + length + left + 1);
      to += out.write(text, to);
    };
    for (let start = 0; start < block.length;) {
      const found = block.indexOf(bytes.newline, start);
      const end = found === -1 ? block.length : found;
      const before = to;
      let at = start;
      for (let index = 0; index < labels.length && at !== -1; index += 1) at = cell(index, at, end);
      if (at !== end - 1 || block[at] !== bytes.closing) {
        to = before;
        put(parsedCells(block.toString('utf8', start, end), keys, encode), block.length - start);
      }
      out[to] = bytes.newline;
      to += 1;
      start = end + 1;
    }
    return out.subarray(0, to);

    /** Writes the value behind a label; where the next label begins, or -1 where the row lies otherwise. */
    function cell(index: number, from: number, end: number): number {
      const label = labels[index] as Buffer;
      for (let byte = 0; byte < label.length; byte += 1) if (block[from + byte] !== label[byte]) return -1;
      if (index > 0) out[to++] = bytes.comma;
      const start = from + label.length;
      const first = block[start];
      if (first === bytes.quote) return text(start + 1, end);
      let at = start;
      while (at < end && block[at] !== bytes.comma && block[at] !== bytes.closing) at += 1;
      const value = block.toString('latin1', start, at);
      if (value === 'null') return at;
      if (!plainValue.test(value)) return -1;
      to += out.write(value, to);
      return at;
    }

    function text(start: number, end: number): number {
      let isPlain = !safeCells || !formulaStarts.has(block[start] as number);
      let hasComma = false;
      let at = start;
      for (; at < end; at += 1) {
        const byte = block[at] as number;
        if (byte === bytes.quote) break;
        if (byte === bytes.backslash) {
          isPlain = false;
          at += 1;
        } else if (byte === bytes.comma) hasComma = true;
        else if (safeCells && (byte === bytes.delete || byte === bytes.semicolon || byte === leads.control)) isPlain = false;
      }
      if (at >= end) return -1;
      if (!isPlain) put(encode(JSON.parse(`"${block.toString('utf8', start, at)}"`) as string), block.length - at);
      else {
        const isQuoted = hasComma || at === start;
        if (isQuoted) out[to++] = bytes.quote;
        to += block.copy(out, to, start, at);
        if (isQuoted) out[to++] = bytes.quote;
      }
      return at + 1;
    }
  };
}

function parsedCells(line: string, keys: readonly string[], encode: (text: string) => string): string {
  const row = parseExactly(line) as Readonly<Record<string, unknown>>;
  return keys.map((key) => {
    const value = row[key] ?? null;
    if (value === null) return '';
    return encode(typeof value === 'string' ? value : JSON.stringify(value));
  }).join(',');
}

function quoteCell(text: string): string {
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

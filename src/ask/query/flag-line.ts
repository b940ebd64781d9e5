import { toSpan } from '../document/span.ts';
import type { Span } from '../outcome.ts';

/** The flags as one line of text, so that issues can point at them. */
export interface FlagLine {
  readonly text: () => string;
  /** Writes a flag and its value at the end. */
  readonly add: (flag: string, value: string) => FlagValue;
}

/** A part of the line. */
export interface FlagPart {
  readonly text: string;
  readonly span: Span;
}

/** A flag's value, and where it stands in the line. */
export interface FlagValue extends FlagPart {
  readonly flag: string;
  /** The line up to the value's end; the value begins at `span.start`. */
  readonly line: string;
  /** A part of the value, by its offsets in it. */
  readonly part: (start: number, end?: number) => FlagPart;
}

export function openFlagLine(): FlagLine {
  let line = '';
  const add = (flag: string, text: string): FlagValue => {
    const quote = /^[\w./:,=@%+-]+$/.test(text) ? '' : '"';
    const before = `${line}${line === '' ? '' : ' '}${flag} ${quote}`;
    const upTo = before + text;
    line = upTo + quote;
    const part = (start: number, end = text.length): FlagPart => ({
      text: text.slice(start, end), span: toSpan(upTo, before.length + start, before.length + end),
    });
    return { flag, line: upTo, part, ...part(0) };
  };
  return { text: () => line, add };
}

/** The parts of a value between commas, without the blanks around them. */
export function splitAtCommas(value: FlagValue): readonly FlagPart[] {
  return [...value.text.matchAll(/[^,\s](?:[^,]*[^,\s])?/g)].map((match) => value.part(match.index, match.index + match[0].length));
}

/** `count:desc` cut at its last colon. */
export function splitAtColon(value: FlagValue): { readonly name: FlagPart; readonly option: FlagPart | undefined } {
  const colon = value.text.lastIndexOf(':');
  return colon === -1 ? { name: value, option: undefined } : { name: value.part(0, colon), option: value.part(colon + 1) };
}

import { Chalk } from 'chalk';
import type { Line, Style } from './table-line.ts';

/** What a stretch of text is to look like. */
export type Tone = Style | 'error' | 'accent' | 'selected' | 'match';

export interface TextLook {
  /** `colour`; `attributes`: bold, dim and inverse but no colours; `plain`: no escape sequence at all. */
  readonly depth: 'colour' | 'attributes' | 'plain';
  /** Draw with ASCII signs where false. */
  readonly unicode: boolean;
}

type Paint = Readonly<Record<Exclude<Tone, 'plain'>, (text: string) => string>>;

// Whatever the environment says: whether to colour is for the caller to know.
const { bold, dim, yellow, green, red, cyan, inverse, underline } = new Chalk({ level: 1 });

const colours: Paint = {
  heading: bold,
  quiet: dim,
  alert: yellow,
  error: red,
  gain: green,
  loss: red,
  accent: cyan,
  selected: inverse,
  match: cyan.bold,
};

const attributes: Paint = {
  heading: bold,
  quiet: dim,
  alert: bold,
  error: bold,
  gain: (text) => text,
  loss: (text) => text,
  accent: underline,
  selected: inverse,
  match: bold,
};

/** The text as the terminal shows it so. It must be harmless already, and its width is that of the text. */
export function paint(text: string, tone: Tone, { depth }: Pick<TextLook, 'depth'>): string {
  if (tone === 'plain' || depth === 'plain') return text;
  return (depth === 'colour' ? colours : attributes)[tone](text);
}

/** A line of a table as text for the terminal. Its runs are harmless already. */
export function paintLine(line: Line, look: Pick<TextLook, 'depth'>): string {
  return line.map(({ text, style }) => paint(text, style, look)).join('');
}

import { Chalk } from 'chalk';
import type { Line, Style } from './table-line.ts';

/** The appearance of a run of text. */
export type Tone = Style | 'error' | 'accent' | 'selected' | 'match';

export interface TextLook {
  /** `colour`; `attributes`: bold, dim and inverse but no colours; `plain`: no escape sequences. */
  readonly depth: 'colour' | 'attributes' | 'plain';
  /** If false, draw with ASCII signs. */
  readonly unicode: boolean;
}

type Paint = Readonly<Record<Exclude<Tone, 'plain'>, (text: string) => string>>;

// Ignore the environment: the caller decides about colour.
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

/** Adds escape sequences to a sanitized text. The width stays the same. */
export function paint(text: string, tone: Tone, { depth }: Pick<TextLook, 'depth'>): string {
  if (tone === 'plain' || depth === 'plain') return text;
  return (depth === 'colour' ? colours : attributes)[tone](text);
}

/** A line of a table as terminal text. Its runs are sanitized. */
export function paintLine(line: Line, look: Pick<TextLook, 'depth'>): string {
  return line.map(({ text, style }) => paint(text, style, look)).join('');
}

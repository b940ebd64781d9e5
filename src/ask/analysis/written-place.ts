import { isScalar, parseDocument, visit } from 'yaml';
import { type SourceText, toSpan } from '../document/located.ts';

/** The files of definitions and their matches. Definitions from code or flags have none. */
const sources = new WeakMap<object, SourceText>();

/** Remembers the source of a definition, and of all its parts. */
export function noteSource(definition: unknown, source: SourceText): void {
  if (typeof definition !== 'object' || definition === null) return;
  if (!Array.isArray(definition)) sources.set(definition, source);
  for (const part of Object.values(definition)) noteSource(part, source);
}

/** Keys with text for people. */
const prose: ReadonlySet<unknown> = new Set(['title', 'description', 'name']);

/**
 * Finds a text in the file of one of these definitions, matches or other parts: `funnels/buy.yaml:4:13`, with line and
 * column from 1. undefined if they come from no file, or if the file does not contain the text.
 */
export function writtenAt(parts: readonly object[], text: string): string | undefined {
  for (const part of parts) {
    const from = sources.get(part);
    const at = from && findText(from.source, text);
    if (from && at !== undefined) {
      const { line, column } = toSpan(from.source, at, at);
      return `${from.file ?? ''}:${line}:${column}`;
    }
  }
  return undefined;
}

/** The offset of a value that equals the text, or else of the first value that contains it. */
function findText(source: string, text: string): number | undefined {
  let among: number | undefined;
  let whole: number | undefined;
  visit(parseDocument(source, { logLevel: 'silent' }), {
    Pair: (_, { key }) => (isScalar(key) && prose.has(key.value) ? visit.SKIP : undefined),
    Scalar(key, { value, range }) {
      if (key === 'key' || typeof value !== 'string' || !range || !value.includes(text)) return undefined;
      const found = source.slice(range[0], range[1]).indexOf(text);
      const start = range[0] + Math.max(0, found);
      among ??= start;
      if (value !== text) return undefined;
      whole = start;
      return visit.BREAK;
    },
  });
  return whole ?? among;
}

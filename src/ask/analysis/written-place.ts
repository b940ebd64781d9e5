import { isScalar, parseDocument, visit } from 'yaml';
import { type Locate, type SourceText, toSpan } from '../document/located.ts';
import type { IssuePath, Span } from '../outcome.ts';

/** For each definition and each of its parts: finds the place of a text in the source. */
const writings = new WeakMap<object, (text: string) => WrittenPlace | undefined>();

/** The place where a text was written. For definitions given in code, only the path is known. */
interface WrittenPlace extends Partial<SourceText> {
  readonly span?: Span | undefined;
  readonly path: IssuePath;
}

/** Records the file that a definition was read from, for the definition and all its parts. */
export function noteSource(definition: unknown, source: SourceText): void {
  note(definition, (text) => {
    const span = findInYaml(source.source, text);
    return span && { ...source, span, path: [] };
  });
}

/**
 * Like `noteSource`, for a definition that a line, flags or code give. `given` is the data as given, and `locate` takes
 * paths into it.
 */
export function noteGiven(definition: unknown, given: object, source: Partial<SourceText>, locate: Locate): void {
  note(definition, (text) => {
    const path = findInGiven(given, text);
    return path && { ...source, span: spanIn(source, locate(path), text), path };
  });
}

function note(definition: unknown, find: (text: string) => WrittenPlace | undefined): void {
  if (typeof definition !== 'object' || definition === null) return;
  if (!Array.isArray(definition)) writings.set(definition, find);
  for (const part of Object.values(definition)) note(part, find);
}

/** The place of a text in the source of the first of these parts that contains it; undefined if none does. */
export function writtenAt(parts: readonly object[], text: string): WrittenPlace | undefined {
  for (const part of parts) {
    const place = writings.get(part)?.(text);
    if (place) return place;
  }
  return undefined;
}

/** Keys whose values are text for people. */
const prose: ReadonlySet<unknown> = new Set(['title', 'description', 'name']);

/** The span of the first value that equals the text, else of the text inside the first value that contains it. */
function findInYaml(source: string, text: string): Span | undefined {
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
  const start = whole ?? among;
  return start === undefined ? undefined : toSpan(source, start, start + text.length);
}

function findInGiven(given: object, text: string): IssuePath | undefined {
  const having = textsOf(given, []).filter(({ value }) => value.includes(text));
  return (having.find(({ value }) => value === text) ?? having[0])?.path;
}

/** The span of a text within `around`. If it is not there, searches the rest of the file, if there is one. */
function spanIn({ source, file }: Partial<SourceText>, around: Span | undefined, text: string): Span | undefined {
  if (source === undefined) return undefined;
  const at = around ? source.slice(around.start, around.end).indexOf(text) : -1;
  if (around && at >= 0) return toSpan(source, around.start + at, around.start + at + text.length);
  return file === undefined ? undefined : findInYaml(source, text);
}

function textsOf(value: unknown, path: IssuePath): readonly { readonly value: string; readonly path: IssuePath }[] {
  if (typeof value === 'string') return [{ value, path }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    textsOf(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

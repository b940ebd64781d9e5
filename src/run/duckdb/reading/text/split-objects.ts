import { splitLines } from './split-lines.ts';
import type { Splitter, TakeRecord } from './split-records.ts';

/** Each line is a record, and each object of a line that has several, one after another. */
export function splitObjects(take: TakeRecord): Splitter {
  return splitLines((record) => {
    if (!record.bytes) return take(record);
    for (const bytes of objectsOf(record.bytes)) take({ line: record.line, bytes });
  });
}

/** What may stand between two objects, or after the last one. */
const between = /[ \t\r,]*/y;

const startsObject = /^(?:\u00EF\u00BB\u00BF)?[ \t]*\{/;
const mayGoOn = /\}[ \t,]*\{|\}[ \t]*,[ \t\r]*$/;

/** The objects of a line as far as they are whole, and the rest of it; the line, if that is no object. */
function objectsOf(line: Buffer): readonly Buffer[] {
  // Braces and quotation marks are single bytes in UTF-8.
  const text = line.toString('latin1');
  if (!mayGoOn.test(text) || !startsObject.test(text)) return [line];
  const objects: Buffer[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfObject(text, from);
    between.lastIndex = end ?? text.length;
    between.test(text);
    const next = between.lastIndex;
    const isWhole = end !== undefined && (next === text.length || text[next] === '{');
    objects.push(line.subarray(from, isWhole ? end : undefined));
    from = isWhole ? next : text.length;
  }
  return objects;
}

/** Where the object ends that begins at this place of a text; undefined if the text ends before. */
export function endOfObject(text: string, from = 0): number | undefined {
  let [depth, inText] = [0, false];
  for (let index = from; index < text.length; index++) {
    const char = text[index];
    if (inText) {
      if (char === '\\') index += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && (depth -= 1) === 0) return index + 1;
  }
  return undefined;
}

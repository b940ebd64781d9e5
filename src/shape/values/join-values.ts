import type { Value } from '../../plan/column.ts';
import type { Values } from './values.ts';

/** Concatenates the parts of a column. The result is typed if every part is; a single part is returned as it is. */
export function joinValues(parts: readonly Values[]): Values {
  const [first] = parts;
  if (!first) return [];
  if (parts.length === 1) return first;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let at = 0;
  if (parts.every((part) => part instanceof Float64Array)) {
    const all = new Float64Array(length);
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
  const all: Value[] = new Array(length);
  for (const part of parts) {
    for (let row = 0; row < part.length; row += 1) {
      all[at] = part[row] as Value;
      at += 1;
    }
  }
  return all;
}

import { sanitize } from '../../../show/labels/sanitize.ts';
import { cellAt } from './grid-pages.ts';
import type { GridState } from './grid-state.ts';

/** Rows in which values are looked for: those that are at hand. */
const mostRows = 500;
const mostOffered = 6;

/** What could stand at the end of a filter, each as the whole line: names of columns, or values of the one named. */
export function completeFilter(text: string, state: GridState): readonly string[] {
  const [, before = '', last = ''] = /^(.*\sand\s+)?(.*)$/is.exec(text) ?? [];
  const [, name, sign = '', quote = '', begun = ''] = /^(.*?)(\s*(?:!=|[\^$]?=)\s*)(["']?)(.*)$/s.exec(last) ?? [];
  const offered =
    name === undefined
      ? startingWith(
          state.columns.map(({ heading }) => heading),
          last,
        ).map((heading) => `${before}${heading} `)
      : startingWith(valuesOf(name, state), begun).map(
          (value) => `${before}${name}${sign}${/["'\s]/.test(value) || quote !== '' ? JSON.stringify(value) : value}`,
        );
  return offered.filter((line) => line.trim() !== text.trim()).slice(0, mostOffered);
}

function startingWith(words: readonly string[], begun: string): readonly string[] {
  const wanted = begun.trimStart().toLowerCase();
  return [...new Set(words)].filter((word) => wanted !== '' && word.toLowerCase().startsWith(wanted));
}

/** Values of a column that are at hand, the commonest first. */
function valuesOf(name: string, state: GridState): readonly string[] {
  const index = state.columns.findIndex(({ heading }) => heading.toLowerCase() === name.trim().toLowerCase());
  if (index === -1) return [];
  const counts = new Map<string, number>();
  for (let row = 0; row < Math.min(mostRows, state.rowCount); row += 1) {
    const value = cellAt(state, row, index)?.value;
    // A value that is not harmless could not be typed as it stands.
    if (typeof value === 'string' && value !== '' && sanitize(value) === value)
      counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

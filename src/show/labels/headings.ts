import type { Column } from '../../plan/column.ts';

/**
 * What people call each column: the first of short title, short title with its granularity, full title, full title with
 * its granularity that no other column shares; else the key, which is always unique.
 */
export function toHeadings(columns: readonly Column[]): readonly string[] {
  const headings = columns.map(({ key }) => key);
  for (const name of [...names].reverse()) {
    const named = columns.map(name);
    for (const [index, text] of named.entries()) {
      if (text !== '' && named.indexOf(text) === named.lastIndexOf(text)) headings[index] = text;
    }
  }
  return headings;
}

const names: readonly ((column: Column) => string)[] = [
  ({ shortTitle }) => shortTitle,
  ({ shortTitle, granularity }) => (granularity ? `${shortTitle} (${granularity})` : ''),
  ({ title }) => title,
  ({ title, granularity }) => (granularity ? `${title} (${granularity})` : ''),
];

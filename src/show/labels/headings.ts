import { bucketTitle, type Column, fullLabelOf, inSentence, labelOf } from '../../plan/column.ts';

/**
 * The display name of each column: the first of these names that no other column has, or else the key, which is unique.
 * In order: the label, the label with granularity, the label with cube, the label with both, the full title, and the
 * full title with granularity.
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
  labelOf,
  (column) => withGranularity(labelOf(column), column),
  fullLabelOf,
  (column) => withGranularity(fullLabelOf(column), column),
  ({ title }) => title,
  (column) => withGranularity(column.title, column),
];

function withGranularity(name: string, column: Column): string {
  const bucket = bucketTitle(column);
  return bucket === undefined ? '' : `${name} (${bucket})`;
}

/** Joins the names of measures: `Page views, unique users`. Custom titles keep their case. */
export function joinHeadings(headings: readonly string[], columns: readonly Column[]): string {
  const labels = columns.filter(({ label }) => label !== undefined);
  const inside = (heading: string) => {
    const found = labels.find((column) => heading === labelOf(column) || heading.startsWith(`${labelOf(column)}, `));
    return found ? `${inSentence(found)}${heading.slice(labelOf(found).length)}` : heading;
  };
  return headings.map((heading, index) => (index === 0 ? heading : inside(heading))).join(', ');
}

import { type Column, labelOf } from '../plan/column.ts';
import { type Result, toResult } from './result/result.ts';

/** Labels of columns, by their key, their full member, or the end of one: `count` for `TrackedEvents.count`. */
interface ColumnNames {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Units of the values, such as `min`. They follow the label. */
  readonly units?: Readonly<Record<string, string>> | undefined;
}

export function isNamedBy({ key, member }: Pick<Column, 'key' | 'member'>, name: string): boolean {
  return [key, member].some((own) => own === name || own.endsWith(`.${name}`));
}

/**
 * Renames the columns of a result. `asked` are the columns before a comparison: derived columns keep what it added to
 * their titles, as in `Duration in min (2024-02)`. A change in percent has no unit.
 */
export function labelColumns(
  result: Result,
  asked: readonly Column[],
  { labels = {}, units = {} }: ColumnNames,
): Result {
  const find = (names: Readonly<Record<string, string>>, column: Column) =>
    Object.entries(names).find(([name]) => isNamedBy(column, name))?.[1];
  const columns = result.columns.map((column) => {
    const own = asked.find(({ key }) => key === column.key) ?? asked.find(({ member }) => member === column.member);
    if (!own) return column;
    const [label, unit] = [find(labels, own), find(units, own)];
    if (label === undefined && unit === undefined) return column;
    const usual = labelOf(own);
    const name = label ?? usual;
    const shown = unit === undefined || column.key.includes('.changePercent') ? name : `${name} in ${unit}`;
    const before = labelOf(column);
    const title = before.startsWith(usual) ? `${shown}${before.slice(usual.length)}` : shown;
    return { ...column, title, shortTitle: title, label: undefined };
  });
  return toResult({
    columns,
    data: columns.map(({ key }) => result.values(key)),
    provenance: result.provenance,
    marks: result.marks,
    types: result.types,
  });
}

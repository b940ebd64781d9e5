import type { Value } from '../../plan/column.ts';
import { formatValue } from '../../shape/format/format.ts';
import { subtractValues } from '../../shape/values/decimal.ts';
import type { FigureColumn, FigureTable, FigureValue, ReportFigures } from './report-figures.ts';

/** A changed figure, or a figure of an added or removed row. */
export interface FigureChange {
  /** The name of the cell, else its title, else its number: `cell 2`. */
  readonly cell: string;
  /** `added`: only the later run has the row; `removed`: only the earlier run has it. */
  readonly change: 'added' | 'removed' | 'changed';
  /** Dimensions and times that identify the row: the `label` of each column, and its formatted value (`text`). */
  readonly row: readonly { readonly label: string; readonly text: string }[];
  /** The key of the column, such as `TrackedEvents.count`. */
  readonly key: string;
  /** The label of the column. */
  readonly label: string;
  /** Null if there is none. Numbers that JSON cannot represent exactly are text. */
  readonly before: string | number | boolean | null;
  /** Null if there is none. */
  readonly after: string | number | boolean | null;
  /** `after` minus `before`; null if one is missing or not a number. */
  readonly difference: string | number | null;
  /** `before`, `after` and `difference`, formatted. */
  readonly texts: { readonly before: string; readonly after: string; readonly difference: string };
}

/** The differences between two runs of a report. */
export interface FigureComparison {
  /** By cell, in the order of the report. Within a cell, rows of the later run come first. */
  readonly changes: readonly FigureChange[];
  /** Cells that failed at least in part in one of the runs. */
  readonly notCompared: readonly string[];
}

export function compareFigures(earlier: ReportFigures, later: ReportFigures): FigureComparison {
  const cellsBefore = new Map(earlier.cells.map((cell) => [cell.name, cell]));
  const cellsAfter = new Map(later.cells.map((cell) => [cell.name, cell]));
  const changes: FigureChange[] = [];
  const notCompared: string[] = [];
  for (const name of new Set([...cellsAfter.keys(), ...cellsBefore.keys()])) {
    const [before, after] = [cellsBefore.get(name), cellsAfter.get(name)];
    if (before?.failed || after?.failed) {
      notCompared.push(name);
      continue;
    }
    const most = Math.max(before?.tables.length ?? 0, after?.tables.length ?? 0);
    for (let index = 0; index < most; index += 1)
      changes.push(...compareTables(name, before?.tables[index], after?.tables[index]));
  }
  return { changes, notCompared };
}

interface Row {
  readonly told: FigureChange['row'];
  readonly figures: ReadonlyMap<string, { readonly column: FigureColumn; readonly value: FigureValue }>;
}

function* compareTables(
  cell: string,
  earlier: FigureTable | undefined,
  later: FigureTable | undefined,
): Generator<FigureChange> {
  const [before, after] = [toRows(earlier), toRows(later)];
  for (const id of new Set([...after.keys(), ...before.keys()])) {
    const [old, now] = [before.get(id), after.get(id)];
    const change = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    for (const key of new Set([...(now?.figures.keys() ?? []), ...(old?.figures.keys() ?? [])])) {
      const column = (now?.figures.get(key) ?? old?.figures.get(key))?.column;
      if (column === undefined) continue;
      const was = old?.figures.get(key)?.value ?? null;
      const is = now?.figures.get(key)?.value ?? null;
      if (change === 'changed' && was === is) continue;
      const less = column.type === 'number' ? toDifference(is, was) : null;
      yield {
        cell,
        change,
        row: (now ?? old)?.told ?? [],
        key,
        label: column.label,
        before: was,
        after: is,
        difference: less,
        texts: {
          before: formatValue(was, column),
          after: formatValue(is, column),
          difference: formatValue(less, column),
        },
      };
    }
  }
}

/** Rows by their dimensions. Rows with equal dimensions are numbered. */
function toRows({ columns, rows }: FigureTable = { columns: [], rows: [] }): ReadonlyMap<string, Row> {
  const byId = new Map<string, Row>();
  const times = new Map<string, number>();
  for (const values of rows) {
    const cells = columns.map((column, index) => ({ column, value: values[index] ?? null }));
    const telling = cells.filter(({ column }) => column.kind !== 'measure');
    const id = JSON.stringify(telling.map(({ column, value }) => [column.key, value]));
    const time = (times.get(id) ?? 0) + 1;
    times.set(id, time);
    byId.set(`${time} ${id}`, {
      told: telling.map(({ column, value }) => ({ label: column.label, text: formatValue(value, column) })),
      figures: new Map(cells.filter(({ column }) => column.kind === 'measure').map((one) => [one.column.key, one])),
    });
  }
  return byId;
}

/** Large integers are kept as text, and subtracted exactly. */
function toDifference(after: FigureValue, before: FigureValue): string | number | null {
  const less: Value = subtractValues(after, before);
  return typeof less === 'bigint' ? String(less) : typeof less === 'boolean' ? null : less;
}

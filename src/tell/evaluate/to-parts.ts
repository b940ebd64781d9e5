import type { Annotation } from '../../ask/annotation.ts';
import type { ChartWish } from '../../ask/query/chart-wish.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatValue } from '../../shape/format/format.ts';
import type { Result } from '../../shape/result.ts';
import type { ShownPart } from '../notebook/notebook.ts';
import type { ReportPart, ReportStat } from '../report/report.ts';
import { writeFigure } from './write-figure.ts';

export interface PartsWish {
  readonly show?: ShownPart | undefined;
  readonly chart?: ChartWish | undefined;
  readonly annotations: readonly Annotation[];
}

/** How an answer is shown: as the cell says, else as it suggests itself. */
export function toParts(result: Result, { show, chart, annotations }: PartsWish): readonly ReportPart[] {
  const shown = show ?? (chart !== undefined && chart !== 'none' ? 'both' : isOneRow(result) ? 'stats' : 'table');
  const table = { kind: 'table', result } as const;
  const drawn = { kind: 'chart', result, wish: chart, annotations } as const;
  switch (shown) {
    case 'none':
      return [];
    case 'table':
      return [table];
    case 'chart':
      return [drawn];
    case 'both':
      return [drawn, table];
    case 'stats':
      return isOneRow(result) ? [{ kind: 'stats', result, stats: toStats(result) }] : [table];
  }
}

function isOneRow({ rowCount, columns }: Result): boolean {
  return rowCount === 1 && columns.every(({ kind }) => kind === 'measure');
}

const beside = /\.(?:previous|change|changePercent)(?:\.\d+)?$/;

/** Away from its table, a title of one word, such as Count, says of what only with its cube's name. */
function labelOf({ title, shortTitle, key }: Column, columns: readonly Column[]): string {
  const isVague = !shortTitle.replace(/ \([^()]*\)$/, '').includes(' ');
  return isVague && columns.every((other) => other.key === key || (other.title !== title && other.shortTitle !== title)) ? title : shortTitle;
}

/** A figure a measure; those of a comparison's earlier range stand beside. */
function toStats(result: Result): readonly ReportStat[] {
  const find = (key: string) => result.columns.find((column) => column.key === key);
  const at = (column: Column | undefined): Value => (column ? result.values(column.key)[0] ?? null : null);
  return result.columns.filter(({ key }) => !beside.test(key)).map((column): ReportStat => {
    const value = at(column);
    const stat = { label: labelOf(column, result.columns), text: formatValue(value, column), value };
    const previous = find(`${column.key}.previous`);
    if (!previous) return stat;
    const change = find(`${column.key}.changePercent`);
    const label = /\(([^()]*)\)$/.exec(previous.title)?.[1] ?? 'before';
    // Its own range stands with the source of the figures.
    const own = stat.label.replace(/ \([^()]*\)$/, '');
    return { ...stat, label: own, previous: { text: formatValue(at(previous), previous), label, changePercent: change ? writeFigure(at(change), change, 'change') : '' } };
  });
}

import { BackendError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { Column, Value } from '../../plan/column.ts';
import { wireZone } from '../../plan/load-body.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Batch } from '../backend.ts';
import { decodeCells, type Misfit, toWireCells, type WireCells } from './decode-cells.ts';

interface DecodeOptions {
  /** The column of days that the server fills, if any (see `serverFillColumn`). */
  readonly filled?: Column | undefined;
  /** Returns the same data with large integers as text. Called if numbers may have been rounded. */
  readonly exactly?: (() => unknown) | undefined;
}

interface DecodedData {
  readonly batch: Batch;
  /** Rows at the end that the server added for missing days; undefined if the rows do not show it. */
  readonly appended: number | undefined;
  /** Labels of the answer that stand for two buckets each. */
  readonly ambiguous: readonly string[];
}

/**
 * Converts the `data` of an answer to the plan's columns. Each row must have all columns; a missing column is not null.
 * Only days that the platform adds at the end may lack everything except the day and the measures. Throws
 * `answer-unreadable`.
 */
export function decodeData(data: unknown, plan: Plan, options: DecodeOptions = {}): DecodedData {
  const { filled, exactly } = options;
  const wire = toWireCells(data);
  if (typeof wire === 'string') throw unreadable(wire);
  const { rowCount } = wire;
  const ambiguous = new Set<string>();
  const zones = { wire: wireZone(plan), answer: plan.zone, onAmbiguous: (label: string) => ambiguous.add(label) };
  const raw = plan.columns.map((column) => (rowCount === 0 ? [] : cellsOf(wire, column, plan)));
  const appended = countAppended(raw, plan, filled);
  const columns: (readonly Value[] | Float64Array)[] = [];
  for (const [index, column] of plan.columns.entries()) {
    const cells = raw[index] as readonly unknown[];
    const lacking = cells.indexOf(undefined);
    if (lacking >= 0 && !(lacking >= rowCount - (appended ?? 0) && isLackedByFill(column, filled)))
      throw lacks(column, lacking, wire);
    const decoded = decodeCells(cells, column, zones, {
      exact: exactly === undefined,
      strict: isNumberPromised(index, plan),
    });
    if (decoded.misfit?.bent && exactly) return decodeData(exactly(), plan, { filled });
    if (decoded.misfit) throw misfits(decoded.misfit, cells, column);
    columns.push(decoded.values);
  }
  return { batch: { rowCount, columns }, appended, ambiguous: [...ambiguous] };
}

/** The type of an extreme depends on its unknown operand. For analyses it is always a number. */
function isNumberPromised(index: number, { measures, computed }: Plan): boolean {
  const type = measures.find(({ column }) => column === index)?.measure.type;
  return type !== undefined && (computed !== undefined || (type !== 'min' && type !== 'max'));
}

/** A bucket also appears under its bare member; with old servers only there. */
function cellsOf(wire: WireCells, column: Column, plan: Plan): readonly unknown[] {
  const alone = plan.columns.filter(({ member }) => member === column.member).length === 1;
  const key =
    column.kind === 'time' && alone && !wire.keys.includes(column.key) && wire.keys.includes(column.member)
      ? column.member
      : column.key;
  const cells = wire.cells(key);
  if (!cells) throw lacks(column, 0, wire);
  return cells;
}

/** Added rows also contain the member of the filled time. */
function isLackedByFill(column: Column, filled: Column | undefined): boolean {
  return column.kind !== 'measure' && column !== filled && column.key !== filled?.member;
}

/**
 * Counts the rows at the end that have a day and zeros but lack the other columns of the plan. If the time itself is
 * the only other dimension, counts those at midnight.
 */
function countAppended(
  raw: readonly (readonly unknown[])[],
  plan: Plan,
  filled: Column | undefined,
): number | undefined {
  if (!filled) return 0;
  const cellsWhere = (test: (column: Column) => boolean) =>
    raw.filter((_, index) => test(plan.columns[index] as Column));
  const lacked = cellsWhere((column) => isLackedByFill(column, filled));
  const measures = cellsWhere(({ kind }) => kind === 'measure');
  const [days] = cellsWhere((column) => column === filled);
  const [times] = cellsWhere(({ key }) => key === filled.member);
  if (!times && lacked.length === 0) return undefined;
  // A row that counts anything was not added, whatever it lacks.
  const isZero = (row: number) => measures.every((cells) => cells[row] === '0' || cells[row] === 0);
  const isAppended = (row: number) =>
    isZero(row) &&
    (lacked.length > 0 ? lacked.every((cells) => cells[row] === undefined) : times?.[row] === days?.[row]);
  const rowCount = raw[0]?.length ?? 0;
  let row = rowCount;
  while (row > 0 && isAppended(row - 1)) row -= 1;
  return rowCount - row;
}

function lacks(column: Column, row: number, { keys }: WireCells): BackendError {
  const found = keys.slice(0, 8).map(quote).join(', ');
  return unreadable(
    `Row ${row + 1} has no ${quote(column.key)}` +
      `${row === 0 && keys.length > 0 ? `, only ${found}${keys.length > 8 ? ' …' : ''}` : ''}.`,
  );
}

function misfits({ row, wanted }: Misfit, cells: readonly unknown[], { key }: Column): BackendError {
  return unreadable(`Row ${row + 1} has ${describe(cells[row])} for ${quote(key)}, which takes ${wanted}.`);
}

function describe(cell: unknown): string {
  if (typeof cell === 'string') return quote(cell);
  if (Array.isArray(cell)) return 'a list';
  return typeof cell === 'object' ? 'an object' : String(cell);
}

function unreadable(what: string): BackendError {
  return new BackendError(`The response of the server does not match the query. ${what}`, {
    code: 'answer-unreadable',
    hint:
      'Use --explain to see the request. ' +
      'The URL may be that of another service, or the version of the server is not supported.',
  });
}

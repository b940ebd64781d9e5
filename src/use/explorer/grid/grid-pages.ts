import type { Value } from '../../../plan/column.ts';
import type { Batch } from '../../../run/backend.ts';

/** Loaded rows, with the flags of their cells. */
export interface GridRows {
  readonly start: number;
  readonly columns: readonly number[];
  readonly batch: Batch;
  /**
   * One entry for each column; undefined if no cell has flags. The low four bits are the marks (`shape/marks`) that the
   * cell shows, the high four all its marks: a mark of the time bucket is not repeated in each cell of its row.
   */
  readonly flags: readonly (Uint8Array | undefined)[];
}

/** Number of rows fetched together. One block of one column is a strip. */
export const blockRows = 256;

/** Limits of the cache: strips, and characters of text in them. */
const mostStrips = 1024;
const mostText = 16_000_000;

interface Strip {
  readonly values: ArrayLike<Value>;
  readonly flags: Uint8Array | undefined;
  /** Number of characters in its texts. */
  readonly text: number;
}

/** The cache of loaded and requested rows. Its size is bounded, however many rows exist. */
export interface GridPages {
  readonly strips: ReadonlyMap<number, Strip>;
  readonly text: number;
  /** Strips that were requested and are not loaded yet. */
  readonly asked: ReadonlySet<number>;
  /** Strips that failed to load; they are not requested again automatically. */
  readonly failed: ReadonlySet<number>;
}

export const noPages: GridPages = { strips: new Map(), text: 0, asked: new Set(), failed: new Set() };

export function blockOf(row: number): number {
  return Math.floor(row / blockRows);
}

function stripKey(block: number, column: number): number {
  return block * 0x10000 + column;
}

/**
 * A cell with its flags (see `GridRows`); undefined if its row is not loaded. For the cursor's row, the first 24
 * dimensions and times are loaded even if they are not visible.
 */
export function cellAt(
  { pages: { strips } }: { readonly pages: GridPages },
  row: number,
  column: number,
): { readonly value: Value; readonly flags: number } | undefined {
  const strip = strips.get(stripKey(blockOf(row), column));
  if (!strip) return undefined;
  const index = row % blockRows;
  return index < strip.values.length
    ? { value: strip.values[index] ?? null, flags: strip.flags?.[index] ?? 0 }
    : undefined;
}

/** The columns whose strip of this block is neither loaded nor requested. */
export function missingColumns(
  { strips, asked, failed }: GridPages,
  block: number,
  columns: readonly number[],
): readonly number[] {
  return columns.filter((column) => {
    const key = stripKey(block, column);
    return !strips.has(key) && !asked.has(key) && !failed.has(key);
  });
}

export function withAsked(pages: GridPages, block: number, columns: readonly number[]): GridPages {
  return { ...pages, asked: new Set([...pages.asked, ...columns.map((column) => stripKey(block, column))]) };
}

/** Marks strips as failed. */
export function withFailed(pages: GridPages, block: number, columns: readonly number[]): GridPages {
  const keys = columns.map((column) => stripKey(block, column));
  return { ...pages, asked: without(pages.asked, keys), failed: new Set([...pages.failed, ...keys]) };
}

/** Adds loaded rows and evicts the strips farthest from `near`. Rows start at a block's first row. */
export function withRows(pages: GridPages, { start, columns, batch, flags }: GridRows, near: number): GridPages {
  const strips = new Map(pages.strips);
  const keys: number[] = [];
  let { text } = pages;
  for (let offset = 0; offset < Math.max(1, batch.rowCount); offset += blockRows) {
    const block = blockOf(start + offset);
    columns.forEach((column, index) => {
      const key = stripKey(block, column);
      const strip = toStrip(batch.columns[index] ?? [], flags[index], offset);
      text += strip.text - (strips.get(key)?.text ?? 0);
      strips.delete(key);
      strips.set(key, strip);
      keys.push(key);
    });
  }
  return evict({ strips, text, asked: without(pages.asked, keys), failed: without(pages.failed, keys) }, near, keys);
}

function toStrip(values: readonly Value[] | Float64Array, flags: Uint8Array | undefined, offset: number): Strip {
  // Copy: a view of a typed array would keep the whole array in memory.
  const part = values.slice(offset, offset + blockRows);
  let text = 0;
  if (!(part instanceof Float64Array)) for (const value of part) if (typeof value === 'string') text += value.length;
  return { values: part, flags: flags?.slice(offset, offset + blockRows), text };
}

function evict(pages: GridPages, near: number, fresh: readonly number[]): GridPages {
  if (pages.strips.size <= mostStrips && pages.text <= mostText) return pages;
  const strips = new Map(pages.strips);
  let { text } = pages;
  const home = blockOf(near);
  const farthest = [...strips.keys()]
    .filter((key) => !fresh.includes(key))
    .sort((a, b) => Math.abs(Math.floor(b / 0x10000) - home) - Math.abs(Math.floor(a / 0x10000) - home));
  // Evict well below the limit, so that the next rows do not evict again.
  for (const key of farthest) {
    if (strips.size <= mostStrips * 0.75 && text <= mostText * 0.75) break;
    text -= strips.get(key)?.text ?? 0;
    strips.delete(key);
  }
  return { ...pages, strips, text };
}

function without(keys: ReadonlySet<number>, some: readonly number[]): ReadonlySet<number> {
  const left = new Set(keys);
  for (const key of some) left.delete(key);
  return left;
}

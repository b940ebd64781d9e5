import { cellWidth, truncateToCells } from '../cell-width.ts';

export interface Label {
  /** The cell that the label is about, from the plot's left edge. */
  readonly at: number;
  readonly text: string;
}

export interface PlacedLabel {
  readonly column: number;
  readonly text: string;
  /** As `Label`. */
  readonly at: number;
}

/**
 * Labels side by side on one line, each centred on its cell, of all cells from `from` up to `to`. Where there is no room
 * for all, every second one or fewer are written. `room` cuts what is longer.
 */
export function placeLabels(labels: readonly Label[], { from, to, room, ellipsis }: { readonly from: number; readonly to: number; readonly room: number; readonly ellipsis: string }): readonly PlacedLabel[] {
  const ordered = [...labels].sort((a, b) => a.at - b.at);
  for (let every = 1; every < ordered.length; every += 1) {
    const placed = tryToPlace(ordered.filter((_, index) => index % every === 0), from, to, room, ellipsis);
    if (placed) return placed;
  }
  return tryToPlace(ordered.slice(0, 1), from, to, Math.min(room, to - from), ellipsis) ?? [];
}

function tryToPlace(labels: readonly Label[], from: number, to: number, room: number, ellipsis: string): readonly PlacedLabel[] | undefined {
  const placed: PlacedLabel[] = [];
  let free = from;
  for (const { at, text: whole } of labels) {
    const text = truncateToCells(whole, room, ellipsis);
    const cells = cellWidth(text);
    if (cells === 0) continue;
    const column = Math.min(Math.max(at - Math.floor((cells - 1) / 2), from), to - cells);
    if (column < free) return undefined;
    placed.push({ column, text, at });
    free = column + cells + 1;
  }
  return placed;
}

import type { Result } from '../../shape/result/result.ts';
import { layOutTable } from './table-layout.ts';
import { toPlainText } from './table-line.ts';
import type { TableOptions } from './table-options.ts';

export interface WriteTableOptions extends TableOptions {
  /** Without colour the text holds no escape sequence at all. */
  readonly colour: boolean;
}

/**
 * A result as a table for people, every line ended by a line feed. Ink, which is slow to load, draws it where colour is
 * wanted; without colour what it would draw is the layout itself.
 */
export async function writeTable(result: Result, options: WriteTableOptions): Promise<string> {
  const lines = layOutTable(result, options);
  if (!options.colour) return lines.map((line) => `${toPlainText(line)}\n`).join('');
  const { drawLines } = await import('./draw-lines.ts');
  return drawLines(lines);
}

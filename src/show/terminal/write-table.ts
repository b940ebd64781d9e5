import type { Result } from '../../shape/result/result.ts';
import { layOutTable } from './table-layout.ts';
import { type Line, toPlainText } from './table-line.ts';
import type { TableOptions } from './table-options.ts';

export interface WriteTableOptions extends TableOptions {
  /** Without colour the text holds no escape sequence at all. */
  readonly colour: boolean;
}

/**
 * A result as a table for people, every line ended by a line feed.
 */
export async function writeTable(result: Result, options: WriteTableOptions): Promise<string> {
  return writeLines(layOutTable(result, options), options.colour);
}

/** Lines as one text. What colours them is loaded only if colour is wanted. */
export async function writeLines(lines: readonly Line[], colour: boolean): Promise<string> {
  const paintLine = colour ? (await import('./paint.ts')).paintLine : toPlainText;
  return lines.map((line) => `${paintLine(line, { depth: 'colour' })}\n`).join('');
}

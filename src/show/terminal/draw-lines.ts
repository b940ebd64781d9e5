import chalk from 'chalk';
import { renderToString } from 'ink';
import { createElement } from 'react';
import { cellWidth } from './cell-width.ts';
import { toPlainText, type Line } from './table-line.ts';
import { TableView } from './table-view.ts';

/** Ink's cost grows faster than the number of lines that it lays out at once. */
const linesAtOnce = 40;

/** Lines as Ink draws them, coloured whatever the environment says: whether to colour is for the caller to know. */
export function drawLines(lines: readonly Line[]): string {
  const { level } = chalk;
  // Ink colours by chalk, which looks at the environment once, when it is loaded.
  chalk.level = level === 0 ? 1 : level;
  try {
    let drawn = '';
    for (let start = 0; start < lines.length; start += linesAtOnce) {
      const block = lines.slice(start, start + linesAtOnce);
      const columns = block.reduce((width, line) => Math.max(width, cellWidth(toPlainText(line))), 1);
      drawn += `${renderToString(createElement(TableView, { lines: block }), { columns })}\n`;
    }
    return drawn;
  } finally {
    chalk.level = level;
  }
}

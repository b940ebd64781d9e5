import chalk from 'chalk';
import { renderToString, Text } from 'ink';
import { createElement, type ReactNode } from 'react';
import { cellWidth } from '../labels/cell-width.ts';
import { type Line, type Style, toPlainText } from './table-line.ts';

const looks: Readonly<Record<Exclude<Style, 'plain'>, { readonly bold?: boolean; readonly dimColor?: boolean; readonly color?: string }>> = {
  heading: { bold: true },
  quiet: { dimColor: true },
  alert: { color: 'yellow' },
};

/** Lines below each other, as one text: a component for each line would cost twice the time. */
function TableView({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  return createElement(Text, { wrap: 'truncate' }, ...lines.flatMap((line, index) => (index === 0 ? toTexts(line) : ['\n', ...toTexts(line)])));
}

function toTexts(line: Line): readonly ReactNode[] {
  return line.map(({ text, style }) => (style === 'plain' ? text : createElement(Text, looks[style], text)));
}

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

import { Text } from 'ink';
import { createElement, type ReactNode } from 'react';
import type { Line, Style } from './table-line.ts';

const looks: Readonly<Record<Exclude<Style, 'plain'>, { readonly bold?: boolean; readonly dimColor?: boolean; readonly color?: string }>> = {
  heading: { bold: true },
  quiet: { dimColor: true },
  alert: { color: 'yellow' },
};

/** Lines below each other, as one text: a component for each line would cost twice the time. */
export function TableView({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  return createElement(Text, { wrap: 'truncate' }, ...lines.flatMap((line, index) => (index === 0 ? toTexts(line) : ['\n', ...toTexts(line)])));
}

function toTexts(line: Line): readonly ReactNode[] {
  return line.map(({ text, style }) => (style === 'plain' ? text : createElement(Text, looks[style], text)));
}

import { Box, Text, useApp, useCursor, type SuspendTerminal } from 'ink';
import { createElement, useEffect, type ReactNode } from 'react';

export interface ScreenViewProps {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
  /** Told how to give the terminal away. */
  readonly onReady: (suspend: SuspendTerminal) => void;
}

/** Lines as they were composed, below each other. A line of nothing would have no height. */
export function ScreenView({ lines, cursor, onReady }: ScreenViewProps): ReactNode {
  const { suspendTerminal } = useApp();
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  return createElement(Box, { flexDirection: 'column' }, lines.map((line, index) => createElement(Text, { key: index, wrap: 'truncate' }, line === '' ? ' ' : line)));
}

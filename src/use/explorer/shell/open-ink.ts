import type { Readable, Writable } from 'node:stream';
import { Box, render, type SuspendTerminal, Text, useApp, useCursor } from 'ink';
import { createElement, type ReactNode, useEffect } from 'react';
import type { Screen } from '../compose/screen.ts';

export interface InkOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly mostFrames: number;
  readonly first: Screen;
  readonly onReady: (suspend: SuspendTerminal) => void;
}

export interface OpenedInk {
  readonly show: (screen: Screen) => void;
  /** At once: whatever is drawn after that would be drawn on the screen that was there before. */
  readonly stop: () => void;
  /** Resolves when the last of it is written. */
  readonly close: () => Promise<void>;
}

/** Ink on a screen of its own, of which only what changes is written. Keys are read by somebody else. */
export function openInk({ input, output, mostFrames, first, onReady }: InkOptions): OpenedInk {
  const element = ({ lines, cursor }: Screen) => createElement(ScreenView, { lines, cursor, onReady });
  const instance = render(element(first), {
    stdin: input,
    stdout: output,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: mostFrames,
    alternateScreen: true,
    incrementalRendering: true,
    isScreenReaderEnabled: false,
  });
  return {
    show: (screen) => instance.rerender(element(screen)),
    stop: () => instance.unmount(),
    async close() {
      const exit = instance.waitUntilExit();
      instance.unmount();
      await exit;
    },
  };
}

interface ScreenViewProps {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
  /** Told how to give the terminal away. */
  readonly onReady: (suspend: SuspendTerminal) => void;
}

/**
 * Lines as they were composed, below each other. A line of nothing would have no height.
 *
 * The columns within a line are laid out when it is composed: Ink 8.0 measures texts by string-width alone, which gives
 * letters that a virama joins fewer cells than terminals do (`cellWidth`), and the same lines are tested without it.
 */
function ScreenView({ lines, cursor, onReady }: ScreenViewProps): ReactNode {
  const { suspendTerminal } = useApp();
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  return createElement(
    Box,
    { flexDirection: 'column' },
    lines.map((line, index) => createElement(Text, { key: index, wrap: 'truncate' }, line === '' ? ' ' : line)),
  );
}

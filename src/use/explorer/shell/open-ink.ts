import type { Readable, Writable } from 'node:stream';
import { Box, render, type SuspendTerminal, Text, useApp, useCursor } from 'ink';
import { createElement, type ReactNode, useEffect } from 'react';
import type { Screen } from '../compose/screen.ts';

interface InkOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly mostFrames: number;
  readonly first: Screen;
  readonly onReady: (suspend: SuspendTerminal) => void;
}

export interface OpenedInk {
  readonly show: (screen: Screen) => void;
  /** Stops at once: later frames would be drawn on the primary screen. */
  readonly stop: () => void;
  /** Resolves when all output is written. */
  readonly close: () => Promise<void>;
}

/** Ink on the alternate screen; it writes only changed parts. `readKeys` reads the keys. */
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
  /** Receives the function that releases the terminal. */
  readonly onReady: (suspend: SuspendTerminal) => void;
}

/**
 * Composed lines, one below the other. An empty line would have no height.
 *
 * Columns are laid out before, in `composeScreen`: Ink 8.0 measures text with string-width, which counts fewer cells
 * than terminals for letters joined by a virama (`cellWidth`). It also lets tests check the lines without Ink.
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

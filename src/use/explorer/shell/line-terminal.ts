import type { Writable } from 'node:stream';
import type { Screen } from '../compose/screen.ts';
import type { OpenedInk } from './open-ink.ts';

/**
 * Lines on a terminal that knows no escape sequences, and so cannot go back: what is new goes on behind what is there.
 */
export function openLineTerminal(output: Writable, first: Screen): Pick<OpenedInk, 'show' | 'stop' | 'close'> {
  let shown: readonly string[] = [];
  const show = ({ lines }: Screen) => {
    output.write(goOn(shown, lines));
    shown = lines;
  };
  show(first);
  return {
    show,
    stop: () => undefined,
    close: async () => void output.write('\n'),
  };
}

/**
 * What is to be written behind lines that are there, so that other ones can be read: what has grown at the end, else
 * all from the first that differs.
 */
export function goOn(before: readonly string[], after: readonly string[]): string {
  const differs = after.findIndex((line, index) => line !== before[index]);
  if (differs === -1 && after.length === before.length) return '';
  const from = differs === -1 ? Math.max(0, after.length - 1) : differs;
  const last = before[from];
  if (last !== undefined && from === before.length - 1 && after[from]?.startsWith(last))
    return `${after[from].slice(last.length)}${after
      .slice(from + 1)
      .map((line) => `\n${line}`)
      .join('')}`;
  return `${before.length === 0 ? '' : '\n'}${after.slice(from).join('\n')}`;
}

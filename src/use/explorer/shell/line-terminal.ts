import type { Writable } from 'node:stream';
import type { Screen } from '../compose/screen.ts';
import type { OpenedInk } from './open-ink.ts';

/** Output for a screen reader, or for a terminal without escape sequences: appends only new lines. */
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
 * The text to append so that the new lines can be read: text added at the end; else the lines that are new between
 * unchanged ones, and the last line again, because the user types there.
 */
export function goOn(before: readonly string[], after: readonly string[]): string {
  const most = Math.min(before.length, after.length);
  const differs = after.findIndex((line, index) => line !== before[index]);
  if (differs === -1 && after.length === before.length) return '';
  const start = differs === -1 ? most : Math.min(differs, most);
  let same = 0;
  while (same < most - start && after.at(-1 - same) === before.at(-1 - same)) same += 1;
  const last = before[start];
  if (last !== undefined && start === before.length - 1 && after[start]?.startsWith(last))
    return `${after[start].slice(last.length)}${after
      .slice(start + 1)
      .map((line) => `\n${line}`)
      .join('')}`;
  const fresh = after.slice(start, after.length - same);
  // Removed lines need no output, unless the input line changed.
  if (fresh.length === 0 && same > 0) return '';
  const lines = same === 0 && fresh.length > 0 ? fresh : [...fresh, after.at(-1) ?? ''];
  return `${before.length === 0 ? '' : '\n'}${lines.join('\n')}`;
}

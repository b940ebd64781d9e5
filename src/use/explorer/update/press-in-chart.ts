import { type ChartCursor, type ChartReading, clampCursor } from '../state/chart-reading.ts';
import { commandOf } from '../state/commands.ts';
import type { ExplorerState } from '../state/state.ts';
import { say, step, type Step } from '../state/step.ts';
import { readingOf } from './chart-cursor.ts';
import { runCommand } from './run-command.ts';

/** The keys of the chart, for the list of keys. */
export const chartKeys: readonly (readonly [keys: string, what: string])[] = [
  ['← →', 'the value before, behind (also h l)'],
  ['pgup pgdn', 'ten further'],
  ['g G', 'first, last (also home end)'],
  ['m M', 'the least, the greatest of the series'],
  ['↑ ↓', 'another series (also k j)'],
  ['v', 'mark a range from here on; again: none'],
  ['enter', 'zoom into the marked range; without one: drill down'],
];

/** Number of places that page keys move. */
const page = 10;

/** Handles a key in a chart. */
export function pressInChart(state: ExplorerState, name: string): Step {
  const command = commandOf(name, 'chart');
  if (command) return runCommand(state, command);
  const { cursor } = state;
  if (name === 'escape' || name === 'q')
    return step(
      name === 'escape' && cursor.mark !== undefined
        ? { ...state, cursor: { ...cursor, mark: undefined } }
        : { ...state, focus: 'cells' },
    );
  const reading = readingOf(state);
  // The chart is still being drawn.
  if (!reading) return step(state);
  if (name === 'enter') return runCommand(state, cursor.mark === undefined ? 'drill' : 'zoom');
  const moved = move(cursor, reading, name);
  return step(
    moved
      ? { ...state, cursor: clampCursor(moved, reading) }
      : say(state, 'Letters are commands here. Press ? for the keys, esc to go back.'),
  );
}

function move(cursor: ChartCursor, { places, series }: ChartReading, name: string): ChartCursor | undefined {
  const to = (place: number) => ({ ...cursor, place });
  const values = series[cursor.series]?.values ?? [];
  switch (name) {
    case 'left':
    case 'h':
      return to(cursor.place - 1);
    case 'right':
    case 'l':
      return to(cursor.place + 1);
    case 'pageup':
      return to(cursor.place - page);
    case 'pagedown':
      return to(cursor.place + page);
    case 'home':
    case 'g':
      return to(0);
    case 'end':
    case 'G':
      return to(places.length - 1);
    case 'm':
      return to(extreme(values, (value, best) => value < best) ?? cursor.place);
    case 'M':
      return to(extreme(values, (value, best) => value > best) ?? cursor.place);
    case 'up':
    case 'k':
    case 'wheelup':
      return { ...cursor, series: cursor.series - 1 };
    case 'down':
    case 'j':
    case 'wheeldown':
      return { ...cursor, series: cursor.series + 1 };
    case 'v':
      return { ...cursor, mark: cursor.mark === undefined ? cursor.place : undefined };
    default:
      return undefined;
  }
}

function extreme(
  values: readonly (number | null)[],
  isBetter: (value: number, best: number) => boolean,
): number | undefined {
  let found: number | undefined;
  for (const [place, value] of values.entries()) {
    const best = found === undefined ? null : (values[found] ?? null);
    if (value !== null && (best === null || isBetter(value, best))) found = place;
  }
  return found;
}

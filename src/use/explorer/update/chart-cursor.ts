import { type ChartReading, clampCursor, markedPlaces } from '../state/chart-reading.ts';
import type { ExplorerState } from '../state/state.ts';
import { currentCell, say, step, type Step, withCell, notice } from '../state/step.ts';
import { zoomInto } from '../question/follow-up-queries.ts';
import { refused, toAsk } from './follow-up.ts';
import { changeAsk } from './change-cells.ts';

/** The readable values of the chosen cell's chart, if any. */
export function readingOf(state: ExplorerState): ChartReading | undefined {
  const cell = currentCell(state);
  return cell?.shows === 'chart' ? cell.chart?.reading : undefined;
}

/** Moves the cursor into the chart, at its last place; undefined if the cell shows no chart. */
export function readCell(state: ExplorerState): Step | undefined {
  const cell = currentCell(state);
  if (cell?.shows !== 'chart' || !cell.answer || cell.chart?.problem !== undefined) return undefined;
  const reading = readingOf(state);
  if (reading)
    return step({
      ...state,
      focus: 'chart',
      said: undefined,
      cursor: { place: reading.places.length - 1, series: 0, mark: undefined },
    });
  return notice(
    state,
    cell.chart?.lines === undefined
      ? 'The chart is still being drawn.'
      : 'This chart has no places to read one by one. Press tab for its rows, t for the table.',
  );
}

/** Restricts the question to the marked range, or to the bucket at the cursor. */
export function zoomChart(state: ExplorerState): Step {
  const cell = currentCell(state);
  const reading = readingOf(state);
  if (!cell?.answer || !reading) return notice(state, 'Read a chart first: press → on it.');
  if (reading.time === undefined)
    return notice(state, 'A range can be marked along time only. Press o to drill down.', 'alert');
  const [from, to] = markedPlaces(state.cursor);
  const buckets = reading.places.slice(from, to + 1).flatMap(({ bucket }) => bucket ?? []);
  const [first] = buckets;
  const last = buckets.at(-1);
  if (first === undefined || last === undefined) return notice(state, 'The answer has no rows in this range.', 'alert');
  const asked = zoomInto(cell.answer.drill, reading.time, { first, last, count: to - from + 1 });
  if (!asked.ok) return refused(state, asked.issues);
  const zoomed = changeAsk(
    { ...state, cursor: { place: 0, series: state.cursor.series, mark: undefined } },
    cell.id,
    toAsk({ ...cell.answer.saved, query: asked.value }, state),
    'the zoom',
  );
  // Keep the chart after a zoom, even with few buckets.
  const drawn = withCell(zoomed.state, cell.id, (each) => ({ ...each, byItself: false }));
  return { ...zoomed, state: say(drawn, 'Zoomed in; u goes back.') };
}

/** Hides or shows the series at the cursor. Does not affect the question or the saved notebook. */
export function toggleSeries(state: ExplorerState): Step {
  const cell = currentCell(state);
  const reading = readingOf(state);
  const chosen = reading?.series[state.cursor.series];
  if (!cell || !reading || !chosen) return notice(state, 'Read a chart first: press → on it.');
  if (!chosen.hidden && reading.series.filter(({ hidden }) => !hidden).length === 1)
    return notice(state, 'The last series stays: a chart without any shows nothing.');
  const others = (cell.hidden ?? []).filter((label) => label !== chosen.label);
  return step(
    withCell(state, cell.id, (each) => ({ ...each, hidden: chosen.hidden ? others : [...others, chosen.label] })),
  );
}

/** Moves the cursor into the chart; leaves the `chart` focus if there is no chart. */
export function settleCursor(state: ExplorerState): ExplorerState {
  if (state.focus !== 'chart') return state;
  const cell = currentCell(state);
  if (cell?.shows !== 'chart' || !cell.answer || cell.chart?.problem !== undefined)
    return { ...state, focus: cell ? 'cells' : 'prompt' };
  const reading = readingOf(state);
  if (!reading) return cell.chart?.lines === undefined ? state : { ...state, focus: 'cells' };
  const cursor = clampCursor(state.cursor, reading);
  const { place, series, mark } = state.cursor;
  return cursor.place === place && cursor.series === series && cursor.mark === mark ? state : { ...state, cursor };
}

import type { Result } from '../../../../src/shape/result/result.ts';
import { type GridFeed, openGridFeed } from '../../../../src/use/explorer/grid/grid-feed.ts';
import { type GridSource, sourceOfResult } from '../../../../src/use/explorer/grid/grid-source.ts';
import type { GridMessage, GridState, GridWanted } from '../../../../src/use/explorer/grid/grid-state.ts';
import { updateGrid } from '../../../../src/use/explorer/grid/update-grid.ts';
import { keyOf } from '../key-of.ts';

/** A grid with simulated keys. */
export interface Desk extends AsyncDisposable {
  readonly state: GridState;
  /** Requests that are not fetched yet. */
  readonly wanted: readonly GridWanted[];
  /** Takes the pending requests, so that `settle` does not fetch them. */
  takeWanted(): readonly GridWanted[];
  send(message: GridMessage): void;
  /** Presses keys by name; fetches nothing. */
  press(...keys: readonly string[]): void;
  /** Fetches requests until none are left. */
  settle(): Promise<void>;
}

export async function openDesk(
  source: Result | GridSource,
  { width = 80, height = 12 } = {},
): Promise<Desk & { readonly feed: GridFeed }> {
  const feed = await openGridFeed('open' in source ? source : sourceOfResult(source), { width, height }, (error) =>
    String(error),
  );
  let state = feed.opening;
  const wanted: GridWanted[] = [];
  const send = (message: GridMessage) => {
    const update = updateGrid(state, message);
    ({ state } = update);
    wanted.push(...update.wants);
  };
  return {
    feed,
    get state() {
      return state;
    },
    wanted,
    takeWanted: () => wanted.splice(0),
    send,
    press: (...keys) => keys.forEach((key) => send({ kind: 'key', key: keyOf(key) })),
    async settle() {
      for (let next = wanted.shift(); next; next = wanted.shift()) send(await feed.fetch(next));
    },
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
}

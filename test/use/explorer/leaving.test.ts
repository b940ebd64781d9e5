import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/use/explorer/state/message.ts';
import type { ExplorerState } from '../../../src/use/explorer/state/state.ts';
import { typedKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { keyOf } from './key-of.ts';

const interrupt: Message = { kind: 'key', key: keyOf('ctrl-c') };

/** True if the last of the timed messages leaves the explorer. */
function leaves(...messages: readonly (readonly [now: number, message: Message])[]): boolean {
  let state: ExplorerState = startState({ columns: 80, rows: 24 }, 0);
  let left = false;
  for (const [now, message] of messages) {
    const done = update(state, message, now);
    state = done.state;
    left = done.effects.some(({ kind }) => kind === 'leave');
  }
  return left;
}

describe('a second ctrl-c', () => {
  it('leaves for as long as it is said to, however late that was seen', () => {
    expect(leaves([0, interrupt])).toBe(false);
    expect(leaves([0, interrupt], [100, interrupt])).toBe(true);
    expect(
      leaves(
        [0, interrupt],
        [60_000, { kind: 'tick' }],
        [90_000, { kind: 'resized', size: { columns: 50, rows: 14 } }],
        [120_000, interrupt],
      ),
    ).toBe(true);
  });

  it('does not where something else was done, or is said by then', () => {
    expect(leaves([0, interrupt], [100, { kind: 'key', key: typedKey('a') }], [200, interrupt])).toBe(false);
    expect(leaves([0, interrupt], [100, { kind: 'copied', what: 'the question' }], [200, interrupt])).toBe(false);
    expect(leaves([0, { kind: 'key', key: typedKey('a') }], [100, interrupt], [200, interrupt])).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { ColourFlag } from '../../../src/use/process/global-flags.ts';
import { readTerminalAbilities } from '../../../src/use/output/terminal-abilities.ts';

const ask = (
  env: Readonly<Record<string, string>>,
  more: { readonly isTerminal?: boolean; readonly color?: ColourFlag } = {},
) => readTerminalAbilities({ isTerminal: true, env, ...more });

describe('the abilities of a terminal', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, 8],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 24],
    [{ TERM: 'xterm' }, 4],
    [{ TERM: 'dumb' }, 0],
    [{}, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '' }, 8],
    [{ TERM: 'xterm-kitty' }, 24],
  ])('detect colours for %j: %i bits', (env, bits) => {
    expect(ask(env).colours).toBe(bits);
  });

  it('exclude colours and pictures on a pipe, and colours if disabled', () => {
    expect(ask({ TERM: 'xterm-kitty' }, { isTerminal: false })).toMatchObject({
      colours: 0,
      pictures: undefined,
      ascii: false,
    });
    expect(ask({ TERM: 'xterm-kitty' }, { color: false })).toMatchObject({ colours: 0, pictures: 'kitty' });
  });

  it.each([
    ['15;0', true],
    ['0;15', false],
    ['0;default;7', false],
    ['7;8', true],
    [undefined, true],
  ])('read the background from COLORFGBG %s: dark is %s', (colours, dark) => {
    expect(ask(colours === undefined ? {} : { COLORFGBG: colours }).dark).toBe(dark);
  });

  it.each([
    [{ TERM: 'xterm-kitty' }, 'kitty'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty' }, 'kitty'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
    [{ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'iterm2'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
    [{ TERM: 'foot' }, 'sixel'],
    [{ TERM: 'mlterm' }, 'sixel'],
    [{ TERM: 'xterm-256color' }, undefined],
    [{ TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }, undefined],
    [{ TERM: 'xterm-kitty', TMUX: '/run/tmux,1,0' }, undefined],
  ])('detect for %j that it shows pictures by %s', (env, protocol) => {
    expect(ask(env).pictures).toBe(protocol);
  });

  it('are limited to ASCII on the Linux console', () => {
    expect([ask({ TERM: 'linux' }).ascii, ask({ TERM: 'xterm' }).ascii]).toEqual([true, false]);
  });

  it('force colours on request, and not if disabled', () => {
    const pipe = { isTerminal: false };
    expect(ask({}, pipe).colours).toBe(0);
    expect(ask({ FORCE_COLOR: '1' }, pipe).colours).toBeGreaterThan(0);
    expect(ask({ CLICOLOR_FORCE: '1' }, pipe).colours).toBeGreaterThan(0);
    const refused: readonly Readonly<Record<string, string>>[] = [
      { FORCE_COLOR: '0' },
      { CLICOLOR_FORCE: '0' },
      { FORCE_COLOR: '1', NO_COLOR: '1' },
    ];
    for (const env of refused) expect(ask(env, pipe).colours).toBe(0);
    expect(ask({ NO_COLOR: '1' }, { ...pipe, color: 'always' }).colours).toBeGreaterThan(0);
    expect(ask({ FORCE_COLOR: '1' }, { color: 'never' }).colours).toBe(0);
    expect(ask({ COLORTERM: 'truecolor', CLICOLOR_FORCE: '1' }, pipe).colours).toBe(24);
  });
});

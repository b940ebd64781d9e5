import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const root = new URL('../../..', import.meta.url).pathname;
const built = path.join(root, 'dist', 'sluice.cjs');
// Several programs share one screen here, which is too slow while many tests run.
const why =
  process.env['TEST_TMUX'] === undefined
    ? 'it is for a machine that has time: TEST_TMUX=1'
    : spawnSync('tmux', ['-V']).status !== 0
      ? 'there is no tmux'
      : !existsSync(built)
        ? 'nothing is built'
        : undefined;

/** A separate tmux that runs only a command. */
function openTmux(
  cwd: string,
  command: string,
): {
  readonly keys: (...keys: readonly string[]) => void;
  readonly see: (wanted: RegExp) => Promise<string>;
  readonly tmux: (...args: readonly string[]) => string;
} & Disposable {
  const env: NodeJS.ProcessEnv = { ...process.env, TMUX_TMPDIR: cwd, LC_ALL: 'C.UTF-8', CI: '', TMUX: undefined };
  const tmux = (...args: readonly string[]) =>
    spawnSync('tmux', ['-L', 'own', '-f', '/dev/null', ...args], { cwd, env, encoding: 'utf8' }).stdout;
  tmux(
    'new-session',
    '-d',
    '-x',
    '80',
    '-y',
    '24',
    ';',
    'set',
    '-g',
    'set-clipboard',
    'on',
    ';',
    'set',
    '-g',
    'remain-on-exit',
    'on',
    ';',
    'respawn-pane',
    '-k',
    command,
  );
  return {
    tmux,
    keys: (...keys) => {
      for (const key of keys) tmux('send-keys', key);
    },
    async see(wanted) {
      let screen = '';
      for (let tries = 0; tries < 600; tries += 1) {
        screen = tmux('capture-pane', '-p');
        if (wanted.test(screen)) return screen;
        await pause(25);
      }
      throw new Error(`The screen never shows ${String(wanted)}:\n${screen}`);
    },
    [Symbol.dispose]: () => void tmux('kill-server'),
  };
}

describe.skipIf(why !== undefined)(`the built command in tmux${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  it('asks, copies to the clipboard of tmux, follows its size, is not stopped where no shell waits, and leaves', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' });
    using terminal = openTmux(folder.root, `exec ${process.execPath} ${built} explore`);
    await terminal.see(/e\.ndjson$/m);
    terminal.tmux('send-keys', '-l', 'count by eventType');
    terminal.keys('Enter');
    const screen = await terminal.see(/pageview +4/);
    expect(screen.split('\n').filter((line) => line.startsWith('sluice'))).toHaveLength(1);
    terminal.keys('Escape');
    await terminal.see(/d delete/);
    terminal.keys('y');
    await terminal.see(/Copied the question/);
    expect(terminal.tmux('show-buffer')).toBe('count by eventType');
    terminal.tmux('resize-window', '-x', '50', '-y', '14');
    await terminal.see(/^\? *\n[^]*all keys *$/m);
    terminal.keys('C-z');
    terminal.keys('o');
    await terminal.see(/below 1\?/);
    expect(terminal.tmux('display', '-p', '#{alternate_on}').trim()).toBe('1');
    terminal.keys('C-c');
    await terminal.see(/ctrl-c again/);
    terminal.keys('C-c');
    await terminal.see(/Pane is dead/);
    expect(terminal.tmux('display', '-p', '#{alternate_on} #{mouse_any_flag} #{pane_dead_status}').trim()).toBe(
      '0 0 0',
    );
  });
});

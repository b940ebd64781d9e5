import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const root = new URL('../../..', import.meta.url).pathname;
const built = path.join(root, 'dist', 'sluice.cjs');
const hasPython = spawnSync('python3', ['-c', 'import pty, termios']).status === 0;
const why = !hasPython ? 'there is no python3' : !existsSync(built) ? 'nothing is built' : undefined;

/**
 * Types into a command on a pseudo-terminal, as a job of a small shell. Each step has text to wait for and input
 * (`kill:15` sends a signal, `paste:N` pastes N letters). A stopped job is resumed. Returns the output, the command's
 * exit, and whether the terminal's settings are restored.
 */
const typist = `
import json, os, pty, select, signal, sys, termios, time, fcntl, struct
argv, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
before = termios.tcgetattr(slave)
def foreground(group):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, group)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
shell = os.fork()
if shell == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2): os.dup2(slave, fd)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        foreground(os.getpid())
        os.execv(argv[0], argv)
    while True:
        _, code = os.waitpid(job, os.WUNTRACED)
        if not os.WIFSTOPPED(code): break
        foreground(os.getpid())
        os.write(1, b'[stopped, %s]' % (b'as before' if termios.tcgetattr(0) == before else b'changed'))
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 120, 0, 0))
        foreground(job)
        os.killpg(job, signal.SIGCONT)
    os._exit(os.WEXITSTATUS(code) if os.WIFEXITED(code) else 128 + os.WTERMSIG(code))
shown, heard, typing, status, deadline = b'', 0, b'', None, time.time() + 30
while time.time() < deadline:
    ready, writable, _ = select.select([master], [master] if typing else [], [], 0.01)
    if ready: shown += os.read(master, 65536)
    found = shown.find(steps[0][0].encode(), heard) if steps else -1
    if found >= 0:
        heard = found + len(steps[0][0].encode())
        typed = steps.pop(0)[1]
        if typed.startswith('kill:'): os.killpg(os.tcgetpgrp(master), int(typed[5:]))
        elif typed.startswith('paste:'): typing += b'\\x1b[200~' + b'lorem ipsum\\r' * (int(typed[6:]) // 12) + b'\\x1b[201~'
        else: typing += typed.encode()
    if writable: typing = typing[os.write(master, typing[:1024]):]
    done, code = os.waitpid(shell, os.WNOHANG)
    if done:
        status = os.waitstatus_to_exitcode(code)
        # Who watches a process that is killed needs a moment.
        if status == 137: time.sleep(1)
        while select.select([master], [], [], 0.02)[0]: shown += os.read(master, 65536)
        break
if status is None:
    os.killpg(os.tcgetpgrp(master), signal.SIGKILL)
    os.kill(shell, signal.SIGKILL)
print(json.dumps({'shown': shown.decode('utf-8', 'replace'), 'status': status, 'left': len(steps), 'same': termios.tcgetattr(slave) == before}))
`;

interface Typed {
  readonly shown: string;
  readonly status: number | null;
  readonly left: number;
  readonly same: boolean;
}

function type(
  cwd: string,
  args: readonly string[],
  steps: readonly (readonly [seen: string, typed: string])[],
  more: Readonly<Record<string, string>> = {},
): Typed {
  const env = { ...process.env, TERM: 'xterm-256color', CI: '', EDITOR: '', VISUAL: '', ...more };
  const { stdout, stderr } = spawnSync(
    'python3',
    ['-c', typist, JSON.stringify([process.execPath, built, ...args]), JSON.stringify(steps)],
    { cwd, env, encoding: 'utf8' },
  );
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Typed;
}

/** The visible output after the last return to the primary screen; must contain nothing of the explorer. */
function seenAfterwards(shown: string): string {
  return shown
    .slice(shown.lastIndexOf('\u001b[?1049l'))
    .replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    .trim();
}

const workspace = { 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' };

describe.skipIf(why !== undefined)(
  `the built command in a pseudo-terminal${why === undefined ? '' : ` (skipped: ${why})`}`,
  () => {
    it('asks, edits in $EDITOR, goes to the shell and comes back, leaves, and the terminal is as it was', () => {
      const folder = folderOf(workspace);
      const editor = folder.write('bin/editor', '#!/bin/sh\nsed -i s/eventType/docPath/ "$1"\n');
      chmodSync(editor, 0o755);
      const { shown, status, left, same } = type(
        folder.root,
        ['explore'],
        [
          ['e.ndjson', 'count by eventType\r'],
          ['2 rows', '\u001b'],
          ['all keys', 'e'],
          ['Page', '\u001a'],
          ['[stopped, as before]', ''],
          ['count by docPath', '\u0003'],
          ['ctrl-c again', '\u0003'],
        ],
        { EDITOR: editor },
      );
      expect([status, left, same], shown).toEqual([0, 0, true]);
      expect(seenAfterwards(shown)).toBe('');
      // The primary screen was visible while the shell had the terminal.
      expect(
        shown
          .slice(0, shown.indexOf('[stopped'))
          .match(/\u001b\[\?1049[hl]/g)
          ?.at(-1),
      ).toBe('\u001b[?1049l');
      expect(shown.match(/\u001b\[\?1049[hl]/g)?.at(-1)).toBe('\u001b[?1049l');
      for (const mode of ['1000', '1006', '2004'])
        expect(shown.lastIndexOf(`\u001b[?${mode}l`), mode).toBeGreaterThan(shown.lastIndexOf(`\u001b[?${mode}h`));
      expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001b[?25l'));
    });

    it('plain sluice is the explorer, too; SIGTERM and SIGHUP restore the terminal, and what was typed is kept', () => {
      const folder = folderOf(workspace);
      for (const [name, args, seen, number] of [
        ['SIGTERM', [], 'e.ndjson', 15],
        ['SIGHUP', ['explore'], ':restore', 1],
      ] as const) {
        const { shown, status, left, same } = type(folder.root, args, [
          [seen, 'count by eventType\r'],
          ['2 rows', `kill:${number}`],
        ]);
        expect([status, left, same], `${name}: ${shown}`).toEqual([128 + number, 0, true]);
        expect(seenAfterwards(shown), name).toBe('');
        expect(shown.match(/\u001b\[\?1049[hl]/g)?.at(-1), name).toBe('\u001b[?1049l');
      }
    });

    it('leaves the terminal as it was also when it is killed', () => {
      const folder = folderOf(workspace);
      const { shown, status, left } = type(
        folder.root,
        ['explore'],
        [
          ['e.ndjson', 'count by eventType\r'],
          ['2 rows', 'kill:9'],
        ],
      );
      expect([status, left], shown).toEqual([137, 0]);
      expect(seenAfterwards(shown)).toBe('');
      for (const mode of ['1000', '1006', '2004', '1049'])
        expect(shown.lastIndexOf(`\u001b[?${mode}l`), mode).toBeGreaterThan(shown.lastIndexOf(`\u001b[?${mode}h`));
    });

    it('takes a paste of a megabyte, which ctrl-c empties and SIGTERM ends, and refuses what no line holds', () => {
      const folder = folderOf(workspace);
      const { shown, status, left, same } = type(
        folder.root,
        ['explore'],
        [
          ['e.ndjson', 'paste:1000000'],
          ['ipsum lorem', '\u0003'],
          ['Cleared', 'paste:5000000'],
          ['at most 4,194,304 characters', 'paste:1000000'],
          ['ipsum lorem', 'kill:15'],
        ],
      );
      expect([status, left, same], shown).toEqual([143, 0, true]);
    });
  },
);

describe('without a terminal', () => {
  it('the explorer says what to type instead, and plain sluice welcomes', async () => {
    const folder = folderOf(workspace);
    expect(await folder.sluice(['explore'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("sluice query 'count by eventType'") as string,
    });
    expect((await folder.sluice([])).stdout).toContain('sluice queries and reports product analytics');
  });
});

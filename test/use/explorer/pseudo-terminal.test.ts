import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const root = new URL('../../..', import.meta.url).pathname;
const built = path.join(root, 'dist', 'sluice.js');
const hasPython = spawnSync('python3', ['-c', 'import pty, termios']).status === 0;
const why = !hasPython ? 'there is no python3' : !existsSync(built) ? 'nothing is built' : undefined;

/**
 * Types into a command on a pseudo-terminal. Each step: what has to be seen first, and what is typed then (`kill:15` sends a
 * signal). Tells what was shown, how the command ended, and whether the terminal's own settings are as they were.
 */
const typist = `
import json, os, pty, select, signal, sys, termios, time, fcntl, struct
argv, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2): os.dup2(slave, fd)
    os.execv(argv[0], argv)
shown, heard, status, deadline = b'', 0, None, time.time() + 40
while time.time() < deadline:
    ready, _, _ = select.select([master], [], [], 0.05)
    if ready: shown += os.read(master, 65536)
    if steps and steps[0][0].encode() in shown[heard:]:
        heard = len(shown)
        typed = steps.pop(0)[1]
        time.sleep(0.2)
        if typed.startswith('kill:'): os.kill(pid, int(typed[5:]))
        else: os.write(master, typed.encode())
    done, code = os.waitpid(pid, os.WNOHANG)
    if done:
        status = os.waitstatus_to_exitcode(code)
        while select.select([master], [], [], 0.1)[0]: shown += os.read(master, 65536)
        break
if status is None: os.kill(pid, signal.SIGKILL)
print(json.dumps({'shown': shown.decode('utf-8', 'replace'), 'status': status, 'left': len(steps), 'same': termios.tcgetattr(slave) == before}))
`;

interface Typed {
  readonly shown: string;
  readonly status: number | null;
  readonly left: number;
  readonly same: boolean;
}

function type(cwd: string, args: readonly string[], steps: readonly (readonly [seen: string, typed: string])[]): Typed {
  const env = { ...process.env, TERM: 'xterm-256color', CI: '', EDITOR: '', VISUAL: '' };
  const { stdout, stderr } = spawnSync('python3', ['-c', typist, JSON.stringify([process.execPath, built, ...args]), JSON.stringify(steps)], { cwd, env, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Typed;
}

/** What is seen behind the point where the first screen came back: nothing of the explorer's. */
function seenAfterwards(shown: string): string {
  return shown.slice(shown.indexOf('\u001b[?1049l')).replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').trim();
}

const workspace = { 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' };

describe.skipIf(why !== undefined)(`the built command in a pseudo-terminal${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  it.each([[['explore']], [[]]])('sluice %j: asks, answers, leaves, and the terminal is as it was', (args) => {
    const { shown, status, left, same } = type(folderOf(workspace).root, args, [['commands', 'count by eventType\r'], ['pageview', '\u0003'], ['once more', '\u0003']]);
    expect([status, left, same]).toEqual([0, 0, true]);
    expect(shown).toContain('link_click');
    expect(seenAfterwards(shown)).toBe('');
    expect(shown.match(/\u001b\[\?1049[hl]/g)?.at(-1)).toBe('\u001b[?1049l');
    for (const mode of ['1000', '1006', '2004']) expect(shown.lastIndexOf(`\u001b[?${mode}l`), mode).toBeGreaterThan(shown.lastIndexOf(`\u001b[?${mode}h`));
    expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001b[?25l'));
  });

  it.each([['SIGTERM', 15], ['SIGHUP', 1]])('restores the terminal after %s, and keeps what was typed', (_, number) => {
    const folder = folderOf(workspace);
    const { shown, status, left, same } = type(folder.root, ['explore'], [['e.ndjson', 'count by eventType\r'], ['link_click', `kill:${number}`]]);
    expect([status, left, same]).toEqual([-number, 0, true]);
    expect(seenAfterwards(shown)).toBe('');
    expect(shown.match(/\u001b\[\?1049[hl]/g)?.at(-1)).toBe('\u001b[?1049l');
    const again = type(folder.root, ['explore'], [[':restore', '\u0003'], ['once more', '\u0003']]);
    expect([again.status, again.left]).toEqual([0, 0]);
  });

  it('edits a question as YAML in $EDITOR', () => {
    const folder = folderOf(workspace);
    mkdirSync(path.join(folder.root, 'bin'));
    const editor = path.join(folder.root, 'bin', 'editor');
    writeFileSync(editor, '#!/bin/sh\nsed -i s/eventType/docPath/ "$1"\n', { mode: 0o755 });
    const { stdout, stderr } = spawnSync('python3', ['-c', typist, JSON.stringify([process.execPath, built, 'explore']), JSON.stringify([
      ['e.ndjson', 'count by eventType\r'], ['link_click', '\u001b'], ['delete', 'e'], ['Doc Path', '\u0003'], ['once more', '\u0003'],
    ])], { cwd: folder.root, env: { ...process.env, TERM: 'xterm', CI: '', EDITOR: editor, VISUAL: '' }, encoding: 'utf8' });
    const typed = JSON.parse(stdout || stderr) as Typed;
    expect([typed.status, typed.left, typed.same]).toEqual([0, 0, true]);
    expect(typed.shown).toContain('count by docPath');
  });
});

describe('without a terminal', () => {
  it('the explorer says what to type instead, and plain sluice welcomes', async () => {
    const folder = folderOf(workspace);
    expect(await folder.sluice(['explore'])).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("sluice query 'count by eventType'") as string });
    expect((await folder.sluice([])).stdout).toContain('sluice asks product analytics questions');
  });
});

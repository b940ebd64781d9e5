import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const guard = new URL('../../../src/use/explorer/shell/guard-terminal.ts', import.meta.url).href;

/** Runs a guarded program, and returns how it ended. */
function run(body: string): {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const program = `import { writeSync } from 'node:fs'; import { guardTerminal } from ${JSON.stringify(guard)}; const stop = guardTerminal(() => writeSync(1, 'restored;')); ${body}`;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return { status, signal, stdout, stderr };
}

describe('guardTerminal', () => {
  it.each([
    [
      'a crash',
      "setTimeout(() => { throw new Error('boom'); });",
      { status: 1, stderr: expect.stringContaining('boom') as string },
    ],
    [
      'a promise that nobody looks after',
      "void Promise.reject(new Error('boom'));",
      { status: 1, stderr: expect.stringContaining('boom') as string },
    ],
    ['an exit', 'process.exit(3);', { status: 3 }],
    ['SIGTERM', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);", { signal: 'SIGTERM' }],
  ])('restores once after %s', (_, body, expected) => {
    expect(run(body)).toMatchObject({ stdout: 'restored;', ...expected });
  });

  it('does nothing any more when its watch is over', () => {
    expect(run('stop(); process.exit(0);')).toMatchObject({ status: 0, stdout: '' });
  });
});

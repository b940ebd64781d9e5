import { describe, expect, it } from 'vitest';
import { openProgress } from '../../src/use/cli/command/progress.ts';
import type { Effects } from '../../src/use/process/effects.ts';
import { showBytes } from '../../src/use/process/show-path.ts';

function watch(isTerminal: boolean) {
  let said = '';
  let time = 0;
  const sink = {
    write: (text: string | Uint8Array) => {
      said += String(text);
      return Promise.resolve();
    },
    isTerminal,
    columns: 30,
  };
  const effects: Effects = {
    stdout: sink,
    stderr: sink,
    readStdin: () => Promise.resolve(new Uint8Array()),
    env: {},
    cwd: '/',
    now: () => time,
    signal: new AbortController().signal,
  };
  return {
    effects,
    said: () => said,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('progress', () => {
  it('is one line on a terminal, after one second, a few times per second, and is erased', async () => {
    const { effects, said, pass } = watch(true);
    const progress = openProgress({}, effects);
    for (let step = 0; step < 15; step += 1) {
      progress.update(`step ${step}`);
      pass(100);
    }
    await progress.wipe();
    expect(said()).toBe('\rstep 10  1 s\u001b[K\rstep 12  1 s\u001b[K\rstep 14  1 s\u001b[K\r\u001b[K');
  });

  it('stays within the line, and contains no control characters', async () => {
    const { effects, said, pass } = watch(true);
    const progress = openProgress({}, effects);
    pass(5000);
    progress.update(`\u001b[31m${'wide '.repeat(20)}`);
    await progress.wipe();
    const line = said().split('\u001b[K')[0]!.slice(1);
    expect(line).not.toContain('\u001b');
    expect(line.length).toBeLessThan(30);
  });

  it.each([
    ['a pipe', false, {}],
    ['a terminal with --quiet', true, { quiet: true }],
  ])('is empty on %s', async (_, isTerminal, flags) => {
    const { effects, said, pass } = watch(isTerminal);
    const progress = openProgress(flags, effects);
    pass(5000);
    progress.update('step');
    await progress.wipe();
    expect(said()).toBe('');
  });

  it('shows bytes in units', () => {
    expect([0, 999, 1000, 1_234_567, 999_999_999].map(showBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '1.2 MB',
      '1.0 GB',
    ]);
  });
});

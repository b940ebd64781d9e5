import { expect, it } from 'vitest';
import { describeStage, openExportProgress } from '../../../src/use/cli/actions/export-summary.ts';
import type { ExportStage } from '../../../src/use/export/export-options.ts';
import type { Effects } from '../../../src/use/process/effects.ts';

const stage = (windows: number, allWindows: number | undefined, eventsLeft: number | undefined): ExportStage => ({
  kind: 'fetching',
  windows,
  allWindows,
  rows: windows * 1000,
  events: windows * 1200,
  bytes: windows * 300_000,
  eventsLeft,
});

it.each<[ExportStage, number, string]>([
  [stage(0, undefined, undefined), 500, '0 windows  0 rows  0 B'],
  [stage(1, undefined, undefined), 500, '1 window  1,000 rows  300 kB'],
  [stage(12, 96, 108_000), 60_000, '12 of 96 windows  12,000 rows  200 rows/s  3.6 MB  7 min 30 s left'],
  [stage(1, 1, 0), 4000, '1 of 1 window  1,000 rows  250 rows/s  300 kB'],
  [{ kind: 'assembling', rows: 1 }, 1, 'merging 1 row into one file'],
])('an export shows its progress: %o', (at, elapsed, text) => {
  expect(describeStage(at, elapsed)).toBe(text);
});

function openLog(isTerminal: boolean, quiet = false) {
  const said: string[] = [];
  let time = 0;
  const sink = { write: async (text: string | Uint8Array) => void said.push(String(text)), isTerminal, columns: 120 };
  const effects: Effects = {
    stdout: sink,
    stderr: sink,
    env: {},
    cwd: '/',
    now: () => time,
    readStdin: () => Promise.resolve(new Uint8Array()),
    signal: new AbortController().signal,
  };
  return {
    said,
    progress: openExportProgress({ quiet }, effects),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it('prints a line per minute in a log, updates one line on a terminal, and prints nothing with --quiet', async () => {
  const logs = [openLog(false), openLog(true), openLog(false, true)];
  for (const { progress, pass } of logs) {
    expect(progress.reached()).toBeUndefined();
    for (let second = 0; second < 185; second += 1) {
      pass(1000);
      progress.update(stage(second + 1, 200, 1000));
    }
    progress.say('The source is odd.');
    expect(progress.reached()).toBe('185 of 200 windows are');
    await progress.end();
    await progress[Symbol.asyncDispose]();
  }
  const [log, terminal, quiet] = logs.map(({ said }) => said);
  expect(log).toEqual([
    expect.stringMatching(/^60 of 200 windows .* left\n$/),
    expect.stringMatching(/^120 of /),
    expect.stringMatching(/^180 of /),
    'The source is odd.\n',
  ]);
  expect(terminal!.length).toBeGreaterThan(100);
  expect(terminal!.slice(1, -3).every((text) => text.startsWith('\r') && text.length <= 130)).toBe(true);
  expect(quiet).toEqual([]);
});

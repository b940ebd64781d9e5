import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const child = path.join(import.meta.dirname, '..', 'sluice-child.ts');
const report =
  '---\ntitle: Days\nschedule: daily at 06:00\ndeliver:\n  - {folder: made, formats: [md]}\n  - {email: team@example.org}\n---\n\n```query\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n```\n';

it('a due run that is killed among its deliveries leaves no lock, and runs again to the same bytes', async () => {
  // The mailer signals that it started, and ends with its parent process.
  const folder = folderOf({
    'events.ndjson': fewEvents,
    'reports/days.md': report,
    'sluice.yaml': 'events: events.ndjson\nmailer: touch begun; while kill -0 $PPID; do sleep 0.05; done\n',
  });
  const at = (name: string) => path.join(folder.root, name);
  const argv = ['report', 'run', '--due', '--as-of', '2024-03-08T12:00Z'];
  const running = spawn(process.execPath, [child, ...argv], { cwd: folder.root, stdio: 'ignore' });
  const ended = once(running, 'exit');
  while (!existsSync(at('begun')) && running.exitCode === null) await pause(20);
  const before = readFileSync(at('made/days-2024-03-08.md'), 'utf8');
  const second = await folder.sluice(argv);
  expect([second.code, second.stderr]).toEqual([0, expect.stringMatching(/is being run by process \d+/)]);
  running.kill('SIGKILL');
  await ended;
  folder.write('made/days-2024-03-08.md', 'half');
  folder.write('sluice.yaml', 'events: events.ndjson\nmailer: cat >> sent.eml\n');
  expect((await folder.sluice(argv)).code).toBe(0);
  expect(readFileSync(at('made/days-2024-03-08.md'), 'utf8')).toBe(before);
  expect(readFileSync(at('sent.eml'), 'utf8').match(/^To: /gm)).toHaveLength(1);
  expect((await folder.sluice(argv)).stderr).toContain('Nothing is due.');
});

import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, openFolder } from '../run-in-folder.ts';

let folder: Folder;
beforeAll(async () => {
  folder = openFolder({
    'sluice.yaml': 'events: events.ndjson\nusage: {groups: [{name: acme, projects: [1]}]}\n',
    'funnels/signup.yml':
      'seconds_to_convert: 3600\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: prices, action: pageview, target: /pricing}\n',
    'reports/short.md': '---\ntitle: Short\n---\n\n```query\nquery: {measures: [TrackedEvents.count]}\n```\n',
  });
  await folder.sluice(['sample', '-n', '50', '--days', '2', '-o', 'events.ndjson']);
});
afterAll(() => folder.remove());

const commands: readonly (readonly [string, ...string[]])[] = [
  ['query', 'count by eventType', '-f', 'csv'],
  ['query', 'count by eventType', '--explain'],
  ['funnel', 'run', 'signup', '-f', 'csv'],
  ['report', 'run', 'short'],
  ['usage', '-f', 'csv'],
];

describe('-o', () => {
  it.each(commands)('- and /dev/stdout mean stdout in %s %s %s', async (...command) => {
    const usual = await folder.sluice([...command]);
    expect(usual.stdout).not.toBe('');
    for (const output of ['-', '/dev/stdout']) {
      const { code, stdout } = await folder.sluice([...command, '-o', output]);
      expect([code, stdout]).toEqual([usual.code, usual.stdout]);
    }
  });

  it('- is refused if a command only writes files, and creates no file of that name', async () => {
    for (const command of [['export'], ['sample', '-n', '10', '--days', '1']])
      for (const output of ['-', '/dev/stdout']) {
        const { code, stdout, stderr } = await folder.sluice([...command, '-o', output]);
        expect([command[0], output, code, stdout]).toEqual([command[0], output, 2, '']);
        expect(stderr).toContain('hint: ');
      }
    expect(existsSync(path.join(folder.root, '-'))).toBe(false);
  });
});

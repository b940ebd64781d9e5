import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openSluice } from '../../src/use/open-sluice.ts';
import { type Folder, folderOf, type World } from './run-in-folder.ts';

const event = '{"utcTime":"2024-03-07T10:00:00Z","eventType":"pageview","userId":"a"}\n';
const empty = /(is|are) empty: there are no events to count/;

const asked = async (folder: Folder, argv: readonly string[], world?: World) => {
  const { code, stdout, stderr } = await folder.sluice(['query', ...argv], world);
  return { code, text: (stdout + stderr).replaceAll(/\s+/g, ' ') };
};

describe('an input without events', () => {
  it.each(['', '\n\n', '[]', 'utcTime,eventType\n'])('is no zero: %j', async (stdin) => {
    const folder = folderOf();
    for (const line of ['count', 'count by day last 3 days', 'Sessions.count', 'funnel / then /x']) {
      const { code, text } = await asked(folder, [line, '--events', '-'], { stdin });
      expect(code).toBe(0);
      expect(text, line).toMatch(/stdin is empty: there are no events to count\. Check where the data come from/);
    }
  });

  it.each(['csv', 'json', 'markdown'])('is told of beside %s', async (format) => {
    const folder = folderOf({ 'a.ndjson': '' });
    expect((await asked(folder, ['count', '--events', 'a.ndjson', '-f', format])).text).toMatch(empty);
  });

  it('is several files if all of them are empty', async () => {
    const folder = folderOf({ 'a.ndjson': '', 'b.csv': 'utcTime,eventType\n', 'c.json.gz': gzipSync('[]') });
    expect((await asked(folder, ['count', '--events', '*.*'])).text).toMatch(/All 3 files are empty/);
    folder.write('d.ndjson', event);
    expect((await asked(folder, ['count', '--events', '*.*'])).text).not.toMatch(empty);
    expect((await asked(folder, ['count last 2 days', '--events', '*.*'])).text).not.toMatch(empty);
  });

  it.each(['', '[]', 'utcTime,eventType\n'])('is told of when it is loaded: %j', async (stdin) => {
    const { code, stderr } = await folderOf().sluice(['ingest', '-', '--quiet'], { stdin });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/is empty: there are no events to load/)]);
  });

  it('is not the same as lines that are no events', async () => {
    const folder = folderOf({ 'a.ndjson': '{"at":"2024-03-07"}\n{"at":"2024-03-08"}\n' });
    const { text } = await asked(folder, ['count', '--events', 'a.ndjson', '--map', 'utcTime=when']);
    expect(text).not.toMatch(empty);
  });

  it('is told of in reports and to programs', async () => {
    const folder = folderOf({
      'sluice.yaml': 'events: a.ndjson\n',
      'a.ndjson': '',
      'reports/r.md': '---\ntitle: R\n---\n\n```query\nquery: count\n```\n',
    });
    const { stdout } = await folder.sluice(['report', 'run', 'r', '-f', 'md']);
    expect(stdout).toMatch(empty);
    await using s = await openSluice({ workspace: folder.root });
    const { provenance } = await s.query('count');
    expect(provenance.lacking?.join()).toMatch(empty);
  });
});

it('stdin cannot be the query and the data', async () => {
  const { code, text } = await asked(folderOf(), ['-', '--events', '-'], { stdin: event });
  expect([code, text]).toEqual([2, expect.stringContaining('Stdin (-) is named for the query and for the data.')]);
});

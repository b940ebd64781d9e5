import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { open } from '../../../src/use/index.ts';
import { folderOf } from '../run-in-folder.ts';

const at = (hour: number, userId: string, rest: object) =>
  `${JSON.stringify({ utcTime: `2024-03-04T${String(hour).padStart(2, '0')}:00:00Z`, userId, eventType: 'pageview', ...rest })}\n`;

describe('an analysis of a store', () => {
  it.each([
    ['retention of any by day last 7 days', 'pages'],
    ['retention of pageview by day last 7 days', 'pages'],
    ['retention of any following docPath by day last 7 days', 'pages'],
    ['retention of any following pageTitle by day last 7 days', 'It lacks page_title.'],
    ['lifecycle by day last 7 days', 'pages'],
    ['stickiness by day last 7 days', 'pages'],
    ['stickiness by day last 7 days where pageTitle = Start', 'It lacks page_title.'],
    ['funnel / then /pricing last 7 days', 'pages'],
  ])('reads the projection if that suffices: %s', async (line, expected) => {
    const { root } = folderOf({
      'events.ndjson': at(9, 'ann', { docPath: '/', pageTitle: 'Start' }) + at(10, 'ann', { docPath: '/pricing' }),
    });
    await using s = await open({ workspace: root, store: path.join(root, 'store'), asOf: '2024-03-08', env: {} });
    await s.ingest(path.join(root, 'events.ndjson'));
    const [{ projection } = {}] = await s.explain(line);
    expect(projection?.name ?? projection?.why).toBe(expected);
  });
});

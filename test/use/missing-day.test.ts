import { expect, it } from 'vitest';
import { folderOf } from './run-in-folder.ts';

it('counts whole windows beside the day that Samoa skipped', async () => {
  const days = ['25', '26', '27', '28', '29', '31'];
  // Noon in Samoa, which moved from ten hours behind UTC to fourteen hours before it.
  const rows = days.map((day) => `2011-12-${day}T12:00:00${day === '31' ? '+14:00' : '-10:00'},u${day}\n`);
  const folder = folderOf({ 'a.csv': `utcTime,userId\n${rows.join('')}` });
  const line = 'uniqueUsersCount rolling 3 days as r by day from 2011-12-27 to 2011-12-31 in Pacific/Apia';
  const { stdout } = await folder.sluice(['query', line, '--events', 'a.csv', '-f', 'csv']);
  expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
    '2011-12-27T00:00:00.000,3',
    '2011-12-28T00:00:00.000,3',
    '2011-12-29T00:00:00.000,3',
    '2011-12-31T00:00:00.000,2',
  ]);
});

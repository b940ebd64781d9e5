import { describe, expect, it } from 'vitest';
import { wallByIntl } from '../ask/time/zones.ts';
import { folderOf } from './run-in-folder.ts';

/** An event every 50 minutes for two weeks, over a change of the clock in New York. */
const instants = Array.from({ length: 400 }, (_, index) => Date.UTC(2024, 2, 1) + index * 50 * 60_000);
const events = instants.map((instant) => `${new Date(instant).toISOString()},job\n`).join('');

const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

describe('conditions on the hour and the weekday', () => {
  it('count as a slow count does, in words and in the zone of the question', async () => {
    const folder = folderOf({ 'a.csv': `utcTime,eventType\n${events}`, 'sluice.yaml': 'events: a.csv\n' });
    const countOf = (zone: string, holds: (hour: number, weekday: string) => boolean) =>
      instants.filter((instant) => {
        const wall = wallByIntl(instant, zone);
        return holds(Number(wall.slice(11, 13)), names[new Date(`${wall.slice(0, 10)}T00:00Z`).getUTCDay()]!);
      }).length;
    const isWeekend = (weekday: string) => weekday.startsWith('s');
    const questions: readonly (readonly [string, (hour: number, weekday: string) => boolean])[] = [
      ['count between 9am and 5pm', (hour) => hour >= 9 && hour < 17],
      ['count between 09:00 and 17:00', (hour) => hour >= 9 && hour < 17],
      ['count between 10 pm and 6 am', (hour) => hour >= 22 || hour < 6],
      ['count between 12am and 12pm', (hour) => hour < 12],
      ['count between 9pm and 12am', (hour) => hour >= 21],
      ['count where hour between 9am and 5pm', (hour) => hour >= 9 && hour < 17],
      ['count where hour between 9 and 17', (hour) => hour >= 9 && hour <= 17],
      ['count where hour of day >= 18', (hour) => hour >= 18],
      ['count where hour in (8, 20)', (hour) => hour === 8 || hour === 20],
      ['count where not (hour < 5pm)', (hour) => hour >= 17],
      ['count on weekends', (_, weekday) => isWeekend(weekday)],
      ['count on weekdays between 9am and 5pm', (hour, weekday) => !isWeekend(weekday) && hour >= 9 && hour < 17],
      ['count on Saturdays, Sundays', (_, weekday) => isWeekend(weekday)],
      ['count where eventType = job on Monday and Friday', (_, weekday) => /^[mf]/.test(weekday)],
      ['count where day in (Tuesday, Thursday)', (_, weekday) => weekday.startsWith('t')],
      ['count where weekday != weekend', (_, weekday) => !isWeekend(weekday)],
    ];
    for (const zone of ['UTC', 'America/New_York'])
      for (const [line, holds] of questions) {
        const { stdout, stderr } = await folder.sluice(['query', line, '--timezone', zone, '-f', 'csv']);
        expect([zone, line, stdout.split('\n')[1]], stderr).toEqual([zone, line, String(countOf(zone, holds))]);
      }
  });

  it('leave dates and quoted columns alone', async () => {
    const folder = folderOf({
      'a.csv': 'utcTime,hour\n2024-03-01T10:00:00Z,3\n2024-03-02T11:00:00Z,10\n2024-03-03T11:00:00Z,10\n',
    });
    const ask = async (line: string) =>
      (await folder.sluice(['query', line, '--events', 'a.csv', '-f', 'csv'])).stdout.split('\n')[1];
    expect(await ask('count where "hour" = 10')).toBe('2');
    expect(await ask('count where hour = 10')).toBe('1');
    expect(await ask('count where day > 2024-03-01')).toBe('2');
    expect(await ask('count between 2024-03-01 and 2024-03-01')).toBe('1');
  });

  it('say what to write in place of minutes', async () => {
    const folder = folderOf({ 'a.csv': 'utcTime\n2024-03-01T10:00:00Z\n' });
    const { stderr } = await folder.sluice(['query', 'count between 9:30 and 17:00', '--events', 'a.csv']);
    expect(stderr).toContain('The hours of a day are whole.');
  });
});

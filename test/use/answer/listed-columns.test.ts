import { describe, expect, it } from 'vitest';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../src/ask/notation/write-notation.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { folderOf } from '../run-in-folder.ts';

const files = {
  'shop.csv': [
    'time,user,plan,price,tags',
    '2024-03-01T10:00:00Z,a,pro,3,"[""x"",""y""]"',
    '2024-03-01T10:20:00Z,b,free,4,',
    '2024-03-02T11:00:00Z,b,pro,5,"[""x""]"',
  ].join('\n'),
  'sluice.yaml': 'events: shop.csv\ncolumns: {utcTime: time, userId: user}\n',
};
const header = async (line: string) => {
  const { code, stdout, stderr } = await folderOf(files).sluice(['query', line, '-f', 'csv']);
  return code === 0 ? stdout.split('\n')[0]!.replaceAll('TrackedEvents.', '').split(',') : stderr;
};

describe('listed events', () => {
  it('have the columns that their conditions test, after the time, each once', async () => {
    const usual = await header('raw events');
    expect(usual.slice(0, 2)).toEqual(['utcTime', 'eventType']);
    const rest = usual.slice(1);
    expect(await header('events where plan = pro')).toEqual(['utcTime', 'props.plan', ...rest]);
    expect(await header('events where (plan = pro or price > 4) and plan is set and userId = b')).toEqual([
      'utcTime',
      'props.plan',
      'props.price',
      ...rest,
    ]);
    expect(await header('events where tags[] = x')).toEqual(usual);
  });

  it('may begin with a column of the files', async () => {
    expect(await header('raw events plan where price > 3')).toEqual(['props.plan']);
    expect(await header('raw events price, userId last 3 years')).toEqual(['props.price', 'userId']);
    expect(await header('raw events nothing')).toMatch(/There is no member "nothing"/);
  });

  it('are written as the line that lists them', () => {
    const members = toCatalog(builtInModel);
    for (const line of ['events where osVersion = 1', 'events where eventType = pageview', 'raw events docPath']) {
      const read = readNotation(line, { members });
      expect(read.ok && writeNotation(read.value, { members })).toBe(line);
    }
  });
});

describe('buckets of several minutes or hours', () => {
  it('are written as they are read, and in flags', async () => {
    const members = toCatalog(builtInModel);
    for (const [line, written] of [
      ['count by 15 minutes', 'count by utcTime.minutes15'],
      ['count by docPath, 6 hours', 'count by docPath, utcTime.hours6'],
      ['Sessions.count by 2 hours', 'Sessions.count by startAt.hours2'],
    ] as const) {
      const read = readNotation(line, { members });
      expect(read.ok).toBe(true);
      const again = read.ok ? writeNotation(read.value, { members }) : undefined;
      expect(again).toBe(written);
      expect(readNotation(again!, { members })).toMatchObject({ value: read.ok && read.value });
    }
    expect(await header('count by 30 minutes')).toEqual(['utcTime.minutes30', 'count']);
    const { stdout } = await folderOf(files).sluice(['query', '-m', 'count', '-t', 'utcTime:20 minutes', '-f', 'csv']);
    expect(stdout.split('\n').slice(1, 3)).toEqual(['2024-03-01T10:00:00.000Z,1', '2024-03-01T10:20:00.000Z,1']);
  });

  it('are refused if they do not fill an hour or a day, or if a server answers', () => {
    const refusal = (granularity: string, reach: 'local' | 'remote') =>
      bind(
        {
          measures: ['TrackedEvents.count'],
          timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity }],
        },
        builtInModel,
        { now: 0, limits: reach, reach },
      ).issues.map(({ message, hint }) => `${message} ${hint}`);
    expect(refusal('minutes15', 'local')).toEqual([]);
    expect(refusal('minutes7', 'local')).toEqual([expect.stringContaining('do not fill an hour evenly')]);
    expect(refusal('hours5', 'local')).toEqual([expect.stringContaining('do not fill a day evenly')]);
    expect(refusal('minutes15', 'remote')).toEqual([
      expect.stringMatching(/Servers have no buckets.*--backend embedded/),
    ]);
  });
});

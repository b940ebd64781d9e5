import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../../src/use/index.ts';
import { type Folder, openFolder } from '../run-in-folder.ts';

const folderOf = (name: string) => readFileSync(new URL(`../../../funnels/${name}`, import.meta.url));

describe('the figures of a funnel add up', () => {
  let folder: Folder;
  let sluice: Sluice;
  beforeAll(async () => {
    folder = openFolder({
      'sluice.yaml': 'events: events.parquet\n',
      'funnels/checkout.yaml': folderOf('checkout.yaml'),
      'funnels/docs.yaml': folderOf('reading-the-docs.yaml'),
    });
    await writeSample({ seed: 5, events: 20_000, days: 40, to: '2024-03-31' }, `${folder.root}/events.parquet`);
    sluice = await open({ workspace: folder.root, env: {}, now: () => Date.parse('2024-04-01T00:00:00Z') });
  });
  afterAll(async () => {
    await sluice[Symbol.asyncDispose]();
    folder.remove();
  });

  const countsOf = async (name: string, options = {}) => {
    const result = await sluice.funnel(name, options);
    const counts: number[] = [];
    result.rows().forEach((row) => {
      const step = Number(row[`${name}.step`]) - 1;
      counts[step] = (counts[step] ?? 0) + Number(row[`${name}.count`]);
    });
    return counts;
  };

  it.each(['UTC', 'America/New_York', 'Australia/Lord_Howe'])(
    'over days, weeks and months of entry, in the zone %s with its clock changes',
    async (timezone) => {
      for (const range of [undefined, '2024-03-05..2024-03-20']) {
        for (const byEntry of [false, true]) {
          const whole = await countsOf('checkout', { timezone, range, byEntry });
          expect(whole[0]).toBeGreaterThan(50);
          for (const trend of ['day', 'week', 'month'] as const)
            expect([trend, await countsOf('checkout', { timezone, range, byEntry, trend })]).toEqual([trend, whole]);
        }
      }
    },
  );

  it('to those of the query, and over the values of a breakdown', async () => {
    for (const name of ['checkout', 'docs']) {
      const asked = await sluice.query({
        measures: [`${name}.count`],
        dimensions: [`${name}.step`],
        order: [[`${name}.step`, 'asc']],
      });
      expect(await countsOf(name)).toEqual([...asked.values(`${name}.count`)]);
    }
  });

  it('to the listed users, each once', async () => {
    const counts = await countsOf('checkout');
    const listed = async (who: string) => {
      const { stdout } = await folder.sluice(['funnel', 'run', 'checkout', '--users', who]);
      const users = stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').slice(0, 2).join());
      expect(new Set(users).size).toBe(users.length);
      return users.length;
    };
    expect([await listed('converted'), await listed('converted:2')]).toEqual([counts[3], counts[1]]);
    expect([await listed('dropped:1'), await listed('dropped:3')]).toEqual([
      counts[0]! - counts[1]!,
      counts[2]! - counts[3]!,
    ]);
  });
});

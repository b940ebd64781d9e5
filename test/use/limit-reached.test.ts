import { afterAll, describe, expect, it } from 'vitest';
import { openFolder } from './run-in-folder.ts';

const events = Array.from({ length: 12 }, (_, index) =>
  JSON.stringify({
    utcTime: new Date(Date.parse('2024-03-01T00:00:00Z') + index * 40_000).toISOString(),
    eventType: 'abcd'[index % 4],
    userAnonymousId: `u${index % 3}`,
  }),
);

const folder = openFolder({ 'few.ndjson': events.join('\n') });
afterAll(folder.remove);

interface Told {
  readonly rows: readonly unknown[];
  readonly provenance: { readonly truncated: unknown; readonly rows: number; readonly partialBuckets: number };
}

async function told(line: string, ...args: readonly string[]): Promise<Told> {
  const { stdout } = await folder.sluice([
    ...['query', line, '--events', 'few.ndjson', '-f', 'json', '--with-provenance'],
    ...args,
  ]);
  return JSON.parse(stdout) as Told;
}

describe('an answer with a limit', () => {
  it.each([
    'count by eventType',
    'pageViewsCount by eventType where count > 1',
    'count, count share by eventType',
    'raw events eventType',
    'Sessions.count by userId',
    'distinct(eventType) by userAnonymousId',
    'lifecycle by week',
  ])('is cut only if there are more rows: %s', async (line) => {
    const all = (await told(line)).rows.length;
    expect(all).toBeGreaterThan(0);
    for (const [limit, offset] of [all, all + 1, all - 1, 1].flatMap((n) => [[n, 0] as const, [n, 1] as const])) {
      const shown = Math.max(0, Math.min(limit, all - offset));
      const { provenance, rows } = await told(line, '--limit', `${limit}`, '--offset', `${offset}`);
      const isCut = all - offset > limit || limit === 0;
      expect([limit, offset, rows.length, provenance.rows, provenance.truncated]).toEqual([
        ...[limit, offset, shown, shown],
        isCut ? { limit } : null,
      ]);
    }
  });

  it('does not count the bucket of a row beyond the limit as partial', async () => {
    const line = 'count by eventType, day in 2024-03-01T00:00..2024-03-01T00:05';
    const { provenance } = await told(line, '--fill', 'none', '--limit', '1');
    expect(provenance).toMatchObject({ truncated: { limit: 1 }, partialBuckets: 1 });
  });

  it('fills a series whose limit is not reached', async () => {
    const gap = await told('count by hour', '--limit', '1');
    expect(gap.provenance.truncated).toBeNull();
  });
});

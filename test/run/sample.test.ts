import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventFields, spellingsOf } from '../../src/plan/model/event-fields.ts';
import { sampleEvents, usualSample } from '../../src/run/sample/sample-events.ts';
import { vocabularies } from '../../src/run/sample/vocabulary.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { numberColumn, openFiles, scratchFolder } from './ask-sql.ts';
import { readSample } from './sample/sample-reader.ts';
import { runs } from '../runs.ts';

const folder = scratchFolder();
const day = 86_400_000;
const options = { seed: 1, events: 5_000, days: 60, to: '2024-03-31' };
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const write = async (name: string, further: object = {}) => {
  const file = `${folder.path}/${name}`;
  await writeSample({ ...options, ...further }, file);
  return file;
};

describe('a sample', () => {
  it('has the same bytes for the same seed, in every format and on every machine', async () => {
    mkdirSync(`${folder.path}/one`);
    mkdirSync(`${folder.path}/other`);
    const names = ['a.csv', 'a.json', 'a.ndjson', 'a.ndjson.gz', 'a.parquet'];
    for (const name of names)
      expect(digest(readFileSync(await write(`one/${name}`))), name).toBe(
        digest(readFileSync(await write(`other/${name}`))),
      );
    expect(digest(readFileSync(`${folder.path}/one/a.ndjson`))).toBe(
      'a95cc943e11c3cbe6efa39ca11c2e58ef7b5be6ab8004a6319a22d46fdcf7afe',
    );
    expect(readdirSync(`${folder.path}/one`).sort()).toEqual(names);
  });

  it('shares no identifier with the sample of another seed, day or size', () => {
    const others = [{}, { seed: 2 }, { seed: 2 ** 40 }, { to: '2024-04-01' }, { events: 5_001 }, { days: 61 }];
    const events = others.map((further) => readSample({ ...options, ...further }));
    const ids = (all: typeof events, id: (event: (typeof events)[number][number]) => string | undefined) =>
      all.map((some) => new Set(some.map(id).filter((one) => one !== undefined)));
    for (const id of [
      (event: (typeof events)[number][number]) => event.eventnCtxEventId,
      (event: (typeof events)[number][number]) => event.sessionId,
      (event: (typeof events)[number][number]) => event.userAnonymousId,
    ]) {
      const sets = ids(events, id);
      expect(new Set(sets.flatMap((set) => [...set])).size).toBe(sets.reduce((sum, set) => sum + set.size, 0));
    }
    expect(ids(events, (event) => event.eventnCtxEventId).map((set) => set.size)).toEqual(
      events.map((some) => some.length),
    );
  });

  it('has identifiers of the shape that trackers give them', () => {
    const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    for (const event of readSample({ ...options, events: 500, days: 10 })) {
      expect(event.eventnCtxEventId).toMatch(uuid);
      if (event.sessionId !== undefined) expect(event.sessionId).toMatch(uuid);
      if (event.userAnonymousId !== undefined) expect(event.userAnonymousId).toMatch(uuid);
      if (event.userId !== undefined) expect(event.userId).toMatch(/^user-[\da-f]{8}$/);
    }
  });

  it('has exactly as many events as asked, within its days and outside its gap, in the order in which they arrive', () => {
    const sample = fc
      .record({ events: fc.integer({ min: 1, max: 6000 }), days: fc.integer({ min: 1, max: 500 }), seed: fc.nat() })
      .map(({ events, days, seed }) => ({ events, days: Math.min(days, events), seed, to: '2024-03-31' }));
    fc.assert(
      fc.property(sample, (asked) => {
        const start = Date.UTC(2024, 3, 1) - asked.days * day;
        const gap = start + Math.floor(asked.days * 0.4) * day;
        let count = 0;
        let before = 0;
        // One expectation for all rows: one per row would take most of the time.
        const wrong: unknown[] = [];
        const isInGap = (at: number) => asked.days >= 14 && at >= gap && at < gap + 3 * day;
        for (const { table, rows } of sampleEvents(asked)) {
          for (const row of rows) {
            count += 1;
            const [time, arrival] = [table.time[row]!, table.arrival[row]!];
            const isWithin = time >= start && time < Date.UTC(2024, 3, 1);
            if (!isWithin || arrival < time || arrival < before || isInGap(time) || isInGap(arrival))
              wrong.push({ row, time, arrival, before });
            before = arrival;
          }
        }
        expect(wrong).toEqual([]);
        expect(count).toBe(asked.events);
      }),
      { numRuns: runs(60) },
    );
  });

  it('keeps few events in memory, however many there are', () => {
    for (const asked of [
      { events: 300_000, days: 1 },
      { events: 300_000, days: 700 },
    ]) {
      let most = 0;
      for (const { table } of sampleEvents({ ...options, ...asked })) most = Math.max(most, table.time.length);
      expect(most).toBeLessThanOrEqual(1 << 16);
    }
  });

  it('says the same in every format and in every vocabulary', async () => {
    const columns = eventFields.map(({ column }) => column).filter((column) => column !== 'event');
    const sumOf = (values: readonly string[]) =>
      `CAST(sum(CAST(hash(concat_ws('|', ${values.map((value) => `coalesce(${value}, '∅')`).join(', ')})) AS HUGEINT) % 1000000000) AS BIGINT)`;
    const sum = {
      exact: sumOf(columns.map((column) => `CAST("${column}" AS VARCHAR)`)),
      // CSV does not distinguish an empty text from null.
      loose: sumOf(columns.map((column) => `nullif(CAST("${column}" AS VARCHAR), '')`)),
    };
    const sums = { exact: new Set<unknown>(), loose: new Set<unknown>() };
    const names = [
      'same.ndjson',
      'same.ndjson.gz',
      'same.ndjson.zst',
      'same.jsonl',
      'same.json',
      'same.json.zst',
      'same.csv',
      'same.csv.gz',
      'same.parquet',
    ];
    for (const vocabulary of vocabularies) {
      for (const name of vocabulary === 'documentation' ? names : ['same.ndjson', 'same.csv', 'same.parquet']) {
        await using session = await openFiles([await write(`${vocabulary}-${name}`, { vocabulary })]);
        // Exactly equal implies loosely equal: one file connects the two sums.
        const kinds = name.endsWith('.ndjson')
          ? (['exact', 'loose'] as const)
          : ([name.includes('.csv') ? 'loose' : 'exact'] as const);
        const [[count, ...found] = []] = await session.ask(
          `SELECT count(*), ${kinds.map((kind) => sum[kind]).join(', ')} FROM events`,
          { reach: 'all', columns: [numberColumn, ...kinds.map(() => numberColumn)] },
        );
        expect([name, count, session.facts().rejected.count]).toEqual([name, options.events, 0]);
        kinds.forEach((kind, index) => sums[kind].add(found[index]));
      }
    }
    expect([sums.exact.size, sums.loose.size]).toEqual([1, 1]);
  });

  it('writes only names that an event may have, in the vocabulary that is asked for', async () => {
    const known = new Set(eventFields.flatMap(spellingsOf));
    const names: Record<string, Set<string>> = {};
    for (const vocabulary of vocabularies) {
      const file = await write(`names-${vocabulary}.ndjson.gz`, { vocabulary });
      names[vocabulary] = new Set(
        gunzipSync(readFileSync(file))
          .toString('utf8')
          .trim()
          .split('\n')
          .flatMap((line) => Object.keys(JSON.parse(line) as object)),
      );
      expect([...names[vocabulary]].filter((name) => !known.has(name))).toEqual(
        vocabulary === 'snowplow' ? ['collector_tstamp', 'platform'] : [],
      );
    }
    expect([...names['documentation']!]).toEqual(
      expect.arrayContaining(['TrackedEvents.utcTime', 'TrackedEvents.docPath', 'TrackedEvents.eventType']),
    );
    expect([...names['newer']!]).toEqual(
      expect.arrayContaining([
        'TrackedEvents.derivedTstamp',
        'TrackedEvents.pageUrlpath',
        'TrackedEvents.eventName',
        'TrackedEvents.pageReferrer',
      ]),
    );
    expect([...names['snowplow']!]).toEqual(
      expect.arrayContaining([
        'derived_tstamp',
        'domain_userid',
        'domain_sessionid',
        'page_urlpath',
        'event_name',
        'event_id',
        'user_id',
        'br_lang',
      ]),
    );
    expect(Object.values(names).map((set) => set.size)).toEqual([27, 27, 30]);
  });

  it('tells of the way it has come', async () => {
    for (const name of ['progress.ndjson', 'progress.parquet']) {
      const told: number[] = [];
      await write(name, { events: 20_000, onProgress: (events: number) => told.push(events) });
      expect(told.length).toBeGreaterThan(3);
      expect(told).toEqual(told.toSorted((one, other) => one - other));
      expect(told.at(-1)).toBeLessThanOrEqual(20_000);
    }
  });

  it('refuses a name that does not say the format, and leaves nothing where it cannot write', async () => {
    await expect(write('events.xls')).rejects.toMatchObject({
      code: 'unknown-format',
      hint: expect.stringContaining('.csv'),
    });
    folder.write('a-file', '');
    await expect(write('a-file/events.ndjson')).rejects.toMatchObject({ code: 'folder-not-found' });
    mkdirSync(`${folder.path}/stopped`);
    for (const name of ['events.ndjson.zst', 'events.parquet']) {
      await expect(writeSample(options, `${folder.path}/stopped/${name}`, AbortSignal.abort())).rejects.toMatchObject({
        code: 'aborted',
      });
      const stop = new AbortController();
      const asked = { ...options, events: 50_000, onProgress: () => stop.abort() };
      await expect(writeSample(asked, `${folder.path}/stopped/${name}`, stop.signal)).rejects.toMatchObject({
        code: 'aborted',
      });
    }
    expect(readdirSync(`${folder.path}/stopped`)).toEqual([]);
    expect(
      zstdDecompressSync(readFileSync(await write('three.ndjson.zst', { events: 3, days: 3 })))
        .toString('utf8')
        .trim()
        .split('\n').length,
    ).toBe(3);
  });

  it.each([
    [{ events: 0 }, /1 to 1000000000 events, not 0/],
    [{ events: 2 ** 40 }, /not 1099511627776/],
    [{ events: 1.5, days: 1 }, /not 1\.5/],
    [{ events: 59 }, /59 events cannot cover 60 days/],
    [{ events: 1, days: 2 }, /1 event cannot cover 2 days/],
    [{ days: 0 }, /at least 1 whole day, not 0/],
    [{ seed: 0.5 }, /seed must be a whole number/],
    [{ seed: -1 }, /seed must be a whole number/],
    [{ to: '9999-12-31' }, /9999-12-30 or earlier/],
    [{ to: '2024-02-30' }, /2026-10-20, not "2024-02-30"/],
    [{ to: '2024-02' }, /2026-10-20, not "2024-02"/],
    [{ to: '1970-01-31' }, /would be before 1970-01-01/],
  ])('cannot be made of %o, which says why', async (further, message) => {
    await expect(write('wrong.ndjson', further)).rejects.toMatchObject({
      name: 'InvalidInputError',
      message: expect.stringMatching(message),
    });
    expect(readdirSync(folder.path)).not.toContain('wrong.ndjson');
  });

  it('tells everything that is wrong at once', async () => {
    await expect(write('wrong.ndjson', { events: 0, seed: 0.5, to: 'x' })).rejects.toMatchObject({
      issues: { length: 3 },
    });
  });

  it('reaches from the first to the last day that there may be', async () => {
    for (const [to, days] of [
      ['1970-01-14', 14],
      ['9999-12-30', 30],
    ] as const)
      expect(readSample({ seed: 1, events: 100, days, to })).toHaveLength(100);
  });
});

describe('the usual sample', () => {
  const events = readSample({ ...usualSample, to: '2024-03-31' });
  const first = Date.UTC(2024, 0, 2);
  const share = (test: (event: (typeof events)[number]) => boolean, among = events) =>
    among.filter(test).length / among.length;
  const isBot = (event: (typeof events)[number]) => /bot|spider|headless/i.test(event.agentName);
  const people = events.filter((event) => !isBot(event));

  it('pauses for three days in a row and on no others', () => {
    const days = new Set(events.map(({ at }) => Math.floor((at - first) / day)));
    expect(Array.from({ length: 90 }, (_, index) => index).filter((index) => !days.has(index))).toEqual([36, 37, 38]);
  });

  it("has weekends, and nights by everybody's own clock", () => {
    const perDay = (days: readonly number[]) =>
      events.filter(({ at }) => days.includes(new Date(at).getUTCDay())).length / days.length;
    expect(perDay([0, 6])).toBeLessThan(0.65 * perDay([1, 2, 3, 4, 5]));
    const local = (from: number, to: number) =>
      share(({ at, localTzOffset }) => {
        const hour = new Date(at - localTzOffset * 60_000).getUTCHours();
        return hour >= from && hour < to;
      }, people);
    expect(local(1, 5)).toBeLessThan(0.06);
    expect(local(9, 17)).toBeGreaterThan(0.45);
  });

  it('has people who return over days, some of them often', () => {
    const byUser = Map.groupBy(
      people.filter((event) => event.userAnonymousId !== undefined && event.sessionId !== undefined),
      (event) => event.userAnonymousId,
    );
    const visits = [...byUser.values()].map((own) => new Set(own.map((event) => event.sessionId)).size);
    const returning = visits.filter((count) => count > 1).length / visits.length;
    expect(returning).toBeGreaterThan(0.25);
    expect(returning).toBeLessThan(0.6);
    expect(visits.filter((count) => count >= 8).length).toBeGreaterThan(50);
    const apart = [...byUser.values()].filter((own) => own.at(-1)!.at - own[0]!.at > day).length / byUser.size;
    expect(apart).toBeGreaterThan(0.15);
    const mean = visits.reduce((sum, count) => sum + count, 0) / visits.length;
    expect(mean).toBeGreaterThan(1.3);
    expect(mean).toBeLessThan(2.5);
  });

  it('has sessions that a tracker could have told apart', () => {
    const sessions = Map.groupBy(
      events.filter(({ sessionId }) => sessionId !== undefined),
      ({ sessionId }) => sessionId,
    );
    for (const own of sessions.values()) {
      expect(new Set(own.map((event) => `${event.userAnonymousId} ${event.projectId}`)).size).toBe(1);
      const times = own.map(({ at }) => at).toSorted((one, other) => one - other);
      expect(times.every((at, index) => index === 0 || at - times[index - 1]! <= 30 * 60_000)).toBe(true);
    }
    const midnight = [...sessions.values()].filter(
      (own) => new Set(own.map(({ at }) => Math.floor(at / day))).size > 1,
    );
    expect(midnight.length).toBeGreaterThan(0);
  });

  it('has nobodies, events without a session, users who sign in late, shared devices and second ones', () => {
    expect(share((event) => event.userAnonymousId === undefined)).toBeGreaterThan(0.003);
    expect(share((event) => event.userAnonymousId === undefined && event.userId !== undefined)).toBeGreaterThan(0.0002);
    expect(share((event) => event.sessionId === undefined)).toBeGreaterThan(0.05);
    expect(share((event) => event.userId !== undefined)).toBeGreaterThan(0.05);
    const byVisitor = [
      ...Map.groupBy(
        events.filter((event) => event.userAnonymousId !== undefined),
        (event) => event.userAnonymousId,
      ).values(),
    ];
    expect(
      byVisitor.filter(
        (own) => own.some((event) => event.userId !== undefined) && own.some((event) => event.userId === undefined),
      ).length,
    ).toBeGreaterThan(300);
    const severalUsers = byVisitor.filter(
      (own) => new Set(own.map((event) => event.userId).filter((user) => user !== undefined)).size > 1,
    );
    expect(severalUsers.length).toBeGreaterThan(0);
    const byUser = [
      ...Map.groupBy(
        events.filter((event) => event.userId !== undefined),
        (event) => event.userId,
      ).values(),
    ];
    expect(byUser.filter((own) => new Set(own.map((event) => event.userAnonymousId)).size > 1).length).toBeGreaterThan(
      10,
    );
  });

  it('has robots that read, and neither click nor sign in', () => {
    const robots = events.filter(isBot);
    expect(robots.length / events.length).toBeGreaterThan(0.03);
    expect(robots.length / events.length).toBeLessThan(0.09);
    expect(new Set(robots.map((event) => event.agentName)).size).toBe(3);
    expect(robots.every((event) => event.eventType === 'pageview' && event.userId === undefined)).toBe(true);
  });

  it('has late events and events at the same time', () => {
    let latest = 0;
    const late = events.filter(({ at }) => {
      const isLate = at < latest;
      latest = Math.max(latest, at);
      return isLate;
    });
    expect(late.length / events.length).toBeGreaterThan(0.002);
    expect(late.length / events.length).toBeLessThan(0.03);
    const pairs = events.length - new Set(events.map((event) => `${event.at} ${event.userAnonymousId}`)).size;
    expect(pairs).toBeGreaterThan(100);
  });

  it.each([
    ['signing up', ['/', '/pricing', '/signup', '/signup/done'], [0.2, 0.35, 0.45]],
    ['buying', ['/', '/products', '/products/kettle', '/cart', '/checkout', '/thanks'], [0.2, 0.6, 0.3, 0.5, 0.7]],
  ])('has people who fall out of %s step by step', (_, steps, least) => {
    // How far each visitor comes, page by page.
    const reached = steps.map(() => 0);
    for (const own of Map.groupBy(
      people.filter((event) => event.eventType === 'pageview' && event.userAnonymousId !== undefined),
      (event) => event.userAnonymousId,
    ).values()) {
      let step = 0;
      for (const { docPath } of own.toSorted((one, other) => one.at - other.at)) {
        if (docPath !== steps[step]) continue;
        reached[step]! += 1;
        step += 1;
      }
    }
    expect(reached.at(-1)).toBeGreaterThan(150);
    const kept = reached.slice(1).map((count, index) => count / reached[index]!);
    kept.forEach((part, index) => {
      expect(part, `${steps[index + 1]}`).toBeGreaterThan(least[index]!);
      expect(part, `${steps[index + 1]}`).toBeLessThan(least[index]! + 0.3);
    });
  });

  it('has two projects, campaigns, clicks, events of its own, many scripts and hostile texts', () => {
    expect(share(({ projectId }) => projectId === '42')).toBeGreaterThan(0.7);
    expect(new Set(events.map(({ projectId }) => projectId))).toEqual(new Set(['42', '7']));
    expect(share(({ docSearch }) => docSearch.includes('utm_campaign'))).toBeGreaterThan(0.03);
    expect(share(({ eventType }) => eventType === 'link_click')).toBeGreaterThan(0.05);
    expect(share(({ eventType }) => eventType === 'custom_event')).toBeGreaterThan(0.01);
    expect(events.every((event) => event.url === `https://${event.docHost}${event.docPath}${event.docSearch}`)).toBe(
      true,
    );
    expect(
      events
        .filter((event) => event.customEventName !== undefined)
        .every((event) => (JSON.parse(event.customEventProps!) as { where: string }).where === event.docPath),
    ).toBe(true);
    const titles = events.map(({ pageTitle }) => pageTitle).join('');
    for (const script of ['Han', 'Hiragana', 'Hangul', 'Arabic', 'Hebrew', 'Cyrillic', 'Devanagari', 'Greek', 'Thai'])
      expect(titles).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    for (const text of ['\u001B[', '=1+1', '<script>', 'DROP TABLE', '\0']) expect(titles).toContain(text);
  });
});

describe('a sample of two years', () => {
  const counts = new Map<string, number>();
  for (const { table, rows } of sampleEvents({ seed: 1, events: 200_000, days: 731, to: '2025-12-31' })) {
    for (const row of rows) {
      const month = new Date(table.time[row]!).toISOString().slice(0, 7);
      counts.set(month, (counts.get(month) ?? 0) + 1);
    }
  }
  const of = (...months: readonly string[]) => months.reduce((sum, month) => sum + counts.get(month)!, 0);

  it('grows from year to year, by seasons', () => {
    const months = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'];
    // The gap is in October 2024.
    for (const month of months) expect(of(`2025-${month}`) / of(`2024-${month}`), month).toBeGreaterThan(1.2);
    for (const month of months) expect(of(`2025-${month}`) / of(`2024-${month}`), month).toBeLessThan(1.8);
    for (const year of ['2024', '2025']) {
      expect(of(`${year}-07`, `${year}-08`)).toBeLessThan(of(`${year}-05`, `${year}-06`));
      expect(of(`${year}-11`)).toBeGreaterThan(1.15 * of(`${year}-09`));
    }
  });
});

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventFields, spellingsOf } from '../../src/plan/model/event-fields.ts';
import { sampleEvents, usualSample } from '../../src/run/sample/sample-events.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { openFiles, scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();
const options = { seed: 1, events: 5_000, days: 60, to: '2024-03-31' };
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const all = (further: object = {}) => [...sampleEvents({ ...options, ...further })].flat();

describe('a sample', () => {
  it('has the same bytes for the same seed, in every format and on every machine', async () => {
    const digests: Record<string, string> = {};
    mkdirSync(`${folder.path}/one`);
    mkdirSync(`${folder.path}/other`);
    for (const name of ['a.ndjson', 'a.ndjson.gz', 'a.parquet']) {
      const [one, other] = [`${folder.path}/one/${name}`, `${folder.path}/other/${name}`];
      await writeSample(options, one);
      await writeSample(options, other);
      expect(digest(readFileSync(one))).toBe(digest(readFileSync(other)));
      digests[name] = digest(readFileSync(one));
    }
    expect(digests['a.ndjson']).toBe('d49bf5b353a79f9f5df6b39053ffe811beecfb2e2ceb69939dda053b962f70bd');
    expect(readdirSync(`${folder.path}/one`).sort()).toEqual(['a.ndjson', 'a.ndjson.gz', 'a.parquet']);
  });

  it('has other events for another seed', async () => {
    const ids = (seed: number) => all({ seed }).map(({ id }) => id);
    expect(new Set([...ids(1), ...ids(2), ...ids(2 ** 40)]).size).toBe(3 * options.events);
  });

  it('has exactly as many events as asked, in the order of time, within its days', () => {
    for (const [events, days] of [[1, 1], [7, 3], [1000, 14], [1000, 400]] as const) {
      const times = all({ events, days }).map(({ time }) => time);
      expect(times.length).toBe(events);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times[0]).toBeGreaterThanOrEqual(Date.UTC(2024, 2, 31) - (days - 1) * 86_400_000);
      expect(times.at(-1)).toBeLessThan(Date.UTC(2024, 3, 1));
    }
  });

  it('says the same in every format', async () => {
    for (const name of ['same.ndjson', 'same.ndjson.gz', 'same.ndjson.zst', 'same.parquet']) {
      await writeSample(options, `${folder.path}/${name}`);
      await using session = await openFiles([`${folder.path}/${name}`]);
      const everything = eventFields.map(({ column }) => `CAST("${column}" AS VARCHAR)`).join(', ');
      const [[count, , hash] = []] = await session.ask(`SELECT count(*), count(DISTINCT user_key), CAST(sum(CAST(hash(concat_ws('|', ${everything})) AS HUGEINT) % 1000000) AS BIGINT) FROM events`, { reach: 'all' });
      expect([name, count, hash]).toEqual([name, options.events, expect.any(Number)]);
      sums.add(hash);
      expect(session.facts().rejected.count).toBe(0);
    }
    expect(sums.size).toBe(1);
  });
  const sums = new Set<unknown>();

  it('writes only names that an event may have', async () => {
    await writeSample(options, `${folder.path}/names.ndjson.gz`);
    const names = new Set(gunzipSync(readFileSync(`${folder.path}/names.ndjson.gz`)).toString('utf8').trim().split('\n').flatMap((line) => Object.keys(JSON.parse(line) as object)));
    const known = new Set(eventFields.flatMap(spellingsOf));
    expect([...names].filter((name) => !known.has(name))).toEqual([]);
    expect(names.size).toBe(27);
  });

  it('refuses a name that does not say the format, and leaves nothing where it cannot write', async () => {
    await expect(writeSample(options, `${folder.path}/events.xls`)).rejects.toMatchObject({ code: 'unknown-format' });
    folder.write('a-file', '');
    await expect(writeSample(options, `${folder.path}/a-file/events.ndjson`)).rejects.toMatchObject({ code: 'folder-not-found' });
    mkdirSync(`${folder.path}/stopped`);
    await expect(writeSample(options, `${folder.path}/stopped/events.ndjson.zst`, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
    expect(readdirSync(`${folder.path}/stopped`)).toEqual([]);
    await writeSample({ ...options, events: 3 }, `${folder.path}/three.ndjson.zst`);
    expect(zstdDecompressSync(readFileSync(`${folder.path}/three.ndjson.zst`)).toString('utf8').trim().split('\n').length).toBe(3);
  });
});

describe('the usual sample', () => {
  const events = [...sampleEvents({ ...usualSample, to: '2024-03-31' })];
  const flat = events.flat();
  const share = (test: (event: (typeof flat)[number]) => boolean) => flat.filter(test).length / flat.length;

  it('pauses for three days in a row and on no others', () => {
    const silent = events.flatMap((batch, day) => (batch.length === 0 ? [day] : []));
    expect(silent).toEqual([36, 37, 38]);
  });

  it('has weekends and nights', () => {
    const perDay = (days: readonly number[]) => flat.filter(({ time }) => days.includes(new Date(time).getUTCDay())).length / days.length;
    expect(perDay([0, 6])).toBeLessThan(0.75 * perDay([1, 2, 3, 4, 5]));
    const local = (from: number, to: number) => share(({ time, visitor }) => {
      const hour = new Date(time - visitor.place.offset * 60_000).getUTCHours();
      return hour >= from && hour < to;
    });
    expect(local(1, 5)).toBeLessThan(0.06);
    expect(local(9, 17)).toBeGreaterThan(0.4);
  });

  it('has people who return, some who are nobody, some sessions without id, some bots', () => {
    const sessions = Map.groupBy(flat.filter(({ sessionId }) => sessionId !== undefined), ({ sessionId }) => sessionId);
    const users = Map.groupBy([...sessions.values()], ([first]) => first!.visitor.anonymousId);
    const returning = [...users.values()].filter((visits) => visits.length > 1).length / users.size;
    expect(returning).toBeGreaterThan(0.15);
    expect(returning).toBeLessThan(0.6);
    expect(share(({ visitor }) => visitor.anonymousId === undefined)).toBeGreaterThan(0.003);
    expect(share(({ sessionId }) => sessionId === undefined)).toBeGreaterThan(0.05);
    expect(share(({ visitor }) => visitor.browser.agentName === 'bot')).toBeGreaterThan(0.02);
    expect(share(({ userId }) => userId !== undefined)).toBeGreaterThan(0.02);
  });

  it('has funnels that people fall out of, step by step', () => {
    for (const pages of [['/', '/pricing', '/signup', '/signup/done'], ['/cart', '/checkout', '/thanks']]) {
      const views = pages.map((page) => flat.filter(({ type, path }) => type === 'pageview' && path === page).length);
      expect(views.at(-1)).toBeGreaterThan(100);
      expect(views).toEqual(views.toSorted((one, other) => other - one));
    }
  });

  it('has several projects, campaigns, clicks, events of its own, many scripts and hostile texts', () => {
    expect(new Set(flat.map(({ project }) => project))).toEqual(new Set([42, 7]));
    expect(share(({ search }) => search.includes('utm_campaign'))).toBeGreaterThan(0.05);
    expect(share(({ type }) => type === 'link_click')).toBeGreaterThan(0.05);
    expect(share(({ type }) => type === 'custom_event')).toBeGreaterThan(0.01);
    const titles = flat.map(({ title }) => title).join('');
    for (const script of [/\p{Script=Han}/u, /\p{Script=Hiragana}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u, /\p{Script=Cyrillic}/u, /\p{Script=Devanagari}/u, /\p{Emoji_Presentation}/u]) {
      expect(titles).toMatch(script);
    }
    for (const text of ['\u001B[', '=1+1', '<script>', 'DROP TABLE']) expect(titles).toContain(text);
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { recogniseFile } from '../../../src/run/duckdb/reading/recognise/recognise-file.ts';
import { readableFiles } from '../../../src/run/duckdb/reading/source/readable-files.ts';
import { scratchFolder } from '../ask-sql.ts';
import { tellStory } from './story.ts';
import { readRows, type Row, type Vendor, without, writeRows } from './vendor.ts';
import { vendors } from './vendors.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 1 });
afterAll(() => engine[Symbol.asyncDispose]());

async function recognise(format: Vendor['format'], rows: readonly (Row | string)[], choice?: string) {
  const path = folder.write(`export.${format === 'csv' ? 'csv' : 'txt'}`, writeRows(format, rows));
  const [file] = await readableFiles(engine, [path], {});
  const found = recogniseFile(file!, undefined, choice);
  return { preset: found?.preset.name, missing: found?.missing };
}

const story = tellStory();
const cases = vendors.map((vendor) => [`${vendor.preset}: ${vendor.label}`, vendor] as const);

describe.each(cases)('%s', (_name, vendor) => {
  const rows = readRows(vendor.format, writeRows(vendor.format, vendor.write(story)));

  it('is recognised, and has all that such files have', async () => {
    const missing = vendor.label === 'common format' ? ['http_referer | http_referrer', 'http_user_agent'] : [];
    expect(await recognise(vendor.format, rows)).toEqual({ preset: vendor.preset, missing });
  });

  it('is not where that is not wanted', async () => {
    expect(await recognise(vendor.format, rows, 'none')).toEqual({});
  });

  it.each(vendor.recognised.map((column) => [column]))(
    'without %s is another file of the same, and says so',
    async (column) => {
      const { preset, missing } = await recognise(
        vendor.format,
        (rows as readonly Row[]).map((row) => without(row, column)),
      );
      // A Mixpanel file has two columns: without one of them it cannot be recognized.
      if (vendor.preset === 'mixpanel' && column === 'properties') expect(preset).toBeUndefined();
      else expect([preset, missing?.length]).toEqual([vendor.preset, expect.toSatisfy((count: number) => count > 0)]);
    },
  );
});

describe('files of nobody known', () => {
  it.each([
    ['events of one’s own', [{ time: 1, user: 'a', page: '/' }]],
    ['the names of the platform', [{ 'TrackedEvents.utcTime': 1, 'TrackedEvents.docPath': '/' }]],
    ['an order', [{ id: 1, event: 'order', timestamp: 1, properties: { a: 1 }, user_id: 3 }]],
  ])('are not recognised: %s', async (_name, rows) => {
    expect(await recognise('ndjson', rows)).toEqual({});
  });

  it('are not recognised by the name of a column that has other things', async () => {
    const own = { event: 'order', when: '2024-03-08', properties: '{"plan":"pro"}' };
    expect(await recognise('csv', [own, own])).toEqual({});
    expect(await recognise('csv', [{ event: 'order', timestamp: '2024-03-08', properties: '' }])).toEqual({});
    const mixpanel = { EVENT: 'order', PROPERTIES: '{"time":1709892000,"distinct_id":"a","$insert_id":"1"}' };
    expect((await recognise('csv', [mixpanel, mixpanel])).preset).toBe('mixpanel');
  });

  it('are recognised by the names of a log format that splits the request', async () => {
    const row = {
      time_iso8601: '2024-03-01T10:00:00+00:00',
      remote_addr: '203.0.113.9',
      request_method: 'GET',
      request_uri: '/pricing?x=1',
      status: '200',
      request_time: '0.012',
      http_user_agent: 'Mozilla/5.0',
    };
    expect(await recognise('ndjson', [row])).toMatchObject({ preset: 'access-log' });
  });

  it('take a preset by its name, and no other name', async () => {
    expect(await recognise('ndjson', [{ time: 1 }], 'segment')).toMatchObject({ preset: 'segment' });
    await expect(recognise('ndjson', [{ time: 1 }], 'segmnet')).rejects.toMatchObject({
      code: 'preset-unknown',
      hint: expect.stringContaining('segment') as string,
    });
  });

  it('are of two trackers at once only by choice', async () => {
    const [one, other] = ['posthog', 'plausible'].map((name) => vendors.find(({ preset }) => preset === name)!);
    const mixed = [{ ...(one!.write(story)[0] as Row), ...(other!.write(story)[0] as Row) }];
    await expect(recognise('ndjson', mixed)).rejects.toMatchObject({
      code: 'preset-ambiguous',
      hint: 'Choose with --preset plausible, posthog or none.',
    });
    expect(await recognise('ndjson', mixed, 'posthog')).toMatchObject({ preset: 'posthog' });
  });

  it.each([
    'date,visitors,pageviews,bounces,visits,visit_duration',
    'date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces',
    'date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits',
    'date,entry_page,visitors,entrances,visit_duration,bounces,pageviews',
    'name,visitors,bounce_rate,visit_duration',
  ])('hold figures of Plausible’s, no events: %s', async (columns) => {
    const row = Object.fromEntries(columns.split(',').map((name) => [name, '1']));
    await expect(recognise('csv', [row])).rejects.toMatchObject({
      code: 'file-without-events',
      message: expect.stringContaining('contains figures that Plausible counted') as string,
    });
  });
});

import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { deliverySchema } from '../../../src/tell/delivery/delivery.ts';
import { cellSchemas } from '../../../src/tell/notebook/cell-schemas.ts';
import { frontMatterSchema } from '../../../src/tell/notebook/front-matter.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { keys, seatPerson } from '../seated-person.ts';

const root = new URL('../../..', import.meta.url).pathname;
// The data reaches the end of the last week.
const lastEvent = `${JSON.stringify({ 'TrackedEvents.utcTime': '2024-03-10T09:00:00.000' })}\n`;
const config = {
  'events.ndjson': `${fewEvents}${lastEvent}`,
  'sluice.yaml': 'events: events.ndjson\ntimezone: Europe/Berlin\n',
};
const asOf = ['--as-of', '2024-03-11T12:00Z'];

describe('sluice report new', () => {
  it.each([
    ['of nothing in particular', [], 'week'],
    ['of a question', ['count by eventType where docPath = "/docs"'], 'week'],
    ['of several measures', ['count, uniqueUsersCount by docPath, eventType', '--schedule', 'daily at 06:00'], 'day'],
    [
      'of hostile text',
      [
        'count where docPath = "```\n{{ week }} --- # <b>"',
        '--title',
        'A: {x} "y" # ```',
        '--schedule',
        'monthly on day 1 at 06:00',
      ],
      'month',
    ],
    ['of the last day', ['count', '--schedule', 'monthly on the last day at 20:00'], 'month'],
  ] as const)('writes a whole report with comments: %s', async (_what, args, period) => {
    const folder = folderOf(config);
    const made = await folder.sluice(['report', 'new', 'first', ...args]);
    expect([made.code, made.stdout]).toEqual([0, '']);
    const text = readFileSync(path.join(folder.root, 'reports/first.md'), 'utf8');
    expect(text).toContain(`  ${period}: {type:`);
    for (const key of [
      'timezone: Europe/Berlin',
      'schedule:',
      'fresh:',
      'deliver:',
      'notify:',
      'alert:',
      'severity: stop',
    ])
      expect(text).toContain(key);
    const checked = await folder.sluice(['report', 'check', 'first', '--strict']);
    expect([checked.code, checked.stdout]).toEqual([0, '']);
    const run = await folder.sluice(['report', 'run', 'first', ...asOf]);
    expect(run.stdout).not.toContain('not available');
    expect([0, 1]).toContain(run.code);
  });

  it('waits for no data of tables that do not say how recent they are', async () => {
    const folder = folderOf({
      'orders.csv': 'at,plan\n2024-03-04 10:00:00,free\n',
      'model.yml':
        'cubes: [{name: orders, sql_table: orders, measures: [{name: count, type: count}], dimensions: [{name: at, type: time, sql: at}]}]\n',
      'sluice.yaml': 'model: model.yml\ntables: {orders: orders.csv}\n',
    });
    const made = await folder.sluice(['report', 'new', 'own', 'orders.count', '--schedule', 'daily at 06:00']);
    expect([made.code, made.stdout]).toEqual([0, '']);
    expect(readFileSync(path.join(folder.root, 'reports/own.md'), 'utf8')).not.toContain('fresh:');
    expect((await folder.sluice(['report', 'run', 'own', '--as-of', '2024-03-05T06:00Z'])).code).toBe(0);
  });

  it('asks who sits at a terminal', async () => {
    const folder = folderOf(config);
    const person = seatPerson([
      ['What is it about', keys.enter],
      ['What is it called', `pages${keys.enter}`],
      ['When does it run', `weekly on monday at 06:00${keys.enter}`],
    ]);
    const { code } = await folder.sluice(['report', 'new'], { person });
    expect([code, person.left()]).toEqual([0, 0]);
    expect(readFileSync(path.join(folder.root, 'reports/pages.md'), 'utf8')).toContain(
      '\nschedule: weekly on monday at 06:00\n',
    );
  });

  it('replaces nothing, and says what is wrong', async () => {
    const folder = folderOf({ ...config, 'reports/a.md': 'mine' });
    expect(await folder.sluice(['report', 'new', 'a'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('reports/a.md already exists'),
    });
    expect(readFileSync(path.join(folder.root, 'reports/a.md'), 'utf8')).toBe('mine');
    expect(await folder.sluice(['report', 'new', '../x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a name'),
    });
    expect(await folder.sluice(['report', 'new'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Specify a name'),
    });
    expect(await folder.sluice(['report', 'new', 'b', 'cuont'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean'),
    });
    expect((await folder.sluice(['report', 'new', 'a', '--force'])).code).toBe(0);
  });
});

describe('reports/README.md', () => {
  const readme = readFileSync(path.join(root, 'reports/README.md'), 'utf8');
  /** All keys of a schema, including nested ones; those of queries and charts have their own guides. */
  const keysOf = (schema: z.ZodType): readonly string[] => {
    const found = new Set<string>();
    const walk = (node: unknown, key?: string) => {
      if (typeof node !== 'object' || node === null || key === 'query' || key === 'filters' || key === '$defs') return;
      if (Array.isArray(node)) return node.forEach((one) => walk(one, key));
      const { properties = {}, ...rest } = node as { properties?: Record<string, unknown> };
      for (const [name, value] of Object.entries(properties)) {
        found.add(name);
        walk(value, name);
      }
      for (const [name, value] of Object.entries(rest)) walk(value, name === '$defs' ? name : key);
    };
    walk(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
    return [...found];
  };

  it('names every key of the front matter, of cells and of deliveries', () => {
    const all = [frontMatterSchema, deliverySchema, ...Object.values(cellSchemas)].flatMap((schema) =>
      keysOf(schema as z.ZodType),
    );
    const missing = [...new Set(all)].filter(
      (key) => !new RegExp(`(?<![\\w-])${key}(?![\\w-])`).test(readme.replaceAll(/^#+ .*$/gm, '')),
    );
    expect(all.length).toBeGreaterThan(60);
    expect(missing).toEqual([]);
  });

  it('shows one complete report, in which nothing is wrong', async () => {
    const [, report = ''] = /^````markdown\n([^]*?)^````$/m.exec(readme) ?? [];
    const folder = folderOf({
      ...config,
      'sluice.yaml': `${config['sluice.yaml']}mailer: "true"\ncommands: {s3: "true"}\nusage: {groups: [{name: acme, projects: [1]}]}\n`,
      'reports/complete.md': report,
    });
    for (const name of ['queries', 'funnels'])
      cpSync(path.join(root, name), path.join(folder.root, name), { recursive: true });
    const { code, stdout } = await folder.sluice(['report', 'check', 'complete', '--strict']);
    expect([code, stdout]).toEqual([0, '']);
    for (const kind of Object.keys(cellSchemas)) expect(report, kind).toContain(`\n\`\`\`${kind}\n`);
  });
});

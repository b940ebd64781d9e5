import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { openNotebook } from '../../../src/use/explorer/perform/notebook-files.ts';
import { type Folder, openFolder } from '../run-in-folder.ts';

const hour = 3_600_000;
/** An event per hour from 28 April to 3 May 2024, UTC; on 30 April in New York two per hour. */
const april30 = { start: Date.parse('2024-04-30T04:00:00Z'), end: Date.parse('2024-05-01T04:00:00Z') };
const events = Array.from({ length: 5 * 24 }, (_, index) => Date.parse('2024-04-28T00:30:00Z') + index * hour)
  .flatMap((at) => (at >= april30.start && at < april30.end ? [at, at + 1] : [at]))
  .map(
    (at) =>
      `${JSON.stringify({ utcTime: new Date(at).toISOString(), userAnonymousId: `u${at % 7}`, eventType: 'pageview', docPath: at % 2 === 0 ? '/a' : '/b', eventId: `e${at}` })}\n`,
  )
  .join('');

const report = (head: string) =>
  `---\ntitle: Days\n${head}---\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n\`\`\`\n\n\`\`\`usage\nname: u\nshow: table\n\`\`\`\n`;
const inNewYork = 'timezone: America/New_York\n';

describe('a reference time without an offset uses the zone of the query', () => {
  let folder: Folder;

  beforeAll(() => {
    folder = openFolder({
      'events.ndjson': events,
      'sluice.yaml': 'events: events.ndjson\ntimezone: Asia/Tokyo\n',
      'queries/zoned.yaml':
        'query:\n  measures: [TrackedEvents.count]\n  timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: yesterday}]\n  timezone: America/New_York\n',
      'funnels/way.yaml':
        'seconds_to_convert: 3600\nsteps:\n  - {name: a, target: /a, action: pageview}\n  - {name: b, target: /b, action: pageview}\n',
      'reports/days.md': report(inNewYork),
      'reports/due.md': report(`${inNewYork}schedule: daily at 00:00\n`),
    });
  });
  afterAll(() => folder.remove());

  const present = '2024-05-01T04:00:00.000Z';
  const ask = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await folder.sluice([...argv, '--as-of', '2024-05-01']);
    expect(code, stderr).toBe(0);
    return stdout;
  };

  it.each([
    ['--timezone', ['query', 'count', 'yesterday', '--timezone', 'America/New_York']],
    ['in a line', ['query', 'count yesterday in America/New_York']],
    ['of a saved query', ['query', 'zoned']],
    ['of flags over a saved query', ['query', 'zoned', '--timezone', 'US/Eastern']],
  ])('query: %s', async (_, argv) => {
    const { rows, provenance } = JSON.parse(await ask(...argv, '-f', 'json', '--with-provenance'));
    expect([provenance.asOf, rows[0]['TrackedEvents.count']]).toEqual([present, 48]);
  });

  it('the configured zone applies if the query names none, and an offset always applies', async () => {
    const asked = async (...more: readonly string[]) =>
      JSON.parse((await folder.sluice(['query', 'count', '-f', 'json', '--with-provenance', ...more])).stdout)
        .provenance.asOf;
    expect(await asked('--as-of', '2024-05-01')).toBe('2024-04-30T15:00:00.000Z');
    expect(await asked('--as-of', '2024-05-01T00:00Z', '--timezone', 'America/New_York')).toBe(
      '2024-05-01T00:00:00.000Z',
    );
  });

  it('the environment variable works like the flag', async () => {
    const { stdout } = await folder.sluice(['query', 'count yesterday in America/New_York', '-f', 'json'], {
      env: { SLUICE_AS_OF: '2024-05-01' },
    });
    expect(JSON.parse(stdout)).toEqual([{ 'TrackedEvents.count': 48 }]);
  });

  it('funnel run', async () => {
    const { provenance } = JSON.parse(
      await ask(
        'funnel',
        'run',
        'way',
        '--range',
        'yesterday',
        '--timezone',
        'America/New_York',
        '-f',
        'json',
        '--with-provenance',
      ),
    );
    expect(provenance).toMatchObject({ asOf: present, range: { start: '2024-04-30T04:00:00.000Z', end: present } });
  });

  it('load, and so served requests', async () => {
    const query = {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: 'yesterday' }],
      timezone: 'America/New_York',
    };
    const { stdout } = await folder.sluice(['load', '--as-of', '2024-05-01'], {
      stdin: JSON.stringify({ query, queryType: 'multi' }),
    });
    expect(JSON.parse(stdout).results[0].data).toEqual([{ 'TrackedEvents.count': '48' }]);
  });

  it('a report in its own zone, with its usage', async () => {
    const { asOf, blocks } = JSON.parse(await ask('report', 'run', 'days', '-f', 'json', '-o', '-'));
    expect(asOf).toBe(present);
    expect(JSON.stringify(blocks)).toContain('Change in Apr 2024');
    expect(blocks[0].parts[0].stats[0].value).toBe(48);
  });

  it('a report that is due in its own zone', async () => {
    const due = await folder.sluice(['report', 'run', 'due', '--due', '-f', 'md', '-o', '-', '--as-of', '2024-05-01']);
    expect(due.stdout).toContain('As of 2024-05-01 00:00 · days in America/New_York');
  });

  it('usage in the zone of the calendar', async () => {
    const { provenance } = JSON.parse(
      await ask('usage', '--timezone', 'America/New_York', '-f', 'json', '--with-provenance'),
    );
    expect(provenance.asOf).toBe(present);
    expect(await ask('usage', '--timezone', 'America/New_York', '--months', '1')).toContain('Change in Apr 2024');
  });

  it('export', async () => {
    const { windows } = JSON.parse(
      await ask(
        'export',
        '--range',
        'yesterday',
        '--timezone',
        'America/New_York',
        '--watermark',
        '0',
        '--dry-run',
        '--summary',
        'json',
        '-o',
        'out',
      ),
    );
    expect([windows.at(0).start, windows.at(-1).end].map((at) => new Date(at).toISOString())).toEqual([
      '2024-04-30T04:00:00.000Z',
      present,
    ]);
  });

  it('a report opened in the explorer, whose queries use its zone', async () => {
    const catalog = toCatalog(builtInModel);
    const asked: (string | undefined)[] = [];
    const timeIn = (zone?: string) => {
      asked.push(zone);
      return { now: 0, zone: zone ?? 'UTC' };
    };
    const names = {
      kind: 'open',
      catalog,
      home: 'TrackedEvents',
      savedQueries: [],
      reports: [],
      values: new Map(),
      zones: [],
      source: '',
      notes: [],
    } as const;
    folder.write(
      'reports/plain.md',
      `---\ntitle: Plain\n${inNewYork}---\n\n\`\`\`query\nquery: {measures: [TrackedEvents.count]}\n\`\`\`\n`,
    );
    const { cells } = await openNotebook(
      'plain',
      names,
      { reports: `${folder.root}/reports`, cwd: folder.root },
      timeIn,
    );
    expect(asked).toEqual(['America/New_York']);
    expect(cells.flatMap(({ ask: cell }) => (cell.kind === 'line' ? [cell.line] : []))).toEqual([
      'count in America/New_York',
    ]);
  });
});

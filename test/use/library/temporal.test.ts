import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

// The built library, which starts in half the time.
const source = new URL('../../../dist/index.js', import.meta.url).href;

/** Runs a query in a separate process, with or without Temporal, and returns its output. */
function ask(flags: readonly string[]): unknown {
  const program = `
    import { open } from '${source}';
    const times = ['2024-03-09T12:00:00', '2024-03-10T06:59:59', '2024-03-10T07:00:00', '2024-11-03T05:30:00', '2024-11-03T06:30:00'];
    const events = times.map((utcTime) => ({ utcTime, eventType: 'pageview' }));
    const s = await open({ events, env: {}, workspace: '/', timezone: 'America/New_York', onNote: () => undefined });
    const write = (rows) => rows.map((row) => Object.values(row).map((value) => value?.constructor.name + ' ' + String(value)));
    const asked = {};
    try {
      for (const size of ['day', 'hour']) {
        const line = \`count by \${size} from 2024-03-09 to 2024-11-03\`;
        const result = await s.query(line, { times: 'temporal', fill: 'none' });
        asked[size] = write(result.rows());
        asked.text = result.toJSON().rows.length;
        const streamed = [];
        for await (const row of s.stream(line, { times: 'temporal', fill: 'none' })) streamed.push(row);
        asked['streamed ' + size] = write(streamed);
      }
      asked.each = write((await s.query('by utcTime', { times: 'temporal' })).rows());
    } catch (error) {
      asked.error = error.name + ': ' + error.message + ' ' + error.hint;
      asked.streamed = await s.stream('count', { times: 'temporal' }).next().catch(({ message }) => message);
    }
    await s.close();
    console.log(JSON.stringify(asked));`;
  const flagged = [...flags, '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const { stdout, stderr } = spawnSync(process.execPath, [...flagged, '-e', program], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe("times: 'temporal'", () => {
  it('gives a ZonedDateTime in the zone of the query for each time, also at clock changes', () => {
    const days = ['2024-03-09T00:00:00-05:00', '2024-03-10T00:00:00-05:00', '2024-11-03T00:00:00-04:00'];
    const hours = [
      '2024-03-09T07:00:00-05:00',
      '2024-03-10T01:00:00-05:00',
      '2024-03-10T03:00:00-04:00',
      '2024-11-03T01:00:00-04:00',
      '2024-11-03T01:00:00-05:00',
    ];
    const instants = ['07:00:00-05:00', '01:59:59-05:00', '03:00:00-04:00', '01:30:00-04:00', '01:30:00-05:00'];
    const zoned = (text: string) => `ZonedDateTime ${text}[America/New_York]`;
    const daily = days.map((day, index) => [zoned(day), `Number ${[1, 2, 2][index]}`]);
    const hourly = hours.map((hour) => [zoned(hour), 'Number 1']);
    expect(ask(['--harmony-temporal'])).toEqual({
      day: daily,
      'streamed day': daily,
      hour: hourly,
      'streamed hour': hourly,
      text: 5,
      each: instants.map((at, index) => [zoned(`${hours[index]!.slice(0, 11)}${at}`)]),
    });
  });

  it('is refused without Temporal, with an alternative', () => {
    expect(ask(['--no-harmony-temporal'])).toMatchObject({
      error: expect.stringMatching(/^InvalidInputError: query\(\): `times` is "temporal".*harmony-temporal/),
      streamed: expect.stringContaining('stream(): `times` is "temporal"'),
    });
  });
});

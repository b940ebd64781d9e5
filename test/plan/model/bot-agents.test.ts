import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { botCondition, botSigns } from '../../../src/plan/model/bot-agents.ts';
import { realEvents } from '../../data/real-events.ts';

async function rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const isBot = async (agentName: string | null, useragent: string | null) => {
  const quote = (text: string | null) => (text === null ? 'NULL::VARCHAR' : `'${text}'`);
  const [row] = await rows(
    `SELECT ${botCondition('e')} AS bot FROM (SELECT ${quote(agentName)} AS agent_name, ${quote(useragent)} AS useragent) AS e`,
  );
  return row?.['bot'];
};

describe('the condition for robots', () => {
  it.each([
    ['bot', null],
    [null, 'Mozilla/5.0 (compatible; Googlebot/2.1)'],
    ['Googlebot', ''],
    ['Other', 'curl/8.5.0'],
    [
      'Chrome',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
    ],
  ])('holds for %s, %s', async (agentName, useragent) => {
    expect(await isBot(agentName, useragent)).toBe(true);
  });

  it.each([
    [null, null],
    ['', ''],
    ['Firefox', null],
    [
      'Chrome Mobile',
      'Mozilla/5.0 (Linux; Android 12; CUBOT P60) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
    ],
    [
      'Safari',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
    ],
  ])('does not hold for %s, %s, and is never unknown', async (agentName, useragent) => {
    expect(await isBot(agentName, useragent)).toBe(false);
  });

  it('needs no escapes: no sign holds a wildcard, a quote or a capital letter', () => {
    for (const sign of botSigns) expect(sign).toMatch(/^[a-z0-9/.= -]+$/);
  });
});

it('agrees with what real events say of their agents', async () => {
  const counted = await rows(`
    SELECT agent_name, count(*)::INT AS events, count(*) FILTER (WHERE ${botCondition('e')})::INT AS bots
    FROM (SELECT "TrackedEvents.agentName" AS agent_name, "TrackedEvents.useragent" AS useragent FROM read_json('${realEvents}')) AS e
    GROUP BY ALL`);
  const share = (name: string) => counted.find((row) => row['agent_name'] === name);
  expect(share('bot')).toEqual({ agent_name: 'bot', events: 2176, bots: 2176 });
  for (const browser of ['Firefox', 'Chrome', 'MSIE', 'Opera']) expect(share(browser)).toMatchObject({ bots: 0 });
  // One event of PhantomJS, whose agent is reported as Safari.
  expect(share('Safari')).toMatchObject({ bots: 1 });
});

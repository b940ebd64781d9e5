import { createClient } from '@clickhouse/client';
import type { TestServer } from './open-clickhouse.ts';

/**
 * Makes a table that stands for two shards, each with half of the users of `events` in a database, as far as one
 * process allows: a Distributed table whose two servers are this one, over a view that gives each its own rows.
 */
export async function spreadOverTwoShards(server: TestServer, database: string): Promise<string> {
  await using client = createClient({ url: server.url, username: server.user, password: server.password });
  const own = "SELECT *, user_hash, user_key, COLUMNS('^text /') FROM";
  for (const query of [
    `CREATE OR REPLACE VIEW ${database}.one_shard AS ${own} ${database}.events WHERE user_hash % 2 = shardNum() - 1`,
    `DROP TABLE IF EXISTS ${database}.spread`,
    `CREATE TABLE ${database}.spread AS remote('127.0.0.1,127.0.0.1', '${database}', 'one_shard')`,
  ])
    await client.command({ query });
  return 'spread';
}

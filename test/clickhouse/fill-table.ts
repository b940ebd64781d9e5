import { copyFileSync, createReadStream } from 'node:fs';
import { createClient } from '@clickhouse/client';
import { eventTableStatements } from '../../src/plan/sql/clickhouse/event-table.ts';
import { eventFields } from '../../src/plan/model/event-fields.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { openFolder } from '../use/run-in-folder.ts';
import type { ExportedEvent } from '../contract/exported-events.ts';
import { writeNdjson } from '../contract/exported-events.ts';
import type { TestServer } from './open-clickhouse.ts';

/**
 * Makes a database on a server with exactly these events, as the embedded engine reads them. `target`: a file that gets
 * them, too: Parquet, or as they were written. `properties`: additional fields of each.
 */
export async function fillTable(
  server: TestServer,
  database: string,
  events: readonly ExportedEvent[],
  target?: string,
  properties: readonly object[] = [],
): Promise<void> {
  const folder = openFolder();
  const client = createClient({ url: server.url, username: server.user, password: server.password });
  try {
    const file = folder.write(
      'events.ndjson',
      writeNdjson(events.map((event, index) => ({ ...event, ...properties[index] }))),
    );
    await using engine = await openEngine({});
    const files = await openEventFiles(engine, [file], 'anonymous');
    await files.refresh();
    await files.demandFurther();
    const fields = eventFields.map(({ column }) => column).join(', ');
    const columns = `${fields}, further`;
    const parquet = `${folder.root}/events.parquet`;
    await engine.rows(`COPY (SELECT ${columns} FROM events) TO '${parquet}'`);
    if (target?.endsWith('.parquet')) await engine.rows(`COPY (SELECT ${fields} FROM events) TO '${target}'`);
    else if (target) copyFileSync(file, target);
    await client.command({ query: `DROP DATABASE IF EXISTS ${database}` });
    for (const query of eventTableStatements({ database, table: 'events' })) await client.command({ query });
    const { stream } = await client.exec({
      query: `INSERT INTO ${database}.events (${columns}) FORMAT Parquet`,
      values: createReadStream(parquet),
    });
    for await (const _ of stream);
  } finally {
    await client.close();
    folder.remove();
  }
}

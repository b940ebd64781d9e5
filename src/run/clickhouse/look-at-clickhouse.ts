import { openConnection } from './connection.ts';
import { type BackendOptions, openEvents } from './open-clickhouse.ts';
import { withEvents } from './question.ts';

interface ServerFound {
  /** For display. */
  readonly address: string;
  readonly version: string;
  readonly events: number;
  readonly canOnlyRead: boolean;
}

/** Checks a server and its table of events. Errors: as `openClickHouse`. */
export async function lookAtClickHouse(options: BackendOptions, signal?: AbortSignal): Promise<ServerFound> {
  await using connection = await openConnection(options);
  const { version, readonly } = await connection.facts();
  const relation = { ...(await openEvents(connection, options)()), properties: [], joins: [] };
  const { text } = withEvents({ text: 'SELECT count() FROM "events"', parameters: [] }, relation);
  const [[events] = []] = await connection.rows(text, [], signal);
  return { address: connection.address, version, events: Number(events), canOnlyRead: readonly === 1 };
}

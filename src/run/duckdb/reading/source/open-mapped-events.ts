import { BackendError } from '../../../../ask/sluice-error.ts';
import { quote } from '../../../../ask/text.ts';
import type { MappedEvents } from '../../../../plan/events/mapped-events.ts';
import type { CheckStatement, JoinCheck } from '../../../../plan/sql/join-check.ts';
import { toDuckDbValue } from '../../../../plan/sql/duckdb.ts';
import { countSessionless, type SessionlessEvents, toSessionless } from '../../../sessionless-events.ts';
import type { Engine } from '../../engine/engine.ts';
import { canonicalColumns } from '../columns/event-columns.ts';
import type { UserOrder } from '../../../../plan/model/event-fields.ts';
import { endsOfEvents, type EventSpan, toSpan } from './event-span.ts';
import { selectFrom } from './events-relation.ts';

/** What is known about the events of a model's own cube. */
export interface OwnEvents {
  readonly cube: string;
  /** When they were opened. */
  readonly span: EventSpan;
  /** Checks of the joins that their rows follow. */
  readonly joins: readonly JoinCheck[];
  /** The number of rows that have the primary key of another one. Counted once. */
  repeatedKeys(): Promise<number>;
  /** Those in no session. */
  sessionless(): Promise<SessionlessEvents>;
}

/**
 * Creates the view `events` for a model's own cube. Throws `events-without-time`,
 * because events without a time would silently be missing from all figures.
 */
export async function openMappedEvents(
  engine: Engine,
  { sql, columns, cube, joins, repeatedKeys }: MappedEvents,
  users: UserOrder,
): Promise<OwnEvents> {
  const canonical = canonicalColumns(
    columns
      .filter((name) => name !== 'further')
      .map((name) => ({ name, type: name === 'utc_time' ? 'TIMESTAMP' : 'VARCHAR' })),
  );
  const relation = selectFrom({
    columns: canonical,
    reader: `(${sql})`,
    valid: { condition: 'utc_time IS NOT NULL' },
    users,
    more: new Map([['further', 'further']]),
  });
  await engine.rows(`CREATE OR REPLACE VIEW events AS ${relation}`);
  const [[without, ...span] = []] = await engine.rows(
    `SELECT count(*) FILTER (utc_time IS NULL), ${endsOfEvents.join(', ')} FROM (${sql})`,
  );
  const countRepeated = async ({ text, parameters }: CheckStatement) =>
    Number((await engine.rows(text, parameters.map(toDuckDbValue)))[0]?.[0]);
  let repeated: Promise<number> | undefined;
  let sessionless: Promise<SessionlessEvents> | undefined;
  if (Number(without) === 0)
    return {
      cube,
      span: toSpan(span[0], span[1]),
      joins,
      // Nothing is said of a key that cannot be computed.
      repeatedKeys: () => (repeated ??= repeatedKeys ? countRepeated(repeatedKeys).catch(() => 0) : Promise.resolve(0)),
      sessionless: () => (sessionless ??= engine.rows(countSessionless('events')).then(toSessionless)),
    };
  throw new BackendError(`${String(without)} rows of the events cube ${quote(cube)} have no time.`, {
    code: 'events-without-time',
    hint: 'Leave them out in the `sql` of the cube: `WHERE … IS NOT NULL`.',
  });
}

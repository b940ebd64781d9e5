import { BackendError } from '../../../../ask/sluice-error.ts';
import { quote } from '../../../../ask/text.ts';
import type { MappedEvents } from '../../../../plan/events/mapped-events.ts';
import type { Engine } from '../../engine/engine.ts';
import { canonicalColumns, type UserOrder } from '../columns/event-columns.ts';
import { endsOfEvents, type EventSpan, toSpan } from './event-span.ts';
import { selectFrom } from './events-relation.ts';

/**
 * Creates the view `events` for a model's own cube, and returns the span of its events. Throws `events-without-time`,
 * because events without a time would silently be missing from all figures.
 */
export async function openMappedEvents(
  engine: Engine,
  { sql, columns, cube }: MappedEvents,
  users: UserOrder,
): Promise<EventSpan> {
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
  if (Number(without) === 0) return toSpan(span[0], span[1]);
  throw new BackendError(`${String(without)} rows of the events cube ${quote(cube)} have no time.`, {
    code: 'events-without-time',
    hint: 'Leave them out in the `sql` of the cube: `WHERE … IS NOT NULL`.',
  });
}

import { testsOf } from '../plan/list-conditions.ts';
import type { Plan } from '../plan/plan.ts';
import { ownTimes } from '../plan/sql/only-measure.ts';
import type { Dimension } from '../plan/model/model.ts';

/** How a table has times that may name no zone: as times or as texts. */
export type LocalTime = 'time' | 'text';

/** SQL of a time in a zone, from that of its column. */
type InZone = Readonly<Record<LocalTime, (column: string, zone: string) => string>>;

export const zonesInDuckDb: InZone = {
  time: (column, zone) => `${column} AT TIME ZONE '${zone}'`,
  text: (column, zone) => `CAST(${column} AS TIMESTAMP) AT TIME ZONE '${zone}'`,
};

export const zonesInClickHouse: InZone = {
  // The server's times are instants.
  time: (column) => column,
  text: (column, zone) => `parseDateTime64BestEffort(${column}, 3, '${zone}')`,
};

/** Notes on times of a model's tables that a question in another zone than UTC takes for UTC. */
export function tellLocalTimes(
  plan: Plan,
  localTime: (dimension: Dimension) => LocalTime | undefined,
  inZone: InZone,
): readonly string[] {
  if (plan.zone === 'UTC') return [];
  const filtered = plan.rowConditions
    .flatMap(testsOf)
    .flatMap(({ operand, test }) =>
      operand.kind === 'dimension' && ['within', 'outside', 'compare'].includes(test.kind) ? [operand] : [],
    );
  const asked = new Set([...plan.times, ...plan.dimensions, ...filtered].map(({ dimension }) => dimension));
  return ownTimes(plan).flatMap(({ cube, of }) => {
    const kind = asked.has(of) ? localTime(of) : undefined;
    if (kind === undefined) return [];
    const zone = plan.zone.includes('/') ? plan.zone : 'Europe/Berlin';
    return [
      `Times of ${cube.name}.${of.name} without a zone are read as UTC. ` +
        `If they are local, name their zone in its \`sql\`: \`${inZone[kind](`{CUBE}.${of.name}`, zone)}\`.`,
    ];
  });
}

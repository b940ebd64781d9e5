import { BackendError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { Dimension, Measure } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { type Addends, clickHouse, clickHouseFor } from '../../plan/sql/clickhouse/dialect.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import { addsUpValues } from '../../plan/sql/duckdb.ts';
import { sql } from '../../plan/sql/expression.ts';
import { onlyMeasures, ownTimes, type TypedMember } from '../../plan/sql/only-measure.ts';
import { rowMeasures } from '../../plan/sql/stage-part.ts';
import { toStatement } from '../../plan/sql/to-statement.ts';
import { cohortTables } from '../analysis/cohort-tables.ts';
import { tellLocalTimes, zonesInClickHouse } from '../local-times.ts';
import { withEvents } from './question.ts';
import type { ServerSession } from './server-session.ts';

/** The dialect for a plan, and notes on how it reads times. */
type DialectFinder = (plan: Plan) => Promise<{ readonly dialect: Dialect; readonly notes: readonly string[] }>;

/**
 * Finds the dialect for a plan: whether measures add up floats, integers or decimals, and whether the times of a
 * model's tables are dates, by the types that the server reports. Each member is looked up once. The dialect throws
 * `value-unreadable` for times that are numbers.
 */
export function openDialects({ connection, events }: ServerSession): DialectFinder {
  const known = new WeakMap<Measure | Dimension, string>();
  const learn = async (plan: Plan, { cube, measure, of }: TypedMember) => {
    if (known.has(of)) return;
    const asked = onlyMeasures(plan, [{ cube, measure }]);
    const statement = withEvents(toStatement(asked, forTypes, cohortTables(asked, forTypes)), await events());
    const [[, type] = []] = await connection.rows(`DESCRIBE (${statement.text})`, statement.parameters);
    known.set(of, String(type));
  };
  return async (plan) => {
    const sums = rowMeasures(plan).filter(
      ({ cube, measure }) =>
        addsUpValues(measure) &&
        measure.sql !== undefined &&
        cube.source.kind !== 'sessions' &&
        cube.source.kind !== 'users',
    );
    const times = ownTimes(plan);
    await Promise.all([
      ...sums.map(({ cube, measure }) => learn(plan, { cube, measure, of: measure })),
      // The question may not use those that do not fit their table.
      ...times.map((time) => learn(plan, time).catch(() => undefined)),
    ]);
    const addends = new Map(
      sums.flatMap(({ measure }) => {
        const kind = kindOfAddends(known.get(measure) ?? '');
        return kind === undefined ? [] : [[measure, kind] as const];
      }),
    );
    const kinds = times.map(({ cube, of }) => ({ cube, of, kind: kindOfTime(known.get(of) ?? '') }));
    const readable = new Map(
      kinds.flatMap(({ of, kind }) => (kind === undefined || kind === 'number' ? [] : [[of, kind] as const])),
    );
    const dialect = addends.size + readable.size === 0 ? clickHouse : clickHouseFor({ addends, times: readable });
    const numbers = kinds.filter(({ kind }) => kind === 'number');
    return {
      dialect: numbers.length === 0 ? dialect : refusingNumbers(dialect, numbers),
      notes: tellLocalTimes(
        plan,
        (time) => (/String/.test(known.get(time) ?? '') ? 'text' : undefined),
        zonesInClickHouse,
      ),
    };
  };
}

/** The server would take any number for seconds. */
function refusingNumbers(dialect: Dialect, numbers: readonly Pick<TypedMember, 'cube' | 'of'>[]): Dialect {
  return {
    ...dialect,
    toInstant(time, zone, dimension) {
      const member = numbers.find(({ of }) => of === dimension);
      if (zone === undefined || !member) return dialect.toInstant(time, zone, dimension);
      throw new BackendError(
        `The dimension ${quote(`${member.cube.name}.${member.of.name}`)} of type \`time\` has numbers.`,
        {
          code: 'value-unreadable',
          hint:
            'Convert them in its `sql`: `toDateTime({CUBE}.created)` for seconds since 1970, ' +
            '`fromUnixTimestamp64Milli({CUBE}.created)` for milliseconds.',
        },
      );
    },
  };
}

function kindOfAddends(type: string): Addends | undefined {
  if (/Float/.test(type)) return 'floats';
  // Its sums may not fit into a signed integer.
  if (/UInt256/.test(type)) return undefined;
  if (/Int/.test(type)) return 'integers';
  const [, scale] = /Decimal\(\d+, (\d+)\)/.exec(type) ?? [];
  return scale === undefined ? undefined : { decimals: Number(scale) };
}

function kindOfTime(type: string): 'day' | 'instant' | 'number' | undefined {
  const bare = type.replaceAll(/(?:Nullable|LowCardinality)\(/g, '');
  if (/^Date(?:32)?\b/.test(bare)) return 'day';
  // Nanoseconds do not reach the years of a range that is open to one side.
  if (/^DateTime(?!64\([7-9])/.test(bare)) return 'instant';
  return /^(?:U?Int|B?Float|Decimal|Bool)/.test(bare) ? 'number' : undefined;
}

/** Selects the values that measures add up, to learn their types. The statement is described, not run. */
const forTypes: Dialect = {
  ...clickHouse,
  aggregate: (measure, value, conditions) =>
    value && addsUpValues(measure) ? sql`any(${value})` : clickHouse.aggregate(measure, value, conditions),
};

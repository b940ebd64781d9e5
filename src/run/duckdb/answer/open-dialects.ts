import type { DuckDBType } from '@duckdb/node-api';
import { type Dimension, isOfModel, type Measure } from '../../../plan/model/model.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { addsUpValues, duckDb, duckDbFor, duckDbForTypes } from '../../../plan/sql/duckdb.ts';
import { onlyMeasures, ownTimes, type TypedMember } from '../../../plan/sql/only-measure.ts';
import { rowMeasures } from '../../../plan/sql/stage-part.ts';
import { toStatement } from '../../../plan/sql/to-statement.ts';
import { type Kind, kindOf } from '../engine/decode-column.ts';
import type { Engine } from '../engine/engine.ts';
import { type LocalTime, tellLocalTimes, zonesInDuckDb } from '../../local-times.ts';
import { cohortTables } from '../../analysis/cohort-tables.ts';

/** The dialect for a plan, and notes on how it reads times. */
type DialectFinder = (plan: Plan) => Promise<{ readonly dialect: Dialect; readonly notes: readonly string[] }>;

/**
 * Finds the measures of floats, and the dimensions of a model's tables that are dates, by the types that DuckDB reports
 * for their values, since a model's SQL does not tell. Prepares statements without running them, once for each member.
 * `refresh` creates the views that they read.
 */
export function openDialects(engine: Engine, refresh: (text: string) => Promise<void>): DialectFinder {
  const known = new WeakMap<Measure | Dimension, MemberType>();
  const learn = async (plan: Plan, members: readonly TypedMember[]) => {
    const unknown = members.filter(({ of }) => !known.has(of));
    const types = unknown.length === 0 ? undefined : await typesOf(engine, plan, unknown, refresh);
    // A statement that cannot be prepared fails with its own error when it runs.
    unknown.forEach(({ of }, index) => types && known.set(of, types[index]!));
  };
  return async (plan) => {
    const leaves = rowMeasures(plan).filter(
      ({ cube, measure }) =>
        measure.sql !== undefined && (addsUpValues(measure) || (measure.type === 'max' && isOfModel(cube))),
    );
    const times = plan.zone === 'UTC' ? [] : ownTimes(plan);
    const sums = leaves.map(({ cube, measure }) => ({ cube, measure, of: measure }));
    // One by one: the question may not use those that do not fit their table.
    await Promise.all([sums, ...times.map((time) => [time])].map((members) => learn(plan, members)));
    const floats = leaves.flatMap(({ measure }) => (known.get(measure)?.kind === 'double' ? [measure] : []));
    const dates = times.flatMap(({ of }) => {
      const kind = known.get(of)?.kind;
      return kind === undefined ? [] : [[of, kind === 'date'] as const];
    });
    return {
      dialect: floats.length + dates.length === 0 ? duckDb : duckDbFor(new Set(floats), new Map(dates)),
      notes: tellLocalTimes(plan, (time) => known.get(time)?.local, zonesInDuckDb),
    };
  };
}

interface MemberType {
  readonly kind: Kind;
  readonly local: LocalTime | undefined;
}

function typeOf(type: DuckDBType): MemberType {
  const kind = kindOf(type);
  const isLocal = kind === 'instant' && !type.toString().endsWith('WITH TIME ZONE');
  return { kind, local: isLocal ? 'time' : kind === 'text' ? 'text' : undefined };
}

async function typesOf(
  engine: Engine,
  plan: Plan,
  measures: readonly TypedMember[],
  refresh: (text: string) => Promise<void>,
) {
  const asked = onlyMeasures(plan, measures);
  const { text } = toStatement(asked, duckDbForTypes, cohortTables(asked, duckDb));
  await refresh(text).catch(() => undefined);
  return engine
    .work(async (connection) => {
      const prepared = await connection.prepare(text);
      try {
        return measures.map((_, index) => typeOf(prepared.columnType(index)));
      } finally {
        prepared.destroySync();
      }
    })
    .catch(() => undefined);
}

import type { Column } from '../../plan/column.ts';
import type { Cube, Measure } from '../../plan/model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import { addsUpValues, duckDb, duckDbForTypes, duckDbWithFloats } from '../../plan/sql/duckdb.ts';
import { leafMeasures } from '../../plan/sql/leaf-measures.ts';
import { toStatement } from '../../plan/sql/to-statement.ts';
import { kindOf } from './decode-column.ts';
import type { Engine } from './engine.ts';

/** The dialect that a plan is to be asked in. */
export type DialectFinder = (plan: Plan) => Promise<Dialect>;

/**
 * Finds which measures add up floats, by the types that DuckDB gives their values: a model's SQL does not tell. Each
 * measure is asked about once, by preparing a statement that is not run. `refresh` makes the views that it reads.
 */
export function openDialects(engine: Engine, refresh: () => Promise<void>): DialectFinder {
  const known = new WeakMap<Measure, boolean>();
  return async (plan) => {
    const leaves = leafMeasures(plan).filter(({ cube, measure }) => addsUpValues(measure) && measure.sql !== undefined && !isWhole(cube));
    const unknown = leaves.filter(({ measure }) => !known.has(measure));
    if (unknown.length > 0) {
      await refresh().catch(() => undefined);
      const types = await typesOf(engine, plan, unknown.map(({ cube, measure }) => ({ cube, measure })));
      // What cannot be prepared fails when it is asked, with its own words.
      unknown.forEach(({ measure }, index) => types && known.set(measure, types[index] === 'double'));
    }
    const floats = new Set(leaves.map(({ measure }) => measure).filter((measure) => known.get(measure)));
    return floats.size === 0 ? duckDb : duckDbWithFloats(floats);
  };
}

/** Sessions and users hold counts and whole milliseconds. */
function isWhole({ source }: Cube): boolean {
  return source.kind === 'sessions' || source.kind === 'users';
}

async function typesOf(engine: Engine, plan: Plan, measures: readonly Pick<Plan['measures'][number], 'cube' | 'measure'>[]) {
  const columns = measures.map((_, index): Column => ({
    key: `value_${index}`, member: `value_${index}`, kind: 'measure', type: 'number', title: '', shortTitle: '', additive: false, whenAbsent: null,
  }));
  const asked: Plan = {
    ...plan, columns, dimensions: [], measures: measures.map((measure, column) => ({ ...measure, column })),
    times: plan.times.map((time) => ({ ...time, granularity: undefined, column: undefined })),
    groupConditions: [], order: [], limit: undefined, offset: 0, total: false, ungrouped: false, series: undefined,
  };
  const { text } = toStatement(asked, duckDbForTypes);
  return engine.work(async (connection) => {
    const prepared = await connection.prepare(text);
    try {
      return measures.map((_, index) => kindOf(prepared.columnType(index)));
    } finally {
      prepared.destroySync();
    }
  }).catch(() => undefined);
}

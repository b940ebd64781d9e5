import type { CheckStatement, JoinCheck, JoinFaults } from '../../../plan/sql/join-check.ts';
import { toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import type { Engine } from '../engine/engine.ts';
import { noJoinFaults, joinFaults, countFaults, type MixedKey } from '../../events/join-faults.ts';

/** The tables of an engine do not change, so each join is checked once. */
const known = new WeakMap<Engine, Map<string, Promise<JoinFaults>>>();

/**
 * What is wrong with the rows that joins connect. Nothing is said of a join that cannot be checked: the statement
 * reports an error in its SQL.
 */
export async function checkJoins(engine: Engine, checks: readonly JoinCheck[] = []): Promise<JoinFaults> {
  const ofEngine = known.get(engine) ?? new Map<string, Promise<JoinFaults>>();
  known.set(engine, ofEngine);
  const found = await Promise.all(
    checks.map((check) => {
      const { text } = check.statement;
      const faults = ofEngine.get(text) ?? checkJoin(engine, check).catch(() => noJoinFaults);
      ofEngine.set(text, faults);
      return faults;
    }),
  );
  return joinFaults(found);
}

async function checkJoin(engine: Engine, check: JoinCheck): Promise<JoinFaults> {
  const types = await Promise.all(check.equations.map((equation) => typesOf(engine, equation)));
  const mixed = await Promise.all(types.map((sides, index) => findMixed(engine, check.equations[index]!, sides)));
  // Different values may be equal once one of them is converted.
  const isAlike = types.every(([many, one]) => many === one);
  return countFaults(check, (statement) => rowsOf(engine, statement), { mixed: mixed.flat(), isAlike });
}

async function rowsOf(engine: Engine, { text, parameters }: CheckStatement) {
  return engine.rows(text, parameters.map(toDuckDbValue));
}

type Equation = JoinCheck['equations'][number];

/** The types of an equation's sides; undefined for a table without rows. */
async function typesOf(engine: Engine, { many, one }: Equation): Promise<readonly (string | undefined)[]> {
  return Promise.all(
    [many, one].map(async ({ value, rows }) => {
      const [first] = await engine.rows(`SELECT typeof(${value}) FROM ${rows} LIMIT 1`);
      return first && String(first[0]);
    }),
  );
}

/** One such key, if the equation compares texts with numbers. */
async function findMixed(
  engine: Engine,
  { many, one }: Equation,
  types: readonly (string | undefined)[],
): Promise<readonly MixedKey[]> {
  const number = types.find((type) => type !== undefined && /INT|DECIMAL|DOUBLE|FLOAT/.test(type));
  const texts = [many, one][types.indexOf('VARCHAR')];
  if (!texts || number === undefined) return [];
  const [found] = await engine.rows(
    `SELECT text, number FROM (SELECT text, CAST(TRY_CAST(text AS ${number}) AS VARCHAR) AS number
      FROM (SELECT ${texts.value} AS text FROM ${texts.rows})) WHERE text <> number ORDER BY 1 LIMIT 1`,
  );
  return found ? [{ text: String(found[0]), number: String(found[1]) }] : [];
}

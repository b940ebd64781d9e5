import type { JoinCheck, JoinFaults } from '../../../plan/sql/join-check.ts';
import { toJoinFaults } from '../../../plan/sql/join-check.ts';
import { toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import type { Engine } from '../engine/engine.ts';

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
      const { text, parameters } = check.statement;
      const faults =
        ofEngine.get(text) ??
        Promise.all([engine.rows(text, parameters.map(toDuckDbValue)), findMixed(engine, check)]).then(
          ([[row], mixed]) => toJoinFaults(check, row, mixed),
          () => toJoinFaults(check),
        );
      ofEngine.set(text, faults);
      return faults;
    }),
  );
  return {
    repeated: found.flatMap(({ repeated }) => repeated),
    uncounted: found.flatMap(({ uncounted }) => uncounted),
    notes: found.flatMap(({ notes }) => notes),
  };
}

/** Texts that equal a number which is written otherwise, one for each equation that compares texts with numbers. */
async function findMixed(
  engine: Engine,
  { equations }: JoinCheck,
): Promise<readonly { readonly text: string; readonly number: string }[]> {
  const found = await Promise.all(
    equations.map(async (equation) => {
      const sides = [equation.many, equation.one];
      const types = await Promise.all(
        sides.map(async ({ value, rows }) => {
          const [first] = await engine.rows(`SELECT typeof(${value}) FROM ${rows} LIMIT 1`);
          return String(first?.[0]);
        }),
      );
      const number = types.find((type) => /INT|DECIMAL|DOUBLE|FLOAT/.test(type));
      const texts = sides[types.indexOf('VARCHAR')];
      if (!texts || number === undefined) return [];
      const [one] = await engine.rows(
        `SELECT text, number FROM (SELECT text, CAST(TRY_CAST(text AS ${number}) AS VARCHAR) AS number FROM (SELECT ${texts.value} AS text FROM ${texts.rows})) WHERE text <> number ORDER BY 1 LIMIT 1`,
      );
      return one ? [{ text: String(one[0]), number: String(one[1]) }] : [];
    }),
  );
  return found.flat();
}

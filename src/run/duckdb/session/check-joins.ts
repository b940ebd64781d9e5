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
        engine.rows(text, parameters.map(toDuckDbValue)).then(
          ([row]) => toJoinFaults(check, row),
          () => toJoinFaults(check),
        );
      ofEngine.set(text, faults);
      return faults;
    }),
  );
  return {
    repeated: found.flatMap(({ repeated }) => repeated),
    uncounted: found.flatMap(({ uncounted }) => uncounted),
  };
}

import type { Engine } from './engine.ts';

/** Whether DuckDB can read all rows and columns of a relation. */
export function canRead(engine: Engine, relation: string): Promise<boolean> {
  return engine.rows(`SELECT max(hash(whole_row)) FROM (${relation}) AS whole_row`).then(
    () => true,
    () => false,
  );
}

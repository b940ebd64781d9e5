import type { Engine } from '../engine/engine.ts';
import { columnsNamed } from './columns-named.ts';
import type { ExpectedFact } from './recognition.ts';

function anyFilled(columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS VARCHAR) <> ''`).join(' OR ');
}

/**
 * Whether some of the events tell a fact. `version`: of the events, and which of them they are; of the same version
 * nothing is looked for twice, as every window of an export and every question of a session asks for the same facts.
 * `relation`: of the events, with at least the columns that are given. Rejects with DuckDB's own error.
 */
export type FactFinder = (
  fact: ExpectedFact,
  version: string,
  relation: (columns: ReadonlySet<string> | undefined) => string,
) => Promise<boolean>;

/** So many answers are kept: those of old versions are asked for no more. */
const mostKept = 1000;

export function openFactFinder(engine: Engine): FactFinder {
  const kept = new Map<string, Promise<boolean>>();
  const hasSome = async (condition: string, relation: Parameters<FactFinder>[2]) => {
    const shown = columnsNamed(`SELECT 1 FROM events WHERE ${condition}`);
    const text = `SELECT 1 FROM ${relation(shown)} WHERE ${condition} LIMIT 1`;
    const rows = await engine.lightly(() => engine.rows(text));
    return rows.length > 0;
  };
  return (fact, version, relation) => {
    const key = JSON.stringify([fact.field, fact.columns, fact.holds, version]);
    const known = kept.get(key);
    if (known) return known;
    // DuckDB plans a long expression for up to half a second, also where there is nothing to compute it from.
    const finding = hasSome(anyFilled(fact.from ?? fact.columns), relation).then(
      (isPossible) => isPossible && (fact.holds === undefined || hasSome(fact.holds, relation)),
    );
    if (kept.size >= mostKept) kept.clear();
    kept.set(key, finding);
    finding.catch(() => kept.delete(key));
    return finding;
  };
}

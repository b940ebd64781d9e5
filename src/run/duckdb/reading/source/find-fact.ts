import type { Engine } from '../../engine/engine.ts';
import { columnsNamed } from '../columns/columns-named.ts';
import type { ExpectedFact } from '../../../events/expected-facts.ts';

function anyFilled(columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS VARCHAR) <> ''`).join(' OR ');
}

/**
 * Whether some event holds a fact. `version` identifies the events; results are cached by it, because every export
 * window and every question asks for the same facts. `relation` selects the events with at least the given columns.
 * `beside`: facts asked next, which are looked up in the same query; this pays off for few events. Rejects with
 * DuckDB's error.
 */
export type FactFinder = (
  fact: ExpectedFact,
  version: string,
  relation: (columns: ReadonlySet<string> | undefined) => string,
  beside?: readonly ExpectedFact[],
) => Promise<boolean>;

/** Keeps facts about files beyond this process. Facts are small texts. */
export interface FactKeeper {
  /** What was found about exactly these files, whole and unchanged since; else what `find` gives, which is kept. */
  keep(name: string, files: readonly string[], find: () => Promise<string>): Promise<string>;
  /** What was found before about exactly these files; undefined if nothing was, or if they changed. */
  known(name: string, files: readonly string[]): Promise<string | undefined>;
}

/** Maximum number of cached answers. Those of old versions are no longer used. */
const mostKept = 1000;

// Test the plain columns first: DuckDB plans a long expression for up to half a second, even without data.
const possible = ({ from, columns }: ExpectedFact) => anyFilled(from ?? columns);

export function openFactFinder(engine: Engine): FactFinder {
  const kept = new Map<string, Promise<boolean>>();
  const look = async (conditions: readonly string[], relation: Parameters<FactFinder>[2]) => {
    const shown = columnsNamed(`SELECT 1 FROM events WHERE ${conditions.join(' OR ')}`);
    const [first] = conditions;
    const text =
      conditions.length === 1
        ? `SELECT true FROM ${relation(shown)} WHERE ${first} LIMIT 1`
        : `SELECT ${conditions.map((condition) => `bool_or(${condition})`).join(', ')} FROM ${relation(shown)}`;
    const [row = []] = await engine.lightly(() => engine.rows(text));
    return row;
  };
  const hasSome = (
    condition: string,
    version: string,
    relation: Parameters<FactFinder>[2],
    beside: readonly string[] = [],
  ): Promise<boolean> => {
    const keyOf = (one: string) => JSON.stringify([one, version]);
    const known = kept.get(keyOf(condition));
    if (known) return known;
    if (kept.size >= mostKept) kept.clear();
    const conditions = [...new Set([condition, ...beside.filter((one) => !kept.has(keyOf(one)))])];
    const looking = look(conditions, relation);
    const [finding] = conditions.map((one, index) => {
      const found = looking.then((row) => row[index] === true);
      kept.set(keyOf(one), found);
      found.catch(() => kept.delete(keyOf(one)));
      return found;
    });
    return finding!;
  };
  return async (fact, version, relation, beside = []) =>
    (await hasSome(possible(fact), version, relation, beside.map(possible))) &&
    (fact.holds === undefined || hasSome(fact.holds, version, relation));
}

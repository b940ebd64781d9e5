import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import type { Cube, Model } from '../model/model.ts';

/** Alias of a model's own table `events` if its rows become the events. */
export const ownEventsTable = 'events of the model';

/**
 * Renames the model's own table `events` to `path`, because the events made from it use the name `events`. Adds
 * `events-name-taken` if a cube's SQL names that table, because sluice cannot rewrite the SQL.
 */
export function apartFromEvents(model: Model, path: readonly string[] = [ownEventsTable]): Outcome<Model> {
  if (!model.events) return good(model);
  const taken = model.cubes.find((cube) => cube.source.kind === 'sql' && readsEventsTable(cube));
  if (taken) {
    const message =
      `The SQL of the cube "${taken.name}" names "events", ` +
      `the table in which sluice keeps the events of "${model.events.cube}".`;
    return badWith('events-name-taken', message, {
      hint: 'Write `sql_table: events`, or give the table another name.',
    });
  }
  return good({ ...model, cubes: model.cubes.map((cube) => movedAside(cube, path)) });
}

function movedAside(cube: Cube, path: readonly string[]): Cube {
  const { source } = cube;
  return source.kind === 'table' && readsEventsTable(cube) ? { ...cube, source: { ...source, path } } : cube;
}

/** Whether a model's cube reads the table `events`, by its name or in its SQL. */
export function readsEventsTable({ source }: Cube): boolean {
  if (source.kind === 'table') return source.table.toLowerCase() === 'events';
  const named = /\b(from|join)\s+"?events"?(?![\w.])/i;
  return source.kind === 'sql' && source.sql.some((part) => part.kind === 'text' && named.test(part.text));
}

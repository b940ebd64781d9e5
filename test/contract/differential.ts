import type { Result } from '../../src/shape/result/result.ts';
import type { World } from './arbitrary-world.ts';

/**
 * All that must be equal in two answers: values and types, order, marks, and notes. Over files, the embedded engine
 * does not always know the latest time. Only files tell of repeated event IDs: a table keeps each ID once.
 */
export function factsOf(result: Result): unknown {
  const { provenance } = result;
  return {
    columns: result.columns.map(({ key, type }) => [key, type]),
    rows: result.rows(),
    marks: result.columns.map(({ key }) =>
      Array.from({ length: result.rowCount }, (_, row) => result.marks.of(key, row)),
    ),
    told: {
      range: provenance.range,
      rows: provenance.rows,
      filledCells: provenance.filledCells,
      partialBuckets: provenance.partialBuckets,
      truncated: provenance.truncated,
      total: provenance.total,
      uncounted: provenance.uncounted,
      lacking: provenance.lacking,
      // Only the store knows what was removed from it.
      notes: provenance.notes.filter((note) => !note.includes('sluice store prune')),
      freshness: provenance.freshness,
    },
  };
}

/** The answer, or the message of its refusal. */
export async function answerOf(asking: Promise<unknown>): Promise<unknown> {
  try {
    return factsOf((await asking) as Result);
  } catch (error) {
    return { refused: (error as { readonly code?: string }).code ?? String(error), why: String(error) };
  }
}

export function settingsOf(world: World) {
  return {
    now: () => world.now,
    timezone: world.zone,
    weekStart: world.weekStart,
    user: world.user,
    project: world.project,
  };
}

import type { RejectedLine, RejectedLines } from '../backend.ts';
import { mostExamples } from './clean-file.ts';
import type { Engine } from './engine.ts';
import type { EventSource } from './event-source.ts';
import { rowsWithoutTime } from './events-relation.ts';

/** The rows of a cleaned file or a Parquet file that have no readable time, as rejected lines of `path`. */
export async function rejectTimeless(engine: Engine, source: Extract<EventSource, { kind: 'cleaned' | 'parquet' }>, path: string): Promise<RejectedLines> {
  const rows = await engine.rows(`WITH timeless AS (${rowsWithoutTime(source, path)})
    SELECT line, written, (SELECT count(*) FROM timeless) FROM timeless ORDER BY line LIMIT ${mostExamples}`);
  return {
    count: Number(rows[0]?.[2] ?? 0),
    examples: rows.map(([line, written]): RejectedLine => ({ file: path, line: Number(line), reason: reasonOf(written) })),
  };
}

function reasonOf(written: unknown): string {
  if (typeof written !== 'string' || written === '') return 'no time';
  return `a time that cannot be read: ${written.length > 40 ? `${written.slice(0, 39)}…` : written}`;
}

/** Rejections of several files together, the first examples in the files' order. */
export function joinRejected(byFile: ReadonlyMap<string, RejectedLines>, files: readonly string[]): RejectedLines {
  const present = files.flatMap((file) => byFile.get(file) ?? []);
  return {
    count: present.reduce((sum, { count }) => sum + count, 0),
    examples: present.flatMap(({ examples }) => examples).slice(0, mostExamples),
  };
}

/** Two kinds of rejection of one file, in the order of its lines. */
export function mergeRejected(one: RejectedLines, other: RejectedLines): RejectedLines {
  const examples = [...one.examples, ...other.examples].sort((a, b) => a.line - b.line).slice(0, mostExamples);
  return { count: one.count + other.count, examples };
}

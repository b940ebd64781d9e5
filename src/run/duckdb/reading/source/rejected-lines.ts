import type { RejectedLine, RejectedLines } from '../../../backend.ts';
import { sourceName } from '../../../file/source-copy.ts';
import type { Engine } from '../../engine/engine.ts';
import { mostExamples, type Rejection } from './clean-file.ts';
import type { EventSource } from './event-source.ts';
import { rowsInVain } from './events-relation.ts';
import { countFault } from '../columns/row-copies.ts';

/** The invalid rows of a cleaned or Parquet file, as rejected lines of `path`. */
export async function rejectInVain(
  engine: Engine,
  source: Extract<EventSource, { kind: 'cleaned' | 'parquet' }>,
  path: string,
): Promise<RejectedLines> {
  const rows = await engine.rows(`WITH in_vain AS (${rowsInVain(source, path)})
    SELECT line, written, count, (SELECT count(*) FROM in_vain) FROM in_vain ORDER BY record LIMIT ${mostExamples}`);
  const file = sourceName(source.kind === 'parquet' ? (source.original ?? path) : path);
  return {
    count: Number(rows[0]?.[3] ?? 0),
    examples: rows.map(
      ([line, written, count]): RejectedLine => ({ file, line: Number(line), reason: reasonOf(written, count) }),
    ),
  };
}

/** All invalid rows, in order. */
export async function listInVain(
  engine: Engine,
  source: Extract<EventSource, { kind: 'cleaned' | 'parquet' }>,
  path: string,
): Promise<readonly Rejection[]> {
  const rows = await engine.rows(
    `SELECT record, line, written, count FROM (${rowsInVain(source, path)}) ORDER BY record`,
  );
  return rows.map(([record, line, written, count]) => ({
    record: Number(record),
    line: Number(line),
    reason: reasonOf(written, count),
  }));
}

function reasonOf(written: unknown, count: unknown): string {
  if (typeof count === 'string') return countFault(short(count));
  if (typeof written !== 'string' || written === '') return 'no time';
  return `a time that cannot be read: ${short(written)}`;
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** Rejections of several files. The first examples come first in file order. */
export function joinRejected(byFile: ReadonlyMap<string, RejectedLines>, files: readonly string[]): RejectedLines {
  const present = files.flatMap((file) => byFile.get(file) ?? []);
  return {
    count: present.reduce((sum, { count }) => sum + count, 0),
    examples: present.flatMap(({ examples }) => examples).slice(0, mostExamples),
  };
}

/** Combines two kinds of rejections of one file, in line order. */
export function mergeRejected(one: RejectedLines, other: RejectedLines): RejectedLines {
  const examples = [...one.examples, ...other.examples].sort((a, b) => a.line - b.line).slice(0, mostExamples);
  return { count: one.count + other.count, examples };
}

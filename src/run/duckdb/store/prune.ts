import { readStore, type StoreContents } from '../../store/store-contents.ts';
import { demandSegments, missingStore, type Segment, segmentPath } from '../../store/store-manifest.ts';
import { openEngine } from '../engine/engine.ts';
import { explained } from './damaged-segment.ts';
import { openWriter, type WriterOptions } from './open-writer.ts';
import { earlier, rowsOf, segmentColumns } from './segment-columns.ts';
import { writeSegment } from './write-segment.ts';

export interface PruneOptions extends WriterOptions {
  /** Epoch milliseconds, exclusive: an event at this instant stays. */
  readonly before: number;
  /** Counts without changing anything. */
  readonly dryRun?: boolean | undefined;
}

export interface PruneReport {
  readonly removed: number;
  /** Remaining events. */
  readonly events: number;
  /** Segments that were removed whole, and segments that were rewritten. */
  readonly dropped: number;
  readonly rewritten: number;
  readonly dryRun: boolean;
}

/**
 * Removes the events before an instant in one commit. Segments that end before it are dropped, and only segments that
 * span it are rewritten. The store still knows which files were loaded. Errors: `store-not-found`, and those of
 * `openWriter`.
 */
export async function pruneStore(options: PruneOptions): Promise<PruneReport> {
  const store = await readStore(options.folder);
  if (!store) throw missingStore(options.folder);
  if (options.dryRun) return countPruned(store, options);
  await using writer = await openWriter(options);
  const { manifest } = writer;
  const plan = divide(manifest.segments, options.before);
  try {
    await demandSegments(writer.folder, { ...manifest, segments: plan.cut });
    const rewritten: Segment[] = [];
    for (const segment of plan.cut) {
      const path = segmentPath(writer.folder, segment);
      const written = await writeSegment(
        writer,
        `SELECT ${segmentColumns.join(', ')} FROM ${rowsOf([path])} WHERE NOT (${earlier(options.before)})`,
        { paths: [path], rows: segment.rows },
      );
      if (written) rewritten.push(written);
    }
    const segments = [...plan.after, ...rewritten].sort((one, other) => one.first - other.first);
    const removed = rowsIn(manifest.segments) - rowsIn(segments);
    const pruned = Math.max(options.before, manifest.pruned ?? -Infinity);
    if (removed > 0) await writer.commit({ segments, sources: writer.sources, removes: true, pruned });
    return {
      removed,
      events: rowsIn(segments),
      dropped: plan.before.length,
      rewritten: rewritten.length,
      dryRun: false,
    };
  } catch (error) {
    throw await explained(writer, error);
  }
}

async function countPruned(
  { folder, segments }: StoreContents,
  { before, threads, memoryLimit }: PruneOptions,
): Promise<PruneReport> {
  const plan = divide(segments, before);
  let removed = rowsIn(plan.before);
  if (plan.cut.length > 0) {
    await using engine = await openEngine({ threads, memoryLimit });
    const [row] = await engine.rows(
      `SELECT count(*) FROM ${rowsOf(plan.cut.map((segment) => segmentPath(folder, segment)))} WHERE ${earlier(before)}`,
    );
    removed += Number(row?.[0]);
  }
  return {
    removed,
    events: rowsIn(segments) - removed,
    dropped: plan.before.length,
    rewritten: plan.cut.length,
    dryRun: true,
  };
}

function divide(segments: readonly Segment[], instant: number) {
  return {
    before: segments.filter(({ last }) => last < instant),
    cut: segments.filter(({ first, last }) => first < instant && last >= instant),
    after: segments.filter(({ first }) => first >= instant),
  };
}

function rowsIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { checkSample } from '../../run/sample/check-sample.ts';
import { usualSample } from '../../run/sample/sample-events.ts';
import { writeSample } from '../../run/sample/write-sample.ts';
import { samplePath } from '../workspace/with-sample.ts';
import { isThere } from '../../run/file/is-there.ts';

export interface SampleRequest {
  /** Number of events; 50,000 by default. */
  readonly events?: number | undefined;
  /** Whole number from 0; the same seed gives the same events. 1 by default. */
  readonly seed?: number | undefined;
  /** Number of days; 90 by default, or one for each event. */
  readonly days?: number | undefined;
  /** The last day, `YYYY-MM-DD`; 2026-10-20 by default. */
  readonly to?: string | undefined;
  /** Names of the columns; `documentation` by default. */
  readonly vocabulary?: 'documentation' | 'newer' | 'snowplow' | undefined;
  /**
   * The file to write: .parquet, .arrow, .ndjson, .json or .csv, the last three also with .gz or .zst. By default a
   * file in the workspace's folder `.sluice/sample`, where questions find it.
   */
  readonly file?: string | undefined;
  /** Do nothing if the file exists. */
  readonly ifMissing?: boolean | undefined;
  /** Told how many events are written. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

/** The sample events that were written. */
export interface MadeSample {
  /** Absolute. */
  readonly file: string;
  /** Number of events in the file. */
  readonly events: number;
  /** Number of days that the events cover. */
  readonly days: number;
  /** The last day, `YYYY-MM-DD`. */
  readonly to: string;
  /** False: the file exists already, and nothing was done. */
  readonly written: boolean;
}

/** The defaults of a sample. */
export const sampleDefaults = { events: 50_000, seed: 1, to: '2026-10-20', vocabulary: 'documentation' } as const;

/**
 * Writes events of an invented web shop; the same request gives the same bytes. Throws `InvalidInputError` with
 * everything that is wrong with it, `AbortedError`, and what writing throws.
 */
export async function makeSample(
  { root, cwd, signal }: { readonly root: string; readonly cwd: string; readonly signal?: AbortSignal | undefined },
  request: SampleRequest,
): Promise<MadeSample> {
  const { events = sampleDefaults.events, seed = sampleDefaults.seed, to = sampleDefaults.to } = request;
  const { vocabulary = sampleDefaults.vocabulary, days = Math.max(1, Math.min(usualSample.days, events)) } = request;
  const sample = { seed, events, days, to, vocabulary };
  checkSample(sample);
  const file = request.file === undefined ? samplePath(root, to) : path.resolve(cwd, request.file);
  const made = { file, events, days, to };
  if (request.ifMissing && (await isThere(file))) return { ...made, written: false };
  if (request.file === undefined) await mkdir(path.dirname(file), { recursive: true });
  const write = /\.arrow$/i.test(file) ? (await import('./write-sample-arrow.ts')).writeSampleArrow : writeSample;
  await write({ ...sample, onProgress: request.onProgress }, file, signal);
  return { ...made, written: true };
}

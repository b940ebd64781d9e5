import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { checkSample } from '../../run/sample/check-sample.ts';
import { usualSample } from '../../run/sample/sample-events.ts';
import { writeSample } from '../../run/sample/write-sample.ts';
import { samplePath } from '../workspace/with-sample.ts';
import { isThere } from '../../run/file/is-there.ts';

export interface SampleRequest {
  /** Number of events. Defaults to 50,000. */
  readonly events?: number | undefined;
  /** Whole number from 0. The same seed produces the same events. Defaults to 1. */
  readonly seed?: number | undefined;
  /** Number of days. Defaults to 90, or to the number of events if that is lower. */
  readonly days?: number | undefined;
  /** Last day, `YYYY-MM-DD`. Defaults to 2026-10-20. */
  readonly to?: string | undefined;
  /** Naming scheme of the columns. Defaults to `documentation`. */
  readonly vocabulary?: 'documentation' | 'newer' | 'snowplow' | undefined;
  /**
   * The file to write: .parquet, .arrow, .ndjson, .json or .csv; the last three also with .gz or .zst. Defaults to a
   * file in the folder `.sluice/sample` of the workspace, where questions find it.
   */
  readonly file?: string | undefined;
  /** Does nothing if the file exists. */
  readonly ifMissing?: boolean | undefined;
  /** Called with the number of events written so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

/** The sample file. */
export interface MadeSample {
  /** Absolute path. */
  readonly file: string;
  /** Number of events in the file. */
  readonly events: number;
  /** Number of days that the events cover. */
  readonly days: number;
  /** Last day, `YYYY-MM-DD`. */
  readonly to: string;
  /** False if the file existed and was kept. */
  readonly written: boolean;
}

/** Default options of a sample. */
const sampleDefaults = { events: 50_000, seed: 1, to: '2026-10-20', vocabulary: 'documentation' } as const;

/**
 * Writes events of an invented web shop. The same request produces the same bytes. Throws `InvalidInputError` with
 * every invalid option, `AbortedError`, and errors of writing.
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

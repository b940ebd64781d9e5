import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { day } from '../../ask/time/granularity.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { noteLook } from '../../run/looks.ts';
import type { OpenedSettings } from '../config/open-settings.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { storeToAsk } from './store-to-ask.ts';

/** Sample events that `sluice sample` made in the workspace. */
interface SampleFile {
  /** Absolute path. */
  readonly path: string;
  /** Last day of its events, `YYYY-MM-DD`. */
  readonly to: string;
}

/** The folder of the sample events of a workspace. */
function sampleFolder(root: string): string {
  return path.join(root, '.sluice', 'sample');
}

/** Path of a sample. The name contains the last day, from which questions derive the reference time. */
export function samplePath(root: string, to: string): string {
  return path.join(sampleFolder(root), `events-to-${to}.parquet`);
}

/** Finds the sample events of the workspace, those with the latest day if there are several. */
export async function findSample(root: string): Promise<SampleFile | undefined> {
  const folder = sampleFolder(root);
  noteLook(folder);
  const files = await readdir(folder).catch(() => []);
  const samples = files.flatMap((file) => {
    const to = /^events-to-(\d{4}-\d\d-\d\d)\.parquet$/.exec(file)?.[1];
    return to === undefined ? [] : [{ path: path.join(folder, file), to }];
  });
  return samples.sort((a, b) => (a.to < b.to ? -1 : 1)).at(-1);
}

interface Sampled {
  readonly settings: Settings;
  /** The day after the last sample event, epoch milliseconds; undefined if no sample is used. */
  readonly asOf?: number | undefined;
  /** A note for people. */
  readonly note?: string | undefined;
}

/** Adds the workspace's sample events to settings without data. */
export async function withSample({ root, settings }: OpenedSettings, cwd: string): Promise<Sampled> {
  const asksSample =
    settings.backend.value === 'embedded' &&
    settings.events.value.length === 0 &&
    settings.model.value === undefined &&
    Object.keys(settings.tables.value).length === 0;
  // Errors of the store are reported when it is queried.
  const store = asksSample ? await storeToAsk(settings).catch(() => settings.store.value) : undefined;
  const sample = asksSample && store === undefined ? await findSample(root) : undefined;
  if (!sample) return { settings };
  const asOf = Date.parse(`${sample.to}T00:00:00Z`) + day;
  return {
    settings: { ...settings, events: { value: [sample.path], origin: 'sample events of the workspace' } },
    asOf,
    note:
      'No events are configured. ' +
      `Using the sample events in ${showPath(sample.path, cwd)}, as of ${writeUtc(asOf).slice(0, 10)}.`,
  };
}

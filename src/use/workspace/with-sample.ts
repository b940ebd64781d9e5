import { day } from '../../ask/time/granularity.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { OpenedSettings } from '../config/open-settings.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { findSample } from './sample-files.ts';
import { storeToAsk } from './store-to-ask.ts';

export interface Sampled {
  readonly settings: Settings;
  /** The day after the last sample event, epoch milliseconds; undefined if no sample is used. */
  readonly asOf?: number | undefined;
  /** For people. */
  readonly note?: string | undefined;
}

/** The settings with the workspace's sample events if they name no data. */
export async function withSample({ root, settings }: OpenedSettings, cwd: string): Promise<Sampled> {
  const asksSample =
    settings.backend.value === 'embedded' &&
    settings.events.value.length === 0 &&
    settings.model.value === undefined &&
    Object.keys(settings.tables.value).length === 0;
  // A store that cannot be asked is told by whoever asks it.
  const store = asksSample ? await storeToAsk(settings).catch(() => settings.store.value) : undefined;
  const sample = asksSample && store === undefined ? await findSample(root) : undefined;
  if (!sample) return { settings };
  const asOf = Date.parse(`${sample.to}T00:00:00Z`) + day;
  return {
    settings: { ...settings, events: { value: [sample.path], origin: 'sample events of the workspace' } },
    asOf,
    note: `No events are configured. Using the sample events in ${showPath(sample.path, cwd)}, as of ${writeUtc(asOf).slice(0, 10)}.`,
  };
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { LocalBackend } from '../../run/backend.ts';
import { openDataIdentity } from '../../run/kept/data-identity.ts';
import type { FactKeeper } from '../../run/duckdb/reading/source/find-fact.ts';
import { openFactKeeper } from '../../run/kept/keep-facts.ts';
import { keepAnswers, type KeepingBackend } from '../../run/kept/keep-answers.ts';
import { openKeptFiles } from '../../run/kept/kept-files.ts';
import type { Settings } from '../config/settings.ts';
import { storeToAsk } from './store-to-ask.ts';
import { build, version } from './version.ts';
import { noteLook } from '../../run/looks.ts';

/** The embedded backend with a cache of answers for unchanged data. */
export async function openKept(
  settings: Settings,
  clock: () => number,
  open: (facts: FactKeeper) => Promise<LocalBackend>,
): Promise<KeepingBackend> {
  const store = await storeToAsk(settings);
  const files = openKeptFiles({ folder: settings.answers.value, now: clock });
  const circumstances = await circumstancesOf(settings);
  return keepAnswers({
    open: () => open(openFactKeeper(files, circumstances, clock)),
    now: clock,
    identity: openDataIdentity({ events: settings.events.value, store, now: clock }),
    files,
    circumstances,
  });
}

/** Keeps facts about the files, for as long as all else stays the same. */
export async function openFacts(settings: Settings, clock: () => number): Promise<FactKeeper> {
  const files = openKeptFiles({ folder: settings.answers.value, now: clock });
  return openFactKeeper(files, await circumstancesOf(settings), clock);
}

/** All that answers depend on beside the data and the question. */
async function circumstancesOf(settings: Settings): Promise<string> {
  const { events, columns, decimal, preset, sources, encoding, user } = settings;
  return JSON.stringify([
    version,
    // When sluice runs from source, its code can change between two runs.
    build ?? [process.pid, performance.timeOrigin],
    await engineVersion(),
    process.versions.tz,
    process.versions.icu,
    process.versions.v8,
    ...[events, columns, decimal, preset, sources, encoding, user].map(({ value }) => value ?? null),
  ]);
}

/** Version of the engine's package, read without loading the package. */
async function engineVersion(): Promise<string> {
  const file = createRequire(import.meta.url).resolve('@duckdb/node-api/package.json');
  noteLook(file);
  return (JSON.parse(await readFile(file, 'utf8')) as { readonly version: string }).version;
}

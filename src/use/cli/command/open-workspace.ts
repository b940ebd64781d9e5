import { day } from '../../../ask/time/granularity.ts';
import { writeUtc } from '../../../ask/time/local-time.ts';
import type { Engine } from '../../../run/duckdb/engine/engine.ts';
import {
  type OpenedSettings,
  openSettings,
  type ReadSettings,
  readSettings,
  type SettingSources,
} from '../../config/open-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { type Present, readAsOf } from '../../process/read-as-of.ts';
import { showPath } from '../../process/show-path.ts';
import { findSample } from '../../sample/sample-files.ts';
import { openModelOf } from '../../workspace/open-model.ts';
import type { RemoteSurroundings } from '../../workspace/open-remote.ts';
import { unwrap } from '../../workspace/refuse.ts';
import { openSession, type Session } from '../../workspace/session.ts';
import { storeToAsk } from '../../workspace/store-to-ask.ts';
import { toReporter } from './narrate.ts';
import { withStdinSettings } from './spool-stdin.ts';
import { downloadTeller, holdupTeller } from './tell-wait.ts';

/** A session for a command, with the workspace that it works in. */
export interface OpenedWorkspace extends OpenedSettings {
  readonly session: Session;
}

/** What is there already when a workspace is opened. */
interface WorkspaceParts {
  /** An engine that is starting. */
  readonly engine?: Promise<Engine> | undefined;
  /** The settings under the same flags. */
  readonly opened?: OpenedSettings | undefined;
}

/** Flags and environment of a command as settings. Errors: as `openSettings`. */
export async function openCommandSettings(flags: GlobalFlags, effects: Effects): Promise<OpenedSettings> {
  const opened = await openSettings(sourcesOf(flags, effects));
  return { ...opened, settings: await withStdinSettings(opened.settings, effects) };
}

/** The same, as far as they can be used. */
export function readCommandSettings(flags: GlobalFlags, effects: Effects): Promise<ReadSettings> {
  return readSettings(sourcesOf(flags, effects));
}

function sourcesOf(flags: GlobalFlags, effects: Effects): SettingSources {
  return {
    cwd: effects.cwd,
    env: effects.env,
    configFile: flags.config,
    nameOf: (flag) => `flag --${flag}`,
    flags: {
      backend: flags.backend,
      events: flags.events,
      encoding: flags.encoding,
      map: flags.map,
      preset: flags.preset,
      store: flags.store,
      host: flags.host,
      project: flags.project,
      wait: flags.wait,
      memory: flags.memory,
    },
  };
}

/**
 * Opens what a command needs to ask questions. Where no events are named, the workspace's sample events are taken, and
 * the day after their last one is the present; that is said.
 */
export async function openWorkspace(
  flags: GlobalFlags,
  effects: Effects,
  { engine, opened: known }: WorkspaceParts = {},
): Promise<OpenedWorkspace> {
  const voice = toReporter(flags, effects);
  const opened = known ?? (await openCommandSettings(flags, effects));
  for (const warning of opened.warnings) await voice.note(warning);
  const sampled = await withSample(opened, effects.cwd);
  const now = presentOf(flags, effects) ?? (sampled.asOf === undefined ? effects.now : () => sampled.asOf as number);
  if (sampled.note !== undefined) await voice.note(sampled.note);
  const warnings: string[] = [];
  const remote = remoteSurroundings(flags, effects, opened.root);
  const model = await openModelOf(sampled.settings, {
    ...remote,
    cwd: effects.cwd,
    now: effects.now,
    signal: effects.signal,
    warn: (text) => warnings.push(text),
  });
  for (const warning of warnings) await voice.note(warning);
  const session = openSession({ ...model, remote, settings: sampled.settings, cwd: effects.cwd, engine, now });
  return { ...opened, settings: sampled.settings, session };
}

/** What a remote backend of a command needs to know of the world. */
export function remoteSurroundings(flags: GlobalFlags, effects: Effects, root: string): RemoteSurroundings {
  const voice = toReporter(flags, effects);
  return {
    env: effects.env,
    root,
    trace: flags.verbose ? (line: string) => void voice.detail(line) : undefined,
    onHoldup: holdupTeller(voice, effects),
    onDownload: downloadTeller(flags, effects),
    signal: effects.signal,
  };
}

/** The present that the flags or the environment name; undefined: the clock's. */
export function presentOf(flags: GlobalFlags, effects: Pick<Effects, 'env'>): Present | undefined {
  const source = flags.asOf === undefined ? 'SLUICE_AS_OF' : '--as-of';
  const text = flags.asOf ?? (effects.env['SLUICE_AS_OF'] || undefined);
  if (text === undefined) return undefined;
  return unwrap(readAsOf(text, source), 'The present');
}

interface Sampled {
  readonly settings: Settings;
  readonly asOf?: number;
  readonly note?: string;
}

/** Sample events of the workspace instead, where no data is named. */
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

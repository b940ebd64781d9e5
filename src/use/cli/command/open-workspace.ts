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
import type { RemoteSurroundings } from '../../workspace/open-remote.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Session } from '../../workspace/session.ts';
import { openWorkspaceOf, type Workspace } from '../../workspace/workspace.ts';
import { toReporter } from './reporter.ts';
import { downloadTeller, retryTeller } from './wait-notices.ts';

/** A session for a command, with the workspace that it works in. */
export interface OpenedWorkspace extends Workspace {
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

/** The settings with data of standard input, `-`, in a file. */
async function withStdinSettings(settings: Settings, effects: Effects): Promise<Settings> {
  const named = [settings.events.value, ...Object.values(settings.tables.value)];
  if (!named.some((files) => files.includes('-'))) return settings;
  return (await import('./stdin-files.ts')).spoolSettings(settings, effects);
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
      cache: flags.cache === false ? false : undefined,
      knownAt: flags.knownAt,
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
  const workspace = await openCommandWorkspace(flags, effects, known);
  const session = await workspace.openSession(engine);
  return { ...workspace, settings: session.settings, session };
}

/** The workspace of a command. Errors: as `openSettings`. */
export function openCommandWorkspace(
  flags: GlobalFlags,
  effects: Effects,
  opened?: OpenedSettings,
): Promise<Workspace> {
  const { env: _env, root: _root, ...remote } = remoteSurroundings(flags, effects, '');
  return openWorkspaceOf(
    {
      ...sourcesOf(flags, effects),
      asOf: presentOf(flags, effects),
      clock: effects.now,
      signal: effects.signal,
      remote,
      note: toReporter(flags, effects).note,
      convert: (settings) => withStdinSettings(settings, effects),
    },
    opened,
  );
}

/** What a remote backend of a command needs to know of the world. */
export function remoteSurroundings(flags: GlobalFlags, effects: Effects, root: string): RemoteSurroundings {
  const voice = toReporter(flags, effects);
  return {
    env: effects.env,
    root,
    trace: flags.verbose ? (line: string) => void voice.detail(line) : undefined,
    onHoldup: retryTeller(voice, effects),
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

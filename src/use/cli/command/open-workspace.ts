import { usageError } from '../../../ask/sluice-error.ts';
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

/** A command's session with its workspace. */
export interface OpenedWorkspace extends Workspace {
  readonly session: Session;
}

/** Parts that exist before the workspace is opened. */
interface WorkspaceParts {
  /** An engine that is already starting. */
  readonly engine?: Promise<Engine> | undefined;
  /** Settings read under the same flags. */
  readonly opened?: OpenedSettings | undefined;
}

/** The settings from the flags and environment of a command. Errors: as `openSettings`. */
export async function openCommandSettings(flags: GlobalFlags, effects: Effects): Promise<OpenedSettings> {
  const opened = await openSettings(sourcesOf(flags, effects));
  return { ...opened, settings: await withStdinSettings(opened.settings, effects) };
}

/** Spools data from standard input, `-`, to a file. */
async function withStdinSettings(settings: Settings, effects: Effects): Promise<Settings> {
  const named = [settings.events.value, ...Object.values(settings.tables.value)];
  if (!named.some((files) => files.includes('-'))) return settings;
  return (await import('./stdin-files.ts')).spoolSettings(settings, effects);
}

/** The settings, with faults instead of errors. */
export function readCommandSettings(flags: GlobalFlags, effects: Effects): Promise<ReadSettings> {
  return readSettings(sourcesOf(flags, effects));
}

function sourcesOf(flags: GlobalFlags, effects: Effects): SettingSources {
  if (flags.events !== undefined && flags.store !== undefined)
    throw usageError('--events and --store both name the events of the question.', 'Specify one of them.');
  if (flags.events !== undefined && flags.backend !== undefined && flags.backend !== 'embedded')
    throw usageError(
      `--events names files, which --backend ${flags.backend} does not read.`,
      'Omit --backend, or specify --backend embedded.',
    );
  return {
    cwd: effects.cwd,
    env: effects.env,
    configFile: flags.config,
    nameOf: (flag) => `flag --${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    flags: {
      backend: flags.backend,
      events: flags.events,
      encoding: flags.encoding,
      map: flags.map,
      preset: flags.preset,
      store: flags.store,
      timezone: flags.timezone,
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
 * Opens a session for questions. Without configured events, uses the workspace's sample events, with the day after the
 * last one as reference time, and says so.
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

/** The same for commands that open no session, which would tell the warnings of the configuration. */
export async function openWarnedWorkspace(flags: GlobalFlags, effects: Effects): Promise<Workspace> {
  const workspace = await openCommandWorkspace(flags, effects);
  for (const warning of workspace.warnings) await workspace.note(warning);
  return workspace;
}

/** The surroundings of a command's remote backend. */
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

/** The reference time of the flags or the environment; undefined to use the clock. */
function presentOf(flags: GlobalFlags, effects: Pick<Effects, 'env'>): Present | undefined {
  const source = flags.asOf === undefined ? 'SLUICE_AS_OF' : '--as-of';
  const text = flags.asOf ?? (effects.env['SLUICE_AS_OF'] || undefined);
  if (text === undefined) return undefined;
  return unwrap(readAsOf(text, source), 'The present');
}

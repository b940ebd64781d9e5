import type { Engine } from '../../run/duckdb/engine/engine.ts';
import { type OpenedSettings, openSettings, type SettingSources } from '../config/open-settings.ts';
import type { Environment } from '../config/read-environment.ts';
import type { SettingFlags } from '../config/read-flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Present } from '../process/read-as-of.ts';
import { openDownload } from './open-download.ts';
import { openModelOf } from './open-model.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { openSession, type Session } from './session.ts';
import type { Proposed, Proposing } from './with-proposed-columns.ts';
import { withSample } from './with-sample.ts';

interface WorkspaceSources extends SettingSources {
  /** The caller's reference time. */
  readonly asOf?: Present | undefined;
  /** Epoch milliseconds. Used as reference time if the caller passes none and no sample is used. */
  readonly clock: () => number;
  readonly remote: Omit<RemoteSurroundings, 'env' | 'root'>;
  readonly signal?: AbortSignal | undefined;
  /** Receives warnings of the configuration and the model, and the note that sample events are used. */
  readonly note: (text: string) => void | Promise<void>;
  /** Changes settings before use, for data that must first be written to files. */
  readonly convert?: ((settings: Settings) => Promise<Settings>) | undefined;
  /** Row limit of queries without one; see `openSession`. */
  readonly limits?: 'none' | undefined;
}

/** A workspace: its settings and dependencies. The command line and the library pass it to the same functions. */
export interface Workspace extends OpenedSettings {
  /** Absolute path that relative paths of a caller start from. */
  readonly cwd: string;
  readonly env: Environment;
  /** The machine's clock in epoch milliseconds. */
  readonly clock: () => number;
  /** The caller's reference time; undefined: that of the sample, or the clock's. */
  readonly asOf: Present | undefined;
  readonly remote: RemoteSurroundings;
  readonly signal: AbortSignal | undefined;
  readonly note: (text: string) => void | Promise<void>;
  /** The flags or options that the settings come from. */
  readonly flags: SettingFlags;
  /** The workspace with other settings. */
  readonly reopen: (flags: SettingFlags) => Promise<Workspace>;
  /** The workspace with another reference time or signal. */
  readonly at: (asOf: Present | undefined, signal?: AbortSignal) => Workspace;
  /**
   * Opens a session for questions. If no data are configured, uses the workspace's sample events with the day after the
   * last event as reference time, and says so in a note. Throws as `openModelOf`.
   */
  readonly openSession: (engine?: Promise<Engine>) => Promise<Session>;
}

/** Opens a workspace. `opened` are settings that are already open. Throws as `openSettings`. */
export async function openWorkspaceOf(sources: WorkspaceSources, opened?: OpenedSettings): Promise<Workspace> {
  const read = opened ?? (await openSettings(sources));
  const settings = opened || !sources.convert ? read.settings : await sources.convert(read.settings);
  return toWorkspace(sources, { ...read, settings });
}

function toWorkspace(sources: WorkspaceSources, read: OpenedSettings): Workspace {
  const { cwd, env, clock, note, asOf, signal, limits } = sources;
  const remote: RemoteSurroundings = { ...sources.remote, env, root: read.root };
  return {
    ...read,
    cwd,
    env,
    clock,
    asOf,
    remote,
    signal,
    note,
    flags: sources.flags,
    reopen: (flags) => openWorkspaceOf({ ...sources, flags: { ...sources.flags, ...flags } }),
    at: (present, until = signal) =>
      toWorkspace({ ...sources, asOf: present, signal: until, remote: { ...sources.remote, signal: until } }, read),
    async openSession(engine) {
      for (const warning of read.warnings) await note(warning);
      const sampled = await withSample(read, cwd);
      if (sampled.note !== undefined) await note(sampled.note);
      const download = openDownload(sampled.settings, remote);
      const proposing = { cwd, download, clock, engine };
      const propose = () => withFileColumns(sampled.settings, sources.flags, { ...proposing, engine: undefined });
      const { settings, notes } = await withFileColumns(sampled.settings, sources.flags, proposing);
      const warnings: string[] = [];
      const model = await openModelOf(settings, {
        ...remote,
        cwd,
        now: clock,
        signal,
        warn: (text) => warnings.push(text),
      });
      for (const warning of warnings) await note(warning);
      const now = asOf ?? (sampled.asOf === undefined ? clock : () => sampled.asOf as number);
      return openSession({
        ...model,
        remote: { ...remote, download },
        settings,
        cwd,
        engine,
        now,
        limits,
        clock,
        notes,
        propose,
      });
    },
  };
}

/**
 * Settings in which files that a flag or an option names have columns, if their names are unknown and nothing maps
 * them. Files of the configuration need a mapping there: a new column in them must not change what its questions mean.
 */
export async function withFileColumns(
  settings: Settings,
  flags: Pick<SettingFlags, 'events'>,
  proposing: Proposing,
): Promise<Proposed> {
  const { backend, columns, preset, events } = settings;
  const isUnmapped =
    flags.events !== undefined &&
    backend.value === 'embedded' &&
    events.value.length > 0 &&
    preset.value === undefined &&
    Object.keys(columns.value).length === 0;
  if (!isUnmapped) return { settings, notes: [] };
  const { withProposedColumns } = await import('./with-proposed-columns.ts');
  return withProposedColumns(settings, proposing);
}

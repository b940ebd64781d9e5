import type { Engine } from '../../run/duckdb/engine/engine.ts';
import { type OpenedSettings, openSettings, type SettingSources } from '../config/open-settings.ts';
import type { Environment } from '../config/read-environment.ts';
import type { SettingFlags } from '../config/read-flags.ts';
import type { Settings } from '../config/settings.ts';
import type { Present } from '../process/read-as-of.ts';
import { openModelOf } from './open-model.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { openSession, type Session } from './session.ts';
import { withSample } from './with-sample.ts';

export interface WorkspaceSources extends SettingSources {
  /** The reference time that the caller names. */
  readonly asOf?: Present | undefined;
  /** Epoch milliseconds. The reference time if the caller names none and no sample is used. */
  readonly clock: () => number;
  readonly remote: Omit<RemoteSurroundings, 'env' | 'root'>;
  readonly signal?: AbortSignal | undefined;
  /** Takes warnings of the configuration and the model, and the note that sample events are used. */
  readonly note: (text: string) => void | Promise<void>;
  /** Changes settings before they are used: data that are no files yet. */
  readonly convert?: ((settings: Settings) => Promise<Settings>) | undefined;
  /** The rows of a query without a limit; see `openSession`. */
  readonly limits?: 'none' | undefined;
}

/**
 * A workspace: its settings, and what its functions may know of the world. The command line and the library call the
 * same functions with it.
 */
export interface Workspace extends OpenedSettings {
  /** Absolute path: relative paths that a caller gives start there. */
  readonly cwd: string;
  readonly env: Environment;
  /** Epoch milliseconds of the machine. */
  readonly clock: () => number;
  /** The reference time that the caller names; undefined: that of the sample, or the clock's. */
  readonly asOf: Present | undefined;
  readonly remote: RemoteSurroundings;
  readonly signal: AbortSignal | undefined;
  readonly note: (text: string) => void | Promise<void>;
  /** The flags or options that the settings were opened with. */
  readonly flags: SettingFlags;
  /** The same workspace under other settings. */
  readonly reopen: (flags: SettingFlags) => Promise<Workspace>;
  /** The same settings at another reference time, or under another signal. */
  readonly at: (asOf: Present | undefined, signal?: AbortSignal) => Workspace;
  /**
   * What questions are asked with. If the settings name no data, the workspace's sample events are used, and the day
   * after the last of them is the reference time; that is noted. Errors: those of `openModelOf`.
   */
  readonly openSession: (engine?: Promise<Engine>) => Promise<Session>;
}

/** Opens the settings of a workspace; `opened`: if they are open already. Errors: those of `openSettings`. */
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
      const warnings: string[] = [];
      const model = await openModelOf(sampled.settings, {
        ...remote,
        cwd,
        now: clock,
        signal,
        warn: (text) => warnings.push(text),
      });
      for (const warning of warnings) await note(warning);
      const now = asOf ?? (sampled.asOf === undefined ? clock : () => sampled.asOf as number);
      return openSession({ ...model, remote, settings: sampled.settings, cwd, engine, now, limits, clock });
    },
  };
}

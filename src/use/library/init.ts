import path from 'node:path';
import { AbortedError, BackendError, type SluiceError } from '../../ask/sluice-error.ts';
import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { InitBackend, UsageGroup } from '../setup/answers.ts';
import type { Finding } from '../setup/check.ts';
import type { UnmappedFile } from '../setup/proposed-columns.ts';
import type { Tried } from '../setup/set-up.ts';
import { inCode } from './option-wording.ts';

/** How to read the access token of a server. The token is never written to the configuration. */
interface TokenPlace {
  readonly tokenFile?: string | undefined;
  /** A command that prints the token. */
  readonly tokenCommand?: string | undefined;
}

/**
 * Settings of the new workspace. By default, sluice looks for event files in the folder and uses the machine's time
 * zone.
 */
export interface InitOptions {
  /** The folder to set up. Defaults to the current folder. Relative paths start here. */
  readonly workspace?: string | undefined;
  /** The configuration file to write. Defaults to `sluice.yaml` in the workspace. */
  readonly config?: string | undefined;
  /** Defaults to the server configured below, or to `embedded`. */
  readonly backend?: InitBackend | undefined;
  /** Event files: paths or glob patterns. Defaults to those in the folder, or to its store. */
  readonly events?: string | readonly string[] | undefined;
  /** Maps fields of events to columns of the files: `{utcTime: 'happened', userId: 'who'}`. */
  readonly columns?: Mapping['columns'] | undefined;
  /** The platform to query: its `url`, a `project` by ID or path, and its token. */
  readonly platform?: (TokenPlace & { readonly url: string; readonly project: string | number }) | undefined;
  /** The Cube deployment to query: the `url` of its API, and its token. */
  readonly cube?: (TokenPlace & { readonly url: string }) | undefined;
  /** Only use events of this project. */
  readonly project?: string | number | undefined;
  /** Time zone of days (IANA name). */
  readonly timezone?: string | undefined;
  /** Groups of projects for the usage report. */
  readonly groups?: readonly UsageGroup[] | undefined;
  /**
   * Called with the mapping that sluice proposes for a file of unknown columns. Return true to accept it. By default,
   * such files are refused.
   */
  readonly onUnmapped?: ((unmapped: UnmappedFile) => boolean | Promise<boolean>) | undefined;
  /** Writes the workspace even if a check fails, and replaces an existing configuration. */
  readonly force?: boolean | undefined;
  /** Environment variables with tokens and proxies. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Returns the current time in milliseconds since 1970. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The workspace that `init` set up. All paths are absolute. */
export interface InitAnswer {
  /** The folder of the configuration: `open({workspace: root})`. */
  readonly root: string;
  /** The configuration file. */
  readonly config: string;
  /** Files that were written, the configuration first. */
  readonly written: readonly string[];
  /** Files that existed and were not changed. */
  readonly kept: readonly string[];
  /** Names of the saved queries that the events can answer: `s.query(queries[0])`. */
  readonly queries: readonly string[];
  /** Results of the checks; with `force`, including failures. */
  readonly findings: readonly Finding[];
}

/**
 * Sets up a workspace: checks the answers, then writes `sluice.yaml`, some saved queries and a report, as `sluice init`
 * does. Nothing is written if a check fails. Throws `ConfigError` (`config-exists`, `invalid-config`), the error of the
 * failed check (`BackendError` `events-not-found`, `unreachable`, `token-missing`, …), and `InvalidInputError` if an
 * option is not valid, or if a file has unknown columns and `onUnmapped` does not accept the proposed mapping.
 */
export async function init(options: InitOptions = {}): Promise<InitAnswer> {
  const [
    { checkOptions },
    { columnsIn },
    { fromFolder },
    around,
    proposed,
    setUp,
    { refuseExisting },
    { refuseUnmapped },
    { tellOfProcess },
  ] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../../plan/mapping/propose-mapping.ts'),
    import('../setup/answers.ts'),
    import('../setup/look-around.ts'),
    import('../setup/proposed-columns.ts'),
    import('../setup/set-up.ts'),
    import('../setup/write-workspace.ts'),
    import('./store.ts'),
    import('../process/this-process.ts'),
  ]);
  checkOptions('init', options);
  tellOfProcess();
  const { workspace = '.', config = 'sluice.yaml', env = process.env, force = false } = options;
  const { platform, cube, backend = platform ? 'platform' : cube ? 'cube' : 'embedded' } = options;
  const { signal = new AbortController().signal, onUnmapped } = options;
  if (signal.aborted) throw new AbortedError(signal.reason);
  const cwd = path.resolve(workspace);
  const place = { config: path.resolve(cwd, config), cwd, env, now: options.now ?? Date.now, signal };
  try {
    await refuseExisting(place.config, force, (file) => file);
    const offered = around.toOffered(await around.lookAround(place));
    const server = backend === 'platform' ? platform : backend === 'cube' ? cube : undefined;
    const events =
      backend !== 'embedded' ? undefined : options.events === undefined ? offered.events : [options.events].flat();
    const unmapped = options.columns ? undefined : await proposed.proposeColumns(events, undefined, place);
    if (unmapped && !(await onUnmapped?.(unmapped))) throw refuseUnmapped(unmapped);
    const timezone = options.timezone ?? offered.timezone;
    const tried = await setUp.tryAnswers(
      {
        ...fromFolder({ events, token: toToken(server), groups: options.groups ?? [] }, place),
        backend,
        groups: options.groups ?? [],
        columns: options.columns ?? (unmapped && columnsIn(unmapped.proposal, timezone)),
        host: server?.url,
        project: backend === 'platform' ? platform?.project : options.project,
        timezone,
      },
      place,
    );
    if (!force) refuseFailed(tried);
    const { written, kept } = await setUp.writeTried(tried, place, force);
    const { findings, questions } = tried;
    return {
      root: path.dirname(place.config),
      config: place.config,
      written,
      kept,
      queries: questions.map(({ name }) => name),
      findings,
    };
  } catch (error) {
    throw inCode(error);
  }
}

function toToken(place: TokenPlace | undefined) {
  const { tokenFile, tokenCommand } = place ?? {};
  if (tokenFile !== undefined) return { kind: 'file', value: tokenFile } as const;
  return tokenCommand === undefined ? undefined : ({ kind: 'command', value: tokenCommand } as const);
}

/** Throws the error of the first failed check. */
function refuseFailed({ findings }: Tried): void {
  const fault = findings.find(({ verdict }) => verdict === 'fails');
  if (!fault) return;
  const hint = [fault.hint, 'Nothing was written. `force: true` writes the workspace anyway.']
    .filter((text) => text !== undefined)
    .join('\n');
  const error: SluiceError =
    fault.error ?? new BackendError(`${fault.what}: ${fault.text}`, { code: 'events-not-found', hint });
  throw Object.assign(error, { hint });
}

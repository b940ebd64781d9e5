import path from 'node:path';
import { AbortedError, BackendError, type SluiceError } from '../../ask/sluice-error.ts';
import type { Mapping } from '../../plan/mapping/mapping.ts';
import type { InitBackend, UsageGroup } from '../setup/answers.ts';
import type { Finding } from '../setup/check.ts';
import type { UnmappedFile } from '../setup/proposed-columns.ts';
import type { Tried } from '../setup/set-up.ts';
import { inCode } from './option-wording.ts';

/** Where a server's access token is read from. It is never written to the configuration. */
interface TokenPlace {
  readonly tokenFile?: string | undefined;
  /** A command that prints the token. */
  readonly tokenCommand?: string | undefined;
}

/** The set-up of a workspace. What is left out is looked for: event files in the folder, the zone of the machine. */
export interface InitOptions {
  /** The folder to set up; the current one by default. Relative paths start here. */
  readonly workspace?: string | undefined;
  /** The configuration to write; `sluice.yaml` in the workspace by default. */
  readonly config?: string | undefined;
  /** By default the one that has an address below; else `embedded`. */
  readonly backend?: InitBackend | undefined;
  /** Event files: a path or pattern, or several. By default those in the folder, or its store. */
  readonly events?: string | readonly string[] | undefined;
  /** Where the fields of the events come from: `{utcTime: 'happened', userId: 'who'}`. */
  readonly columns?: Mapping['columns'] | undefined;
  /** A platform to ask: its `url`, a `project` by ID or path, and where its token is. */
  readonly platform?: (TokenPlace & { readonly url: string; readonly project: string | number }) | undefined;
  /** A Cube deployment to ask: the `url` of its API, and where its token is. */
  readonly cube?: (TokenPlace & { readonly url: string }) | undefined;
  /** Only use events of this project. */
  readonly project?: string | number | undefined;
  /** IANA name of the zone of days. */
  readonly timezone?: string | undefined;
  /** Groups of projects for the usage report. */
  readonly groups?: readonly UsageGroup[] | undefined;
  /** Whether to accept the mapping that sluice proposes for a file of unknown columns. Refused by default. */
  readonly onUnmapped?: ((unmapped: UnmappedFile) => boolean | Promise<boolean>) | undefined;
  /** Write also if a check fails, and replace a configuration. */
  readonly force?: boolean | undefined;
  /** Tokens and proxies are looked for here; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A clock that gives milliseconds since 1970; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** A workspace, set up. All paths are absolute. */
export interface InitAnswer {
  /** The folder of the configuration: `open({workspace: root})`. */
  readonly root: string;
  /** The configuration file. */
  readonly config: string;
  /** What was written, the configuration first. */
  readonly written: readonly string[];
  /** What was there already and stays as it is. */
  readonly kept: readonly string[];
  /** Names of the saved queries that the events have an answer to: `s.query(queries[0])`. */
  readonly queries: readonly string[];
  /** What the checks found; with `force`, also what failed. */
  readonly findings: readonly Finding[];
}

/**
 * Sets up a workspace: checks the answers, then writes `sluice.yaml`, some saved queries and a report, as `sluice init`
 * does. Nothing is written if a check fails. Throws `ConfigError` (`config-exists`, `invalid-config`), what the failed
 * check found (`BackendError` `events-not-found`, `unreachable`, `token-missing`, …), and `InvalidInputError` for
 * options that are not valid and for files of unknown columns, unless `onUnmapped` accepts the proposal.
 */
export async function init(options: InitOptions = {}): Promise<InitAnswer> {
  const [
    { checkOptions },
    { fromFolder },
    around,
    proposed,
    setUp,
    { refuseExisting },
    { refuseUnmapped },
    { tellOfProcess },
  ] = await Promise.all([
    import('../workspace/check-options.ts'),
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
    const tried = await setUp.tryAnswers(
      {
        ...fromFolder({ events, token: toToken(server), groups: options.groups ?? [] }, place),
        backend,
        groups: options.groups ?? [],
        columns: options.columns ?? unmapped?.proposal.mapping.columns,
        host: server?.url,
        project: backend === 'platform' ? platform?.project : options.project,
        timezone: options.timezone ?? offered.timezone,
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

/** Throws what the first failed check found. */
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

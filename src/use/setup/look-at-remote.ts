import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { BackendError, type SluiceError } from '../../ask/sluice-error.ts';
import { plural } from '../../ask/text.ts';
import type { Model } from '../../plan/model/model.ts';
import type { LoadService } from '../../run/load/load-service.ts';
import type { PlatformFindings } from '../../run/platform/try-platform.ts';
import { describeSource } from '../config/read-token.ts';
import type { Setting, Settings, TokenSource } from '../config/settings.ts';
import { cubeOptions, platformOptions, type RemoteSurroundings } from '../workspace/open-remote.ts';
import { check, type Finding } from './check.ts';

export interface RemoteFound {
  readonly findings: readonly Finding[];
  /** The model of the server, if it provides one. */
  readonly model?: Model | undefined;
}

export interface LookOptions {
  readonly env: RemoteSurroundings['env'];
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Time limit for the server, in milliseconds (default: 5000). */
  readonly withinMs?: number | undefined;
}

/** Checks the remote backend of the settings: its token, connection, project and model. */
export async function lookAtRemote(
  settings: Settings,
  { env, root, signal, withinMs = 5000 }: LookOptions,
): Promise<RemoteFound> {
  const surroundings: RemoteSurroundings = { env, root, retryBudgetMs: 0 };
  const options = { signal, withinMs };
  return settings.backend.value === 'platform'
    ? lookAtPlatform(settings, surroundings, options)
    : lookAtCube(settings, surroundings, options);
}

type Limits = Required<Pick<LookOptions, 'signal' | 'withinMs'>>;

async function lookAtPlatform(
  settings: Settings,
  surroundings: RemoteSurroundings,
  limits: Limits,
): Promise<RemoteFound> {
  let model: Model | undefined;
  let found: PlatformFindings | undefined;
  const tried = await connecting(
    'platform',
    settings.token,
    () => platformOptions(settings, surroundings),
    limits,
    async (options, signal) => {
      const { tryPlatform } = await import('../../run/platform/try-platform.ts');
      found = await tryPlatform(options, signal);
      if (found.cubes === undefined || !found.onboarded) return;
      const { toPlatformService } = await import('../../run/platform/open-platform.ts');
      model = await fetchModel(toPlatformService(options), signal);
    },
  );
  if (tried.length > 0 || !found) return { findings: tried };
  const { user, project, onboarded, cubes, problems } = found;
  const inWay = (kind: Part) => problems.filter(({ code }) => partOf(code) === kind);
  const url = settings.platformUrl.value ?? '';
  const findings = [
    ...part('platform', inWay('server'), problems.some(({ code }) => partOf(code) === 'token') ? undefined : url),
    ...part(
      'token',
      inWay('token').map(tellingWhere(settings.token)),
      problems.some(({ code }) => partOf(code) === 'server')
        ? undefined
        : `${fromWhere(settings.token)}${user === undefined ? '' : `, of ${user.name} (${user.username})`}`,
    ),
    ...part(
      'project',
      inWay('project'),
      project && `${project.path}, number ${project.id}${project.archived ? ', archived' : ''}`,
    ),
    ...part(
      'analytics',
      inWay('analytics'),
      onboarded
        ? `answers${cubes === undefined ? '' : `, ${cubes.length} ${plural(cubes.length, 'cube')}`}`
        : undefined,
    ),
  ];
  return { findings, model };
}

async function lookAtCube(settings: Settings, surroundings: RemoteSurroundings, limits: Limits): Promise<RemoteFound> {
  const tell =
    settings.cubeToken.value === undefined ? ', without a token' : `, token ${fromWhere(settings.cubeToken)}`;
  let model: Model | undefined;
  let cubes: readonly string[] = [];
  const tried = await connecting(
    'cube',
    settings.cubeToken,
    () => cubeOptions(settings, surroundings),
    limits,
    async (options, signal) => {
      const { tryCube } = await import('../../run/cube/open-cube.ts');
      const found = await tryCube(options, signal);
      const [problem] = found.problems;
      if (problem) throw problem;
      cubes = found.cubes ?? [];
      const { toCubeService } = await import('../../run/cube/open-cube.ts');
      model = await fetchModel(toCubeService(options), signal);
    },
  );
  return tried.length > 0
    ? { findings: tried }
    : {
        model,
        findings: part(
          'cube',
          [],
          `${settings.cubeUrl.value ?? ''}${tell}, ${cubes.length} ${plural(cubes.length, 'cube')}`,
        ),
      };
}

/** Reads the token, which may prompt the user and take long, then checks the server. Returns no findings on success. */
async function connecting<Options extends { readonly http: AsyncDisposable }>(
  what: string,
  token: Setting<TokenSource | undefined>,
  open: () => Promise<Options>,
  limits: Limits,
  run: (options: Options, signal: AbortSignal) => Promise<void>,
): Promise<readonly Finding[]> {
  let options: Options | undefined;
  const opened = await check(
    what,
    async () => {
      options = await open();
      return '';
    },
    { signal: limits.signal },
  );
  const named = (finding: Finding): Finding => {
    const about = isAboutToken(finding.error) ? tokenOf(what) : what;
    return { ...finding, what: about, hint: withCommand(finding.hint, about) };
  };
  if (!options) return [named(opened)];
  await using _client = options.http;
  const ready = options;
  const tried = await check(
    what,
    async (signal) => {
      await run(ready, signal);
      return '';
    },
    limits,
  );
  return tried.verdict === 'ok'
    ? []
    : [
        named({
          ...tried,
          text: isAboutToken(tried.error) && token.value ? `${tried.text} It is ${fromWhere(token)}.` : tried.text,
        }),
      ];
}

function tokenOf(what: string): string {
  return what === 'platform' ? 'token' : `${what} token`;
}

function isAboutToken(error: SluiceError | undefined): boolean {
  return error instanceof BackendError && partOf(error.code) === 'token';
}

type Part = 'server' | 'token' | 'project' | 'analytics';

const parts: Readonly<Record<Exclude<Part, 'server'>, readonly SluiceErrorCode[]>> = {
  token: [
    'token-missing',
    'token-refused',
    'token-unreadable',
    'token-empty',
    'token-malformed',
    'scope-too-narrow',
    'unauthenticated',
  ],
  project: ['project-not-found', 'role-too-low', 'access-restricted'],
  analytics: ['not-onboarded', 'endpoint-not-found', 'query-refused'],
};

function partOf(code: SluiceErrorCode): Part {
  return (Object.keys(parts) as (keyof typeof parts)[]).find((name) => parts[name].includes(code)) ?? 'server';
}

function part(what: string, problems: readonly SluiceError[], well: string | undefined): readonly Finding[] {
  if (problems.length > 0)
    return problems.map((error) => ({
      what,
      verdict: 'fails',
      text: error.message,
      hint: withCommand(error.hint, what),
      error,
    }));
  return well === undefined ? [] : [{ what, verdict: 'ok', text: well }];
}

/** Adds the origin of a rejected token, so that the user can fix it. */
function tellingWhere(token: Setting<TokenSource | undefined>): (problem: SluiceError) => SluiceError {
  return (problem) =>
    token.value
      ? new BackendError(`${problem.message} It is ${fromWhere(token)}.`, {
          code: problem.code,
          hint: problem.hint,
          cause: problem,
        })
      : problem;
}

function fromWhere({ value }: Setting<TokenSource | undefined>): string {
  if (!value) return 'from nowhere';
  return `from ${describeSource(value).replace(/^The/, 'the')}`;
}

/** Adds the next command, unless the hint already has one. */
function withCommand(hint: string | undefined, what: string): string | undefined {
  const command = nextCommands[what];
  if (command === undefined || (hint?.includes('`sluice ') && !hint.includes('`sluice doctor`'))) return hint;
  return `${hint?.replace(/ ?`sluice doctor` tells where it comes from\./, '') ?? ''}${hint === undefined ? '' : '\n'}${command}`;
}

const nextCommands: Readonly<Record<string, string>> = {
  token: 'Type: `export SLUICE_TOKEN=…`, then `sluice doctor`',
  'cube token': 'Type: `export SLUICE_CUBE_TOKEN=…`, then `sluice doctor`',
  project: 'Try another project: `sluice doctor --project PROJECT`',
  platform: 'Try another URL: `sluice doctor --host URL`',
  cube: 'Correct the URL, then run: `sluice doctor`',
};

/** Reads the server's model; undefined if it is invalid. */
async function fetchModel(service: LoadService, signal: AbortSignal): Promise<Model | undefined> {
  const [{ requestMeta }, { readMeta }] = await Promise.all([
    import('../../run/load/request-meta.ts'),
    import('../../plan/model/read-meta.ts'),
  ]);
  const read = readMeta(await requestMeta(service, { signal }));
  return read.ok ? read.value : undefined;
}

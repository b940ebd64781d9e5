import { type Issue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { toNested, type UncheckedLayer } from './layer.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables and their settings. If several variables give one setting, the first that is set wins. */
const variables: readonly (readonly [name: string, path: readonly string[], toValue?: (text: string) => unknown])[] = [
  ['SLUICE_BACKEND', ['backend']],
  ['SLUICE_EVENTS', ['events']],
  ['SLUICE_ENCODING', ['encoding']],
  ['SLUICE_STORE', ['store']],
  ['SLUICE_MODEL', ['model']],
  ['SLUICE_TIMEZONE', ['timezone']],
  ['SLUICE_WEEK_START', ['weekStart'], (text) => text.toLowerCase()],
  ['SLUICE_USER', ['user']],
  ['SLUICE_FILL', ['fill']],
  ['SLUICE_HOST', ['platform', 'url'], toAddress],
  ['GITLAB_HOST', ['platform', 'url'], toAddress],
  ['CI_API_V4_URL', ['platform', 'url'], (text) => toAddress(text.replace(/\/api\/v4\/?$/, ''))],
  ['SLUICE_PROJECT', ['project'], toProject],
  ['CI_PROJECT_ID', ['platform', 'project'], toProject],
  ['SLUICE_CUBE_URL', ['cube', 'url'], toAddress],
  ['SLUICE_CLICKHOUSE_URL', ['clickhouse', 'url']],
  ['SLUICE_CLICKHOUSE_DATABASE', ['clickhouse', 'database']],
  ['SLUICE_CLICKHOUSE_USER', ['clickhouse', 'user']],
  ['SLUICE_KNOWN_AT', ['knownAt']],
  ['SLUICE_WAIT', ['wait']],
  ['SLUICE_MEMORY', ['memory']],
  ['SLUICE_CACHE', ['cache'], toSwitch],
  ['SLUICE_BROWSER', ['browser']],
  ['SLUICE_ALLOW_HTTP', ['allowHttp'], toSwitch],
];

/** Variables that other modules read. */
const otherVariables = [
  'SLUICE_AS_OF',
  'SLUICE_TOKEN',
  'SLUICE_CUBE_TOKEN',
  'SLUICE_CUBE_SECRET',
  'SLUICE_CLICKHOUSE_PASSWORD',
  'SLUICE_SERVE_TOKEN',
  'SLUICE_HOOKS_TOKEN',
  'SLUICE_HOOKS_SECRET',
  'SLUICE_CAPTCHA_RESPONSE',
  'SLUICE_SPAM_LOG_ID',
  'SLUICE_CONFIG',
  'SLUICE_DEBUG',
  'SLUICE_RUNTIME',
];

/** Reads the settings from the environment. Empty variables count as not set. */
export function readEnvironment(
  env: Environment,
  cwd: string,
): { readonly layer: UncheckedLayer; readonly warnings: readonly Issue[] } {
  const set = variables.filter(([name]) => (env[name] ?? '') !== '');
  const originOf = (path: IssuePath) =>
    set.find(([, at]) => at.every((step, index) => path[index] === step))?.[0] ?? 'the environment';
  return {
    layer: {
      config: toNested(set.map(([name, path, toValue]) => [path, toValue ? toValue(env[name] ?? '') : env[name]])),
      base: cwd,
      originOf,
    },
    warnings: Object.keys(env).flatMap(unknownVariable),
  };
}

function unknownVariable(name: string): readonly Issue[] {
  if (!name.startsWith('SLUICE_')) return [];
  const known = [...variables.map(([variable]) => variable), ...otherVariables];
  if (known.includes(name)) return [];
  return [warningIssue('unknown-variable', `${quote(name)} is not a setting.`, { hint: didYouMean(name, known) })];
}

/** Tokens and secrets of sluice itself. */
const ownSecrets = [
  'SLUICE_TOKEN',
  'SLUICE_CUBE_TOKEN',
  'SLUICE_CUBE_SECRET',
  'SLUICE_CLICKHOUSE_PASSWORD',
  'SLUICE_SERVE_TOKEN',
  'SLUICE_HOOKS_TOKEN',
  'SLUICE_HOOKS_SECRET',
];

/** Secrets of the platform's CI jobs and tools. The URL of the repository contains one. */
const platformSecret =
  /^(?:CI_.*(?:TOKEN|PASSWORD|JWT\w*)|CI_REPOSITORY_URL|GITLAB_(?:.*_)?TOKEN|OAUTH_TOKEN|GL_TOKEN)$/;

/** The environment for a command that prints a token, without sluice's own secrets. */
export function withoutOwnSecrets(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ownSecrets.includes(name.toUpperCase())));
}

/** The environment for a command that needs no secrets, without those of sluice and the platform. */
export function withoutSecrets(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(withoutOwnSecrets(env)).filter(([name]) => !platformSecret.test(name.toUpperCase())),
  );
}

function toSwitch(text: string): unknown {
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
}

/** Adds `https://` to a bare host name, which the platform's own tools also accept. */
export function toAddress(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

export function toProject(text: string): number | string {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text;
}

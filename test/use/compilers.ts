import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** The compilers that declarations must be read by, and why: exact versions, so that a red test is red again. */
export const compilers = {
  '5.7.3': 'the oldest that is supported',
  '5.9.3': 'the last that is written in TypeScript and still wide-spread',
} as const;

/**
 * The `tsc` of a version, or why it cannot be had. It is installed once into a cache of the user's, not as a
 * development dependency: packages of one name under several aliases fight for the name `tsc` in `node_modules/.bin`.
 */
export function findCompiler(version: keyof typeof compilers): { readonly tsc: string } | { readonly missing: string } {
  const cache = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
  const folder = path.join(cache, 'sluice-compilers', version);
  const tsc = path.join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  if (existsSync(tsc)) return { tsc };
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--ignore-scripts',
      `typescript@${version}`,
    ],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, npm_config_loglevel: 'error' }, timeout: 60_000 },
  );
  if (status === 0 && existsSync(tsc)) return { tsc };
  return {
    missing: `TypeScript ${version} is not installed, and the registry cannot be reached: ${stderr.trim().slice(0, 200)}`,
  };
}

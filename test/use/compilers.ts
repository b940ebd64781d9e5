import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** The compilers that must read the declarations, with reasons. Exact versions make failures reproducible. */
export const compilers = {
  '5.7.3': 'the oldest supported version',
  '5.9.3': 'the last one written in TypeScript, and still common',
} as const;

/**
 * The `tsc` of a version, or why it is not available. It is installed once into a cache of the user. Development
 * dependencies of one package under several aliases would all claim the name `tsc` in `node_modules/.bin`.
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

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Real ClickHouse for tests, from the npm package chdb. It takes half a gigabyte, so it is installed in a cache for all
 * checkouts, and not in `node_modules`. `node .config/chdb.ts` installs it, and so does a test that needs it.
 */
const version = '3.4.0';

const folder = path.join(
  process.env['TEST_CHDB'] ?? path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'sluice'),
  `chdb-${version}`,
);

/** The folder of its modules. Installs them if they are missing, and throws if that fails. */
export function installChdb(): string {
  const modules = path.join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  // An interrupted installation must not look complete.
  const scratch = `${folder}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  try {
    writeFileSync(path.join(scratch, 'package.json'), '{"private":true}');
    // The tarball contains the library, so no script needs to download it.
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `chdb@${version}`], {
      cwd: scratch,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 300_000,
    });
    if (!existsSync(folder)) renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return modules;
}

if (process.argv[1] === import.meta.filename) process.stdout.write(`${installChdb()}\n`);

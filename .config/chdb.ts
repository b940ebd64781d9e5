import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Real ClickHouse for tests: the npm package chdb holds it as a library. It takes half a gigabyte, so it lies in a
 * cache beside all checkouts, not in `node_modules`. `node .config/chdb.ts` installs it; a test that needs it does so
 * by itself.
 */
const version = '3.4.0';

const folder = path.join(
  process.env['SLUICE_CHDB'] ?? path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'sluice'),
  `chdb-${version}`,
);

/** Where its modules lie. An error says why it cannot be had. */
export function installChdb(): string {
  const modules = path.join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  // Whoever is stopped halfway leaves nothing that looks installed.
  const scratch = `${folder}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  try {
    writeFileSync(path.join(scratch, 'package.json'), '{"private":true}');
    // The library comes in the tarball: no script has to fetch it.
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

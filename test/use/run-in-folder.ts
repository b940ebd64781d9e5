import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli } from '../../src/use/cli/run-cli.ts';
import type { Effects, Sink, Terminal } from '../../src/use/process/effects.ts';

/** The reference time of the tests: noon of Friday, 8 March 2024, UTC. */
export const now = Date.parse('2024-03-08T12:00:00Z');

export interface World {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** The current folder of the command, below the root. */
  readonly cwd?: string;
  readonly terminal?: { readonly columns: number; readonly rows: number };
  readonly signal?: AbortSignal;
  /** The terminal of a person who can be asked. */
  readonly person?: Terminal;
  /** Called with output while the command runs. */
  readonly onStdout?: (text: string) => void;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary folder with files, in which commands run within this process. */
export interface Folder {
  readonly root: string;
  readonly write: (name: string, contents: string | Uint8Array) => string;
  readonly sluice: (argv: readonly string[], world?: World) => Promise<Outcome>;
  readonly remove: () => void;
}

export function openFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
  const write = (name: string, contents: string | Uint8Array) => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, contents);
    return file;
  };
  for (const [name, contents] of Object.entries(files)) write(name, contents);
  return {
    root,
    write,
    sluice: (argv, world = {}) => runInFolder(root, argv, world),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A folder that is removed after the test that opened it. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const folder = openFolder(files);
  onTestFinished(folder.remove);
  return folder;
}

async function runInFolder(
  root: string,
  argv: readonly string[],
  { stdin = '', env = {}, cwd = '.', terminal, signal, person, onStdout }: World,
): Promise<Outcome> {
  const said = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr'): Sink => ({
    write: (text) => {
      said[name] += typeof text === 'string' ? text : new TextDecoder().decode(text);
      if (name === 'stdout' && typeof text === 'string') onStdout?.(text);
      return Promise.resolve();
    },
    isTerminal: terminal !== undefined,
    columns: terminal?.columns,
    rows: terminal?.rows,
  });
  const effects: Effects = {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env,
    cwd: path.join(root, cwd),
    now: () => now,
    readStdin: () => Promise.resolve(typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    signal: signal ?? new AbortController().signal,
    terminal: person,
  };
  const code = await runCli(argv, effects);
  return { code, ...said };
}

/** Five events of two users on two days, as a raw export has them. */
export const fewEvents = [
  ['2024-03-06T10:00:00.000', 'ann', 'pageview', '/'],
  ['2024-03-06T10:05:00.000', 'ann', 'pageview', '/docs'],
  ['2024-03-06T11:00:00.000', 'bob', 'pageview', '/'],
  ['2024-03-07T09:00:00.000', 'bob', 'link_click', '/docs'],
  ['2024-03-07T09:01:00.000', 'bob', 'pageview', '/'],
]
  .map(
    ([utcTime, userAnonymousId, eventType, docPath]) =>
      `${JSON.stringify({
        'TrackedEvents.utcTime': utcTime,
        'TrackedEvents.userAnonymousId': userAnonymousId,
        'TrackedEvents.eventType': eventType,
        'TrackedEvents.docPath': docPath,
      })}\n`,
  )
  .join('');

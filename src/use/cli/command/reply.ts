import { hash } from 'node:crypto';
import { slotLength } from '../../../plan/projection/projections.ts';
import { build } from '../../workspace/version.ts';

/** The output of a command, and the conditions under which the same command gives the same output. */
export interface Reply {
  /** Files and folders with their marks; see `lookAt`. */
  readonly looks: readonly (readonly [place: string, mark: string])[];
  /** Writes in order, to stdout and stderr. */
  readonly written: readonly (readonly [to: 'stdout' | 'stderr', text: string])[];
}

/** The inputs of a command apart from files. */
export interface Asker {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Screen {
  readonly isTerminal: boolean;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/**
 * A key that is equal for commands with the same output over the same files. It covers the whole environment, because
 * any variable may matter, and is hashed, because variables may contain secrets. Days and hours of all zones begin at
 * slot borders: a reply is replayed only within its slot, and cached only if it stays the same throughout the slot.
 * Undefined if the program is not a build, because its code can change, or if the command does not cache.
 */
export function replyKey({ argv, cwd, env, stdout, stderr, now }: Asker): string | undefined {
  if (build === undefined || argv.includes('--no-cache')) return undefined;
  // These differ between commands of one shell.
  const { _, SHLVL, OLDPWD, ...surroundings } = env;
  const screens = [stdout, stderr].map(({ isTerminal, columns, rows }) => [isTerminal, columns ?? 0, rows ?? 0]);
  const asked = [
    build,
    process.versions,
    process.execPath,
    argv,
    cwd,
    surroundings,
    screens,
    Math.floor(now / slotLength),
  ];
  return JSON.stringify(['reply', hash('sha256', JSON.stringify(asked))]);
}

import { hash } from 'node:crypto';
import { slotLength } from '../../../plan/projection/projections.ts';
import { build } from '../../workspace/version.ts';

/** What a command wrote, and what must be as it was for the same command to write the same. */
export interface Reply {
  /** Files and folders with their marks; see `lookAt`. */
  readonly looks: readonly (readonly [place: string, mark: string])[];
  /** In its order, to stdout and to stderr. */
  readonly written: readonly (readonly [to: 'stdout' | 'stderr', text: string])[];
}

/** What a command knows of the world, but for files. */
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
 * Two commands of the same key write the same over the same files. All of the environment is in it, as it may say
 * anything; hashed, as it may hold secrets. Days and hours of all zones begin where a slot does: a reply is repeated in
 * its own slot alone, and only kept if it is the same from its beginning to its end. undefined: what runs is no build,
 * and can change, or the command keeps nothing.
 */
export function replyKey({ argv, cwd, env, stdout, stderr, now }: Asker): string | undefined {
  if (build === undefined || argv.includes('--no-cache')) return undefined;
  // These differ from command to command of one shell.
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

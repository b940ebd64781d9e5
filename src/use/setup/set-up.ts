import path from 'node:path';
import type { Environment } from '../config/read-environment.ts';
import { settingsOfText } from '../config/settings-of-text.ts';
import { type Answers, toConfig } from './answers.ts';
import { type Trial, tryOut } from './try-out.ts';
import { writeConfig } from './write-config.ts';
import { type WrittenWorkspace, writeWorkspace } from './write-workspace.ts';

/** Where a workspace is set up. */
export interface SetupPlace {
  /** Absolute path of the configuration to write. */
  readonly config: string;
  /** Absolute; paths in answers start here. */
  readonly cwd: string;
  readonly env: Environment;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface Tried extends Trial {
  readonly answers: Answers;
  readonly text: string;
  readonly queries: string;
  readonly reports: string;
}

/** Tries the answers, and writes nothing. Error: `invalid-config`. */
export async function tryAnswers(answers: Answers, { config, cwd, env, now, signal }: SetupPlace): Promise<Tried> {
  const text = writeConfig(toConfig(answers));
  const folder = path.dirname(config);
  const settings = settingsOfText({ file: path.basename(config), folder, text }, env);
  const trial = await tryOut({ settings, root: folder, cwd, env, now, signal });
  return { ...trial, answers, text, queries: settings.queries.value, reports: settings.reports.value };
}

/** Writes the workspace of answers that were tried. Error: `config-exists`. */
export function writeTried(
  { text, queries, questions, reports }: Tried,
  { config, signal }: SetupPlace,
  force: boolean,
): Promise<WrittenWorkspace> {
  return writeWorkspace({ config, text, queries, questions, reports, force }, signal);
}

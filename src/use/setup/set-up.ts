import path from 'node:path';
import { stringify } from 'yaml';
import type { Environment } from '../config/read-environment.ts';
import { settingsOfText } from '../config/read-config-file.ts';
import { type Answers, toConfig } from './answers.ts';
import { type Trial, tryOut } from './try-out.ts';
import { type WrittenWorkspace, writeWorkspace } from './write-workspace.ts';
import type { Config } from '../config/schema.ts';

/** The place of a new workspace. */
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

/** Tests the answers and writes nothing. Error: `invalid-config`. */
export async function tryAnswers(answers: Answers, { config, cwd, env, now, signal }: SetupPlace): Promise<Tried> {
  const text = writeConfig(toConfig(answers));
  const folder = path.dirname(config);
  const settings = settingsOfText({ file: path.basename(config), folder, text }, env);
  const trial = await tryOut({ settings, root: folder, cwd, env, now, signal });
  return { ...trial, answers, text, queries: settings.queries.value, reports: settings.reports.value };
}

/** Writes the workspace for tested answers. Error: `config-exists`. */
export function writeTried(
  { text, queries, questions, reports }: Tried,
  { config, signal }: SetupPlace,
  force: boolean,
): Promise<WrittenWorkspace> {
  return writeWorkspace({ config, text, queries, questions, reports, force }, signal);
}

const remarks: Partial<Readonly<Record<keyof Config, string>>> = {
  backend: 'Backend: embedded (local files), platform, or cube.',
  events: 'Event files: a path, a pattern, or a list of them.',
  columns: 'Mapping of event fields to columns or JSON paths.',
  sources: 'Event files, the zone of their times, and the mapping of event fields to\ncolumns or JSON paths.',
  project: 'Only use events of this project.',
  platform: 'Do not write the token here. Set SLUICE_TOKEN or GITLAB_TOKEN, or use\ntokenFile or tokenCommand.',
  cube: 'Do not write the token here. Set SLUICE_CUBE_TOKEN, or use tokenFile\nor tokenCommand.',
  timezone: 'Time zone of days.',
  usage: 'Usage report: groups of projects, by number or path.',
};

/** Writes a `sluice.yaml` with these settings, each with a comment. Reading it returns the same settings. */
export function writeConfig(config: Config): string {
  const parts = Object.entries(config).map(([key, value]) => {
    const remark = remarks[key as keyof Config];
    const comment = remark === undefined ? '' : remark.replaceAll(/^/gm, '# ') + '\n';
    return `${comment}${stringify({ [key]: value }, { lineWidth: 0 })}`;
  });
  return `# Workspace configuration. \`sluice doctor\` checks it, \`sluice schema config\` lists all settings.\n\n${parts.join('\n')}`;
}

import { stringify } from 'yaml';
import type { Config } from '../config/schema.ts';

const remarks: Partial<Readonly<Record<keyof Config, string>>> = {
  backend: 'Backend: embedded (local files), platform, or cube.',
  events: 'Event files: a path, a pattern, or a list of them.',
  columns: 'Mapping of event fields to columns or JSON paths.',
  project: 'Only use events of this project.',
  platform: 'Do not write the token here. Set SLUICE_TOKEN or GITLAB_TOKEN, or use\ntokenFile or tokenCommand.',
  cube: 'Do not write the token here. Set SLUICE_CUBE_TOKEN, or use tokenFile\nor tokenCommand.',
  timezone: 'Time zone of days.',
  usage: 'Usage report: groups of projects, by number or path.',
};

/**
 * The text of a `sluice.yaml` that holds these settings, each with a word on what it is. What is read back is the same.
 */
export function writeConfig(config: Config): string {
  const parts = Object.entries(config).map(([key, value]) => {
    const remark = remarks[key as keyof Config];
    const comment = remark === undefined ? '' : remark.replaceAll(/^/gm, '# ') + '\n';
    return `${comment}${stringify({ [key]: value }, { lineWidth: 0 })}`;
  });
  return `# Workspace configuration. \`sluice doctor\` checks it, \`sluice schema config\` lists all settings.\n\n${parts.join('\n')}`;
}

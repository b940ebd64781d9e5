import { stringify } from 'yaml';
import type { Config } from '../config/schema.ts';

const remarks: Partial<Readonly<Record<keyof Config, string>>> = {
  backend: 'Who answers: embedded (files, on this machine), platform, or cube.',
  events: 'Files of raw events: a path, a pattern, or a list of them.',
  project: 'Only events of this project, where those of several lie together.',
  platform: 'The token is never written here: it comes from SLUICE_TOKEN or GITLAB_TOKEN, or from\na file or a command that tokenFile or tokenCommand names.',
  cube: 'The token is never written here: it comes from SLUICE_CUBE_TOKEN, or from\na file or a command that tokenFile or tokenCommand names.',
  timezone: 'Days begin and end in this zone.',
  usage: 'What the usage report covers: groups of projects, by number or path.',
};

/** The text of a `sluice.yaml` that holds these settings, each with a word on what it is. What is read back is the same. */
export function writeConfig(config: Config): string {
  const parts = Object.entries(config).map(([key, value]) => {
    const remark = remarks[key as keyof Config];
    const comment = remark === undefined ? '' : remark.replaceAll(/^/gm, '# ') + '\n';
    return `${comment}${stringify({ [key]: value }, { lineWidth: 0 })}`;
  });
  return `# The set-up of this workspace. \`sluice doctor\` checks it, \`sluice schema config\` tells all that can stand here.\n\n${parts.join('\n')}`;
}

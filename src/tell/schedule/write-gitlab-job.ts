import { stringify } from 'yaml';
import { shellWord } from '../../ask/shell-word.ts';
import { oneLine } from './one-line.ts';
import type { ScheduledReport } from './scheduled-report.ts';

/** Where the pipelines run. */
export interface PipelineHome {
  /** `https://code.example.org`. */
  readonly url: string;
  /** Number or path of the project whose pipelines run the report. */
  readonly project: string;
}

/**
 * A job for `.gitlab-ci.yml`, and the call that makes its pipeline schedule. Any schedule of the project may start it: only what is
 * due runs, and what ran is remembered in the cache.
 */
export function writeGitlabJob({ name, title, schedule, zone, argv, state, outputs }: ScheduledReport, { url, project }: PipelineHome): string {
  const job = {
    [`sluice-${name}`]: {
      image: 'node:24',
      rules: [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }],
      // Two at once would do the same twice.
      resource_group: `sluice-${name}`,
      // What was done is remembered also where something else failed.
      cache: { key: `sluice-${name}`, paths: [`${state}/`], when: 'always' },
      script: ['npm install --no-save sluice', `npx ${argv.map(shellWord).join(' ')}`],
      ...(outputs.length === 0 ? {} : { artifacts: { when: 'always', paths: outputs.map((folder) => `${folder}/`) } }),
    },
  };
  const fields = [`description=${oneLine(title)}`, 'ref=main', `cron=${schedule.cron}`, `cron_timezone=${zone}`, 'active=true'];
  return [
    '# .gitlab-ci.yml',
    stringify(job, { lineWidth: 0 }).trimEnd(),
    '',
    '# Once, with a token that may use the API:',
    `# curl --request POST --header "PRIVATE-TOKEN: $GITLAB_TOKEN" \\`,
    ...fields.map((field) => `#   --data-urlencode ${shellWord(field)} \\`),
    `#   ${shellWord(`${url.replace(/\/$/, '')}/api/v4/projects/${encodeURIComponent(project)}/pipeline_schedules`)}`,
    '',
  ].join('\n');
}

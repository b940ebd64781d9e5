import { stringify } from 'yaml';
import { shellWord } from '../../ask/text.ts';
import { oneLine, type ScheduledReport } from './schedule.ts';
import { refuseControls } from './write-crontab.ts';

/** The project whose pipelines run the report. */
export interface PipelineProject {
  /** `https://code.example.org`. */
  readonly url: string;
  /** ID or path of the project. */
  readonly project: string;
  /** How a runner gets sluice. A package of this name on a public registry may be another one. */
  readonly sluice:
    | { readonly kind: 'dependency' }
    | { readonly kind: 'folder'; readonly path: string; readonly version: string };
}

/**
 * Writes a job for `.gitlab-ci.yml`, and the call that creates its pipeline schedule. It checks every hour, so missed
 * or failed runs are repeated. Any schedule of the project may start the job: it runs only what is due, and the cache
 * records runs. Error: `not-schedulable` if a path contains a control character.
 */
export function writeGitlabJob(
  { name, title, schedule, zone, argv, state, outputs, secrets }: ScheduledReport,
  { url, project, sluice }: PipelineProject,
): string {
  refuseControls([name, ...argv, state, ...outputs], 'pipeline');
  const job = {
    [`sluice-${name}`]: {
      image: 'node:24',
      rules: [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }],
      // Concurrent jobs would do the same work twice.
      resource_group: `sluice-${name}`,
      // Record successful runs even if another one failed.
      cache: { key: `sluice-${name}`, paths: [`${state}/`], when: 'always' },
      script: [
        sluice.kind === 'dependency' ? 'npm ci' : `npm install --no-save ${shellWord(sluice.path)}`,
        `npx --no-install ${argv.map(shellWord).join(' ')}`,
      ],
      ...(outputs.length === 0 ? {} : { artifacts: { when: 'always', paths: outputs.map((folder) => `${folder}/`) } }),
    },
  };
  const fields = [
    `description=${oneLine(title)}`,
    'ref=main',
    `cron=${schedule.fields.minutes?.join(',') ?? '*'} * * * *`,
    `cron_timezone=${zone}`,
    'active=true',
  ];
  return [
    '# .gitlab-ci.yml',
    ...(sluice.kind === 'dependency'
      ? []
      : [
          `# The runner needs sluice ${sluice.version} in the folder that is installed. ` +
            'No registry publishes it: specify your own copy.',
        ]),
    ...(secrets.length === 0
      ? []
      : [`# Add ${secrets.join(', ')} as masked variables of the project: Settings, CI/CD, Variables.`]),
    stringify(job, { lineWidth: 0 }).trimEnd(),
    '',
    '# Run this once, with a token that may use the API:',
    `# curl --request POST --header "PRIVATE-TOKEN: $GITLAB_TOKEN" \\`,
    ...fields.map((field) => `#   --data-urlencode ${shellWord(field)} \\`),
    `#   ${shellWord(`${url.replace(/\/$/, '')}/api/v4/projects/${encodeURIComponent(project)}/pipeline_schedules`)}`,
    '',
  ].join('\n');
}

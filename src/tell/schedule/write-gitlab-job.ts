import { stringify } from 'yaml';
import { shellWord } from '../../ask/text.ts';
import { oneLine, type ScheduledReport } from './schedule.ts';
import { refuseControls } from './write-crontab.ts';

/** Where the pipelines run. */
export interface PipelineHome {
  /** `https://code.example.org`. */
  readonly url: string;
  /** Number or path of the project whose pipelines run the report. */
  readonly project: string;
  /** How a runner gets sluice; the package of this name on a public registry need not be this one. */
  readonly sluice:
    | { readonly kind: 'dependency' }
    | { readonly kind: 'folder'; readonly path: string; readonly version: string };
}

/**
 * A job for `.gitlab-ci.yml`, and the call that makes its pipeline schedule, which asks every hour, so that what was
 * missed or failed runs later. Any schedule of the project may start it: only what is due runs, and what ran is
 * remembered in the cache. Error: `not-schedulable` if a path holds a control character.
 */
export function writeGitlabJob(
  { name, title, schedule, zone, argv, state, outputs, secrets }: ScheduledReport,
  { url, project, sluice }: PipelineHome,
): string {
  refuseControls([name, ...argv, state, ...outputs], 'pipeline');
  const job = {
    [`sluice-${name}`]: {
      image: 'node:24',
      rules: [{ if: '$CI_PIPELINE_SOURCE == "schedule"' }],
      // Two at once would do the same twice.
      resource_group: `sluice-${name}`,
      // What was done is remembered also where something else failed.
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
          `# The runner needs sluice ${sluice.version} in the folder that is installed. No registry publishes it: specify your own copy.`,
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

import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { readZone } from '../../../ask/time/zone.ts';
import { columnsIn } from '../../../plan/mapping/propose-mapping.ts';
import { initBackends } from '../../config/offered-backends.ts';
import { toAddress, toProject } from '../../config/read-environment.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { type Answers, type Draft, type InitBackend, readGroup } from '../../setup/answers.ts';
import type { Offered } from '../../setup/look-around.ts';
import { refuse, unwrap } from '../../workspace/refuse.ts';
import type { InitFlags } from '../command/command-flags.ts';

/** Reads the flags. Throws `InvalidInputError` with every invalid flag. */
export function readInitFlags(flags: InitFlags & GlobalFlags): Draft {
  const groups = (flags.group ?? []).map((text) => unwrap(readGroup(text), 'The flag --group'));
  const issues: Issue[] = [];
  if (flags.backend !== undefined && !isInitBackend(flags.backend))
    issues.push(
      errorIssue('invalid-backend', `sluice init does not set up the backend ${flags.backend}.`, {
        hint:
          `Specify one of ${initBackends.join(', ')}. ` +
          'For ClickHouse, write `clickhouse: {url: …}` into sluice.yaml.',
      }),
    );
  if (flags.timezone !== undefined) issues.push(...readZone(flags.timezone).issues);
  if (flags.tokenFile !== undefined && flags.tokenCommand !== undefined)
    issues.push(
      errorIssue('two-tokens', '--token-file and --token-command cannot be used together.', {
        hint: 'Use one of them.',
      }),
    );
  const names = groups.map(({ name }) => name);
  if (new Set(names).size < names.length)
    issues.push(
      errorIssue('invalid-group', 'Two groups have the same name.', {
        hint: 'Use --group once for each group, and separate its projects by commas: acme=42,7',
      }),
    );
  if (issues.length > 0) throw refuse(issues, 'What the flags say');
  const token =
    flags.tokenFile !== undefined
      ? ({ kind: 'file', value: flags.tokenFile } as const)
      : flags.tokenCommand !== undefined
        ? ({ kind: 'command', value: flags.tokenCommand } as const)
        : undefined;
  return {
    backend: isInitBackend(flags.backend) ? flags.backend : undefined,
    events: flags.events,
    encoding: flags.encoding,
    token,
    groups,
    timezone: flags.timezone,
    host: flags.host === undefined ? undefined : toAddress(flags.host),
    project: flags.project === undefined ? undefined : toProject(flags.project),
  };
}

function isInitBackend(name: string | undefined): name is InitBackend {
  return (initBackends as readonly (string | undefined)[]).includes(name);
}

/** Answers without a terminal. Error: `flags-missing`, which names the missing flags. */
export function completeDraft(draft: Draft, offered: Offered | undefined): Answers {
  const backend = draft.backend ?? (offered ? (draft.host === undefined ? 'embedded' : 'platform') : undefined);
  const missing =
    backend === undefined ? [`--backend ${initBackends.join('|')}`] : missingFlags({ ...draft, backend }, offered);
  if (backend === undefined || missing.length > 0) {
    const message = `Without a terminal, these flags are required: ${missing.join(', ')}.`;
    const example =
      backend === 'platform'
        ? '--backend platform --host https://code.example.org --project 42'
        : backend === 'cube'
          ? '--backend cube --host https://cube.example.org/cubejs-api/v1'
          : "--backend embedded --events 'events/*.ndjson.gz'";
    throw new InvalidInputError(message, [errorIssue('flags-missing', message)], {
      code: 'flags-missing',
      hint: `For example: \`sluice init ${example}\`; \`sluice init --yes\` accepts the defaults.`,
    });
  }
  const { proposal, ...others } = draft;
  const timezone = draft.timezone ?? offered?.timezone;
  const columns = proposal && { columns: columnsIn(proposal, timezone) };
  return { ...others, ...columns, backend, events: draft.events ?? offered?.events, timezone };
}

function missingFlags(
  { backend, events, host, project }: Draft & { readonly backend: InitBackend },
  offered: Offered | undefined,
): readonly string[] {
  if (backend === 'embedded') return events === undefined && !offered ? ['--events'] : [];
  return [
    ...(host === undefined ? ['--host'] : []),
    ...(backend === 'platform' && project === undefined ? ['--project'] : []),
  ];
}

import { Command } from '../command/command.ts';
import { addAnswerFlags } from '../command/answer-flags.ts';
import type { CohortListFlags, CohortUsersFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';
import { checkCommand } from './analysis.ts';
import { textOrJson } from '../command/flag-values.ts';

export function cohortCommand(start: Start): Command {
  const list = new Command('list')
    .summary('list the cohorts of the workspace with their sizes')
    .description('Lists the cohorts in the queries folder, and how many users each has at present.')
    .addOption(textOrJson('output format: text, or json for programs'))
    .examples(`
  $ sluice cohort list
  $ sluice cohort list --as-of 2024-03-01 -f json`);
  const users = new Command('users')
    .summary('list the users of a cohort')
    .description('Lists the keys of all users who are in a cohort at present.')
    .argument('<cohort>', 'name of a cohort or of its file')
    .option('--timezone <zone>', 'time zone of relative ranges, e.g. Europe/Berlin');
  addAnswerFlags(users).examples(`
  $ sluice cohort users power-users
  $ sluice cohort users power-users -o members.csv
  $ sluice cohort users power-users --as-of 2024-03-01 -f ndjson`);
  return new Command('cohort')
    .summary('check and list cohorts, and list their users')
    .description(
      'A cohort is a named set of users to filter and split by. Each is a file in the queries folder. ' +
        'For the file format, run: sluice schema cohort',
    )
    .examples(`
  $ sluice cohort list
  $ sluice cohort check  check the cohort files of the workspace
  $ sluice cohort users power-users -o members.csv
  $ sluice query 'count by cohorts.power_users'`)
    .addCommand(checkCommand('cohort', start))
    .addCommand(start<CohortListFlags>(list, async () => (await import('../actions/cohort.ts')).runCohortList))
    .addCommand(start<CohortUsersFlags>(users, async () => (await import('../actions/cohort.ts')).runCohortUsers));
}

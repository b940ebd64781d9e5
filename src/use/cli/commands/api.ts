import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { ApiListFlags } from '../command/command-flags.ts';
import { recordFormats } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

/** Makes the commands of the operations from their data. Needed only for commands below `api`. */
export type AddOperations = (api: Command, start: Start) => void;

export function apiCommand(start: Start, addOperations?: AddOperations): Command {
  const api = new Command('api')
    .summary("call the platform's API")
    .description(
      "Calls an operation of the platform's API: milestones, tags, commits, webhooks, variables and more. " +
        'The platform and the token are those of the configuration; no project is needed.',
    )
    .usage('RESOURCE OPERATION [options]')
    .examples(`
  $ sluice api list                    list all operations
  $ sluice api milestones list --help  list the parameters of one
  $ sluice api milestones list --id acme/shop --state active -f table
  $ sluice api tags create --id acme/shop --tag-name v1 --ref main --dry-run
  $ sluice api variables create --id acme --key TOKEN --value @token.txt --yes
  $ sluice api exports start --id acme/shop --follow --yes
  $ sluice api exports download --id acme/shop -o shop.tar.gz

Secrets come from @FILE, env:NAME or - (stdin), never from the command line.
Exit code 5: the platform carried it out in part; each failure is named.`);
  api.addCommand(listCommand(start));
  addOperations?.(api, start);
  return api;
}

function listCommand(start: Start): Command {
  const command = new Command('list')
    .summary('list all operations')
    .description('Lists every operation with its method, path, parameters, tier and role.')
    .addOption(new Option('-f, --format <name>', 'output format').choices(recordFormats).default('table'))
    .option('--all', 'show all rows in a table, not one screen of them');
  return start<ApiListFlags>(command, async () => (await import('../actions/api.ts')).runApiList);
}

import { Command, Option } from 'commander';
import type { InitFlags } from '../command/command-flags.ts';
import { collect } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function initCommand(start: Start): Command {
  const command = new Command('init')
    .summary('set up a workspace')
    .description('Sets up a workspace in this folder: tries what you tell it, then writes sluice.yaml and a few questions to begin with.\nAsks for what no flag says.')
    .addOption(new Option('--group <name=projects>', 'a group of projects for the usage report, e.g. acme=42,7; repeatable').argParser(collect))
    .option('--timezone <zone>', 'the zone that days are counted in, e.g. Europe/Berlin')
    .option('--token-file <file>', 'a file that holds the access token, where no variable does')
    .option('--token-command <command>', 'a command that prints the access token')
    .option('--yes', 'ask nothing, and take what would be offered')
    .option('--force', 'write even what does not work, and over a sluice.yaml that is there')
    .addHelpText('after', `
Examples:
  $ sluice init
  $ sluice init --backend embedded --events 'events/*.ndjson.gz' --timezone Europe/Berlin
  $ sluice init --backend platform --host https://code.example.org --project 42
  $ sluice init --backend platform --host code.example.org --project shop/web --group acme=42,7
  $ sluice init --yes`);
  return start<InitFlags>(command, async () => (await import('../actions/init.ts')).runInit);
}

import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { InitFlags } from '../command/command-flags.ts';
import { collect } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function initCommand(start: Start): Command {
  const command = new Command('init')
    .summary('set up a workspace')
    .description(
      'Sets up a workspace in this folder: checks your answers, then writes sluice.yaml and some saved queries.\n' +
        'Asks for every setting that no flag gives.',
    )
    .argument('[file]', 'event file; sluice proposes a mapping for unknown column names')
    .addOption(
      new Option(
        '--group <name=projects>',
        'group of projects for the usage report, e.g. acme=42,7; repeatable',
      ).argParser(collect),
    )
    .option('--timezone <zone>', 'time zone, e.g. Europe/Berlin')
    .option('--token-file <file>', 'file that contains the access token')
    .option('--token-command <command>', 'command that prints the access token')
    .option('--yes', 'accept the defaults without asking')
    .option('--force', 'write even if a check fails, and overwrite sluice.yaml')
    .examples(`
  $ sluice init
  $ sluice init shop.csv
  $ sluice init --backend embedded --events 'events/*.ndjson.gz' --timezone Europe/Berlin
  $ sluice init --backend platform --host https://code.example.org --project 42
  $ sluice init --backend platform --host code.example.org --project shop/web --group acme=42,7
  $ sluice init --yes`);
  return start<InitFlags>(command, async () => (await import('../actions/init.ts')).runInit);
}

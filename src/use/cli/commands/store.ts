import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { StoreForgetFlags, StorePruneFlags, StoreStatsFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function storeCommand(start: Start): Command {
  const store = new Command('store')
    .summary('manage the event store')
    .description('Shows the content of the store, and removes old events or users.')
    .examples(`
  $ sluice store stats
  $ sluice store prune --before 2024-01-01 --dry-run
  $ sluice store forget 4f2c9a31d07b`);
  for (const command of [statsCommand(start), pruneCommand(start), forgetCommand(start)]) store.addCommand(command);
  return store;
}

function statsCommand(start: Start): Command {
  const command = new Command('stats')
    .summary('show the content of the store')
    .description('Counts events, users, projects, files and bytes.')
    .addOption(new Option('-f, --format <name>', 'output format').choices(['table', 'json']).default('table'))
    .examples(`
  $ sluice store stats
  $ sluice store stats -f json`);
  return start<StoreStatsFlags>(command, async () => (await import('../actions/store.ts')).runStoreStats);
}

function pruneCommand(start: Start): Command {
  const command = new Command('prune')
    .summary('remove old events')
    .description(
      'Removes events before a date or time in the configured time zone. ' +
        'Loading the same files again does not restore them.',
    )
    .requiredOption('--before <date>', 'first date or time to keep, e.g. 2024-01-01')
    .option('--dry-run', 'count the events without removing them')
    .examples(`
  $ sluice store prune --before 2024-01-01 --dry-run
  $ sluice store prune --before 2024-01-01T12:00Z`);
  return start<StorePruneFlags>(command, async () => (await import('../actions/store.ts')).runStorePrune);
}

function forgetCommand(start: Start): Command {
  const command = new Command('forget')
    .summary('remove users')
    .description(
      'Removes every event that has one of these IDs, including rejected lines, ' +
        'and checks that nothing is left.\nThe store keeps a hash of each ID that it removes, so that loading the ' +
        'same exports does not restore the users.\nSeveral users at once take one pass over the store.',
    )
    .argument('[users...]', 'exact anonymous IDs or user IDs')
    .option('--ids <file>', 'file of further IDs, one per line; - for stdin')
    .option('--dry-run', 'say how many events they are, and remove nothing')
    .examples(`
  $ sluice store forget 4f2c9a31d07b --dry-run
  $ sluice store forget ann@example.com 4f2c9a31d07b
  $ sluice store forget --ids requests.txt`);
  return start<StoreForgetFlags>(command, async () => (await import('../actions/store.ts')).runStoreForget);
}

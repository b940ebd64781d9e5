import { Command, Option } from 'commander';
import type { StoreForgetFlags, StorePruneFlags, StoreStatsFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function storeCommand(start: Start): Command {
  const store = new Command('store')
    .summary('look after the store of events')
    .description('Tells what the store holds, and removes from it what is too old or whom it should forget.')
    .addHelpText('after', `
Examples:
  $ sluice store stats
  $ sluice store prune --before 2024-01-01 --dry-run
  $ sluice store forget 4f2c9a31d07b`);
  for (const command of [statsCommand(start), pruneCommand(start), forgetCommand(start)]) store.addCommand(command);
  return store;
}

function statsCommand(start: Start): Command {
  const command = new Command('stats')
    .summary('tell what the store holds')
    .description('Counts events, users, projects, files and bytes.')
    .addOption(new Option('-f, --format <name>', 'how to tell it').choices(['table', 'json']).default('table'))
    .addHelpText('after', `
Examples:
  $ sluice store stats
  $ sluice store stats -f json`);
  return start<StoreStatsFlags>(command, async () => (await import('../actions/store-stats.ts')).runStoreStats);
}

function pruneCommand(start: Start): Command {
  const command = new Command('prune')
    .summary('remove old events')
    .description('Removes the events before a day or an instant, in the configured zone. What was taken in stays known: the same files do not bring them back.')
    .requiredOption('--before <date>', 'the first day, or instant, that stays, e.g. 2024-01-01')
    .option('--dry-run', 'say how many they are, and remove nothing')
    .addHelpText('after', `
Examples:
  $ sluice store prune --before 2024-01-01 --dry-run
  $ sluice store prune --before 2024-01-01T12:00Z`);
  return start<StorePruneFlags>(command, async () => (await import('../actions/store-prune.ts')).runStorePrune);
}

function forgetCommand(start: Start): Command {
  const command = new Command('forget')
    .summary('remove a user')
    .description('Removes every event of a user, by whichever id, rejected lines included, and looks whether anything is left.\nThe store keeps a hash of the id, so that the same exports do not bring the user back.')
    .argument('<user>', 'an anonymous id or a known user, to the letter')
    .option('--dry-run', 'say how many events they are, and remove nothing')
    .addHelpText('after', `
Examples:
  $ sluice store forget 4f2c9a31d07b --dry-run
  $ sluice store forget ann@example.com`);
  return start<StoreForgetFlags>(command, async () => (await import('../actions/store-forget.ts')).runStoreForget);
}

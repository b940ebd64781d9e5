import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { SyncFlags } from '../command/command-flags.ts';
import { collect, wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function syncCommand(start: Start): Command {
  const command = new Command('sync')
    .summary('bring commits, milestones, webhook deliveries and more into the workspace')
    .description(
      'Brings lists of the platform into `.sluice/platform`, where questions ask them as cubes: Commits, ' +
        'Tags, Milestones, MilestoneIssues, ActivityEvents, WebhookDeliveries, Labels, Epics, ProjectInvitations, ' +
        'GroupInvitations, FlagChanges, ProtectedBranches, PackageRules. Only what is new is fetched, ' +
        'if the platform can tell. What is gone is marked as deleted. No secret is stored.',
    )
    .argument('[cube...]', 'cubes to sync (default: all that the token may read)')
    .addOption(
      new Option('--group <group>', 'group: number or full path; repeatable (default: that of the project)').argParser(
        collect,
      ),
    )
    .addOption(
      new Option('--epic <iid>', 'sync the child epics of this epic of the group; repeatable').argParser(
        (text: string, before: readonly number[] | undefined) => [...(before ?? []), wholeNumber(text)],
      ),
    )
    .option('--since <date>', 'first day of commits and activity (default: where the last sync ended, or a year ago)')
    .option('--token-file <file>', 'file that holds the access token')
    .examples(`
  $ sluice sync --project acme/shop
  $ sluice sync Commits Tags --project acme/shop --since 2024-01-01
  $ sluice query 'Commits.count by Commits.author, Commits.committedAt.week'
  $ sluice query 'WebhookDeliveries.failureRate by WebhookDeliveries.hook'
  $ sluice query 'MilestoneBurndown.openCount by MilestoneBurndown.milestone, MilestoneBurndown.changedAt.day'

Exit code 5: a list could not be read, and is not up to date.`);
  return start<SyncFlags>(command, async () => (await import('../actions/sync.ts')).runSync);
}

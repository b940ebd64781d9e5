import { Command, Option } from 'commander';
import type { FunnelCheckFlags } from '../command-flags.ts';
import type { Start } from '../invocation.ts';

export function funnelCommand(start: Start): Command {
  const format = () => new Option('-f, --format <name>', 'text for people, json for editors and CI').choices(['text', 'json']).default('text');
  const check = new Command('check')
    .summary('find what is wrong with funnel files')
    .description('Reads funnel files and tells every problem of every file. Exit code 2 where there are errors.')
    .argument('[file...]', 'funnel files; all of the workspace where none is named')
    .option('--strict', 'warnings count as errors')
    .addOption(format())
    .addHelpText('after', `
Examples:
  $ sluice funnel check
  $ sluice funnel check funnels/checkout.yaml --strict
  $ sluice funnel check -f json`);
  const list = new Command('list')
    .summary('list the funnels of the workspace')
    .description('Lists funnels with their steps, from the funnels folder and from .gitlab/analytics/funnels.')
    .addOption(format())
    .addHelpText('after', `
Examples:
  $ sluice funnel list
  $ sluice funnel list -f json`);
  return new Command('funnel')
    .summary('check and list funnels')
    .description('Funnels: steps that users take one after the other. A file each, in the folder funnels.')
    .addCommand(start<FunnelCheckFlags>(check, async () => (await import('../actions/funnel-check.ts')).runFunnelCheck))
    .addCommand(start<FunnelCheckFlags>(list, async () => (await import('../actions/funnel-list.ts')).runFunnelList));
}

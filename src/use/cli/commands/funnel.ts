import { Command, Option } from 'commander';
import { trendUnits } from '../../../ask/funnel/funnel.ts';
import { chartFlagChoices } from '../command/chart-flags.ts';
import type { FunnelCheckFlags, FunnelRunFlags } from '../command/command-flags.ts';
import { collectNames } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

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
  const run = new Command('run')
    .summary('count how far users came')
    .description('Runs a funnel of the workspace: who reached each step, conversion, drop-off and, on local engines, times to convert.')
    .argument('<funnel>', "a funnel's name, or that of its file")
    .option('--range <phrase>', 'events from when to when, e.g. "last 30 days", 2024-03, 2024-03-01..2024-03-14')
    .option('--by-entry', 'the range is for the first steps alone, and what follows on them counts to the end of its time')
    .option('--timezone <zone>', 'the zone that days are counted in, e.g. Europe/Berlin')
    .addOption(new Option('--trend <unit>', 'the figures of those who began in each').choices(trendUnits).conflicts('users'))
    .option('--users <who>', 'list users instead, as csv, tsv, json or ndjson: converted, converted:STEP or dropped:STEP')
    .addOption(new Option('-f, --format <names>', 'table, chart, json, ndjson, csv, tsv, markdown, html, parquet, arrow, vega-lite, svg or png; several with commas and -o DIR').argParser(collectNames))
    .option('-o, --output <file>', 'write to a file (its ending tells the format), to a folder with several formats; - is stdout')
    .addOption(new Option('--chart <kind>', 'how a chart is drawn, where it is not to be decided').choices(chartFlagChoices.chart))
    .addOption(new Option('--theme <name>', 'the background that a chart is for').choices(chartFlagChoices.theme))
    .option('--ascii', 'draw charts in the terminal with ASCII signs only')
    .addOption(new Option('--picture <how>', 'show charts as pictures, in terminals that can').choices(chartFlagChoices.picture))
    .option('--all', 'all rows in a table, not a screenful')
    .option('--with-provenance', 'JSON with marks, and where every number comes from')
    .addHelpText('after', `
Examples:
  $ sluice funnel run checkout --range 'last 30 days'
  $ sluice funnel run checkout --range 2024-03 --by-entry --trend week
  $ sluice funnel run checkout -o checkout.svg
  $ sluice funnel run checkout --users dropped:2 -f csv > dropped.csv`);
  return new Command('funnel')
    .summary('check, list and run funnels')
    .description('Funnels: steps that users take one after the other. A file each, in the folder funnels; sluice schema funnel tells what one holds.')
    .addHelpText('after', `
Examples:
  $ sluice funnel list
  $ sluice funnel run checkout --range 'last 30 days'
  $ sluice funnel check                          what is wrong with the funnels of the workspace`)
    .addCommand(start<FunnelCheckFlags>(check, async () => (await import('../actions/funnel-check.ts')).runFunnelCheck))
    .addCommand(start<FunnelRunFlags>(run, async () => (await import('../actions/funnel-run.ts')).runFunnelRun))
    .addCommand(start<FunnelCheckFlags>(list, async () => (await import('../actions/funnel-list.ts')).runFunnelList));
}

import { Command, Option } from 'commander';
import type { UsageFlags } from '../command/command-flags.ts';
import { collect, collectNames } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function usageCommand(start: Start): Command {
  const command = new Command('usage')
    .summary('count events a month, for groups and projects')
    .description('Counts the events of each project and group by month: the last closed one, those before it, and the one in progress with a forecast to its end. Projects that are not onboarded are left out, which is said; one that fails is named, and never counted as 0.')
    .argument('[group...]', 'groups of the configuration, or of the platform; all of the configuration where none is named')
    .option('--month <month>', 'the month that is reported, e.g. 2026-10 or "this month"; the last closed one where not set')
    .option('--months <n>', 'how many months are shown; 6 where not set')
    .option('--timezone <zone>', 'the zone of the calendar, e.g. Europe/Berlin')
    .option('--no-forecast', 'leave out what the month in progress is expected to come to')
    .option('--freeze', 'keep the reported month as it is issued now, so that later runs tell what has come since')
    .option('--allow-stale', 'freeze also if the data at hand may end before the month does')
    .addOption(new Option('-f, --format <names>', 'table, chart, json, ndjson, csv, tsv, markdown, html, eml (a letter), svg, png, vega-lite, parquet or arrow; several with commas and -o DIR').argParser(collectNames))
    .option('-o, --output <file>', 'write to a file (its ending tells the format), to a folder with several formats; - is stdout')
    .option('--with-provenance', 'JSON with marks, and where every number comes from')
    .addOption(new Option('--to <address>', 'eml: who the letter is for; repeatable').argParser(collect))
    .option('--from <address>', 'eml: who sends it')
    .option('--subject <text>', 'eml: “Usage in” and the month where not set')
    .addHelpText('after', `
Examples:
  $ sluice usage
  $ sluice usage acme --month 2026-10 -f csv > october.csv
  $ sluice usage --month 'last month' --freeze
  $ sluice usage -f eml --from reports@example.org --to team@example.org | sendmail -t`);
  return start<UsageFlags>(command, async () => (await import('../actions/usage.ts')).runUsage);
}

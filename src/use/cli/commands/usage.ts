import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { UsageFlags } from '../command/command-flags.ts';
import { collect, collectNames } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function usageCommand(start: Start): Command {
  const command = new Command('usage')
    .summary('count monthly events of groups and projects')
    .description(
      'Counts events of each project and group by month: the last complete month, earlier months, and the ' +
        'current month with a forecast. The report lists projects that are not onboarded and projects that fail. ' +
        'A failed project is never counted as 0.',
    )
    .argument('[group...]', 'groups of the configuration or the platform (default: all of the configuration)')
    .option('--month <month>', 'month to report, e.g. 2026-10 or "this month" (default: last complete month)')
    .option('--months <n>', 'number of months to show (default: 6)')
    .option('--timezone <zone>', 'time zone, e.g. Europe/Berlin')
    .option('--no-forecast', 'do not forecast the current month')
    .option('--freeze', 'save the reported month, so that later runs show events that arrived since')
    .option('--allow-stale', 'freeze even if the data may end before the month')
    .addOption(
      new Option(
        '-f, --format <names>',
        'table, chart, json, ndjson, csv, tsv, markdown, html, pdf, eml (an email), svg, png, vega-lite, xlsx, ' +
          'parquet or arrow; several with commas and -o DIR',
      ).argParser(collectNames),
    )
    .option(
      '-o, --output <file>',
      'write to a file (its ending sets the format), or to a folder for several formats; - is stdout',
    )
    .option('--with-provenance', 'add notes and the source of every number to JSON')
    .addOption(new Option('--to <address>', 'eml: recipient; repeatable').argParser(collect))
    .option('--from <address>', 'eml: sender')
    .option('--subject <text>', 'eml: subject (default: “Usage in” and the month)')
    .examples(`
  $ sluice usage
  $ sluice usage acme --month 2026-10 -f csv > october.csv
  $ sluice usage --month 'last month' --freeze
  $ sluice usage -f eml --from reports@example.org --to team@example.org | sendmail -t`);
  return start<UsageFlags>(command, async () => (await import('../actions/usage.ts')).runUsage);
}

import { Command, Option } from 'commander';
import { fillModes } from '../../../ask/query/saved-query.ts';
import { startEngine } from '../../workspace/starting-engine.ts';
import { chartFlagChoices } from '../command/chart-flags.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import { collect, collectNames } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function queryCommand(start: Start): Command {
  const command = new Command('query')
    .summary('answer a question')
    .description('Answers a question: a saved query by name, a query file, `-` for one on stdin, a question in one line, or flags. Flags change what a saved query asks.\nWhat can be counted and grouped by is listed by `sluice model`.')
    .argument('[question...]', "a saved query's name, a file, - or a question in one line")
    .optionsGroup('What to ask:')
    .addOption(new Option('-m, --measure <name>', 'what to count or add up; repeatable').argParser(collect))
    .addOption(new Option('-d, --dimension <name>', 'what to group by; repeatable').argParser(collect))
    .addOption(new Option('-t, --time <member[:granularity]>', 'what time to group by, e.g. utcTime:day').argParser(collect))
    .option('--range <phrase>', 'from when to when, e.g. "last 30 days", 2024-03, 2024-03-01..2024-03-14')
    .addOption(new Option('--where <condition>', "only rows for which it holds, e.g. 'eventType = pageview'; repeatable").argParser(collect))
    .addOption(new Option('--segment <name>', 'only rows of the segment; repeatable').argParser(collect))
    .addOption(new Option('--order <member[:desc]>', 'what to sort by; repeatable').argParser(collect))
    .option('--limit <n>', 'at most so many rows')
    .option('--offset <n>', 'leave out the first rows')
    .option('--timezone <zone>', 'the zone that days are counted in, e.g. Europe/Berlin')
    .option('--total', 'also count all rows, as if there were no limit')
    .option('--ungrouped', 'a row for each event, session or user')
    .addOption(new Option('--fill <mode>', 'which gaps of a time series are filled').choices(fillModes))
    .addOption(new Option('--fill-with <value>', 'what averages are filled with, as the platform does it').choices(['0']))
    .optionsGroup('How to answer:')
    .addOption(new Option('-f, --format <names>', 'table, chart, json, ndjson, csv, tsv, markdown, html, parquet, arrow, vega-lite, svg or png; several with commas and -o DIR').argParser(collectNames))
    .option('-o, --output <file>', 'write to a file (its ending tells the format, and .gz or .zst packs it), to a folder with several formats; - is stdout')
    .addOption(new Option('--chart <kind>', 'how a chart is drawn, where it is not to be decided').choices(chartFlagChoices.chart))
    .addOption(new Option('--theme <name>', 'the background that a chart is for').choices(chartFlagChoices.theme))
    .option('--ascii', 'draw charts in the terminal with ASCII signs only')
    .addOption(new Option('--picture <how>', 'show charts as pictures, in terminals that can').choices(chartFlagChoices.picture))
    .option('--all', 'all rows in a table, not a screenful')
    .option('--with-provenance', 'JSON with marks, and where every number comes from')
    .option('--explain', 'show what would run, and run nothing')
    .option('--all-saved', 'answer every saved query of the workspace')
    .addHelpText('after', `
Examples:
  $ sluice query 'pageViewsCount by docPath last 30 days where eventType = pageview top 10'
  $ sluice query -m uniqueUsersCount -t utcTime:day --range 'last 14 days'
  $ sluice query 'uniqueUsersCount day last 30 days' -f chart
  $ sluice query daily-active-users --events 'events/*.ndjson.gz' -f csv > users.csv
  $ sluice query --ungrouped -d utcTime -d docPath --limit 50000000 -o events.parquet
  $ sluice query queries/top-pages.yaml --where 'docHost = www.example.com' --limit 5
  $ echo '{"measures": ["TrackedEvents.count"]}' | sluice query - -f json`);
  return start<QueryFlags>(command, async () => {
    const engine = await startEngine();
    const { runQuery } = await import('../actions/query.ts');
    return (invocation) => runQuery(invocation, engine);
  });
}

import { Option } from 'commander';
import { Command } from '../command/command.ts';
import { fillModes } from '../../../ask/query/saved-query.ts';
import { lateEngine, startEngine } from '../../workspace/starting-engine.ts';
import { addAnswerFlags } from '../command/answer-flags.ts';
import { wasAnswered } from '../command/answered-before.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import { collect } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function queryCommand(start: Start): Command {
  const command = new Command('query')
    .summary('answer a question')
    .description(
      'Runs a query: a saved query, a query file, `-` for stdin, a one-line question, or flags. ' +
        'Flags override a saved query.\nFor measures and dimensions, run `sluice model`.',
    )
    .argument('[question...]', 'saved query, file, - or one-line question')
    .optionsGroup('What to ask:')
    .addOption(
      new Option(
        '-m, --measure <name>',
        'measure, or formula such as "count / uniqueUsersCount"; repeatable',
      ).argParser(collect),
    )
    .addOption(new Option('-d, --dimension <name>', 'dimension to group by; repeatable').argParser(collect))
    .addOption(
      new Option('-t, --time <member[:granularity]>', 'time dimension and granularity, e.g. utcTime:day').argParser(
        collect,
      ),
    )
    .option('-r, --range <phrase>', 'date range, e.g. "last 30 days", 2024-03, 2024-03-01..2024-03-14')
    .addOption(
      new Option('--where <condition>', "filter rows, e.g. 'eventType = pageview'; repeatable").argParser(collect),
    )
    .addOption(new Option('--segment <name>', 'filter by a segment; repeatable').argParser(collect))
    .addOption(new Option('--order <member[:desc]>', 'member to sort by; repeatable').argParser(collect))
    .option('--limit <n>', 'maximum number of rows')
    .option('--offset <n>', 'number of rows to skip')
    .option('--timezone <zone>', 'time zone, e.g. Europe/Berlin')
    .option('--total', 'also count all rows, ignoring the limit')
    .option('--ungrouped', 'return rows without grouping')
    .addOption(new Option('--fill <mode>', 'how to fill gaps in a time series').choices(fillModes))
    .addOption(new Option('--fill-with <value>', 'value for averages in filled gaps').choices(['0']))
    .addOption(
      new Option(
        '--map <field=column>',
        'map an event field to a column or a JSON path, e.g. utcTime=created_at; repeatable',
      ).argParser(collect),
    )
    .option('--preset <name>', 'tracker that exported the files, or none (default: detected)')
    .optionsGroup('How to answer:');
  addAnswerFlags(command)
    .option('--explain', 'print the statement without running it')
    .option('--users', 'list the users behind the rows instead; --where chooses the rows')
    .option('--all-saved', 'run every saved query of the workspace')
    .examples(`
  $ sluice query 'count by docPath last 30 days where agentName = Safari top 10'
  $ sluice query -m uniqueUsersCount -t utcTime:day --range 'last 14 days'
  $ sluice query 'uniqueUsersCount day last 30 days' -f chart
  $ sluice query daily-active-users --events 'log/*.ndjson' -f csv > users.csv
  $ sluice query --ungrouped -d utcTime -d url --limit 9000000 -o rows.parquet
  $ sluice query 'count last 7 days' --where 'docPath = /pricing' --users
  $ sluice query queries/top-pages.yaml --where 'docHost = a.com' --limit 5
  $ echo '{"measures": ["TrackedEvents.count"]}' | sluice query - -f json`);
  return start<QueryFlags>(command, async (given) => {
    // If the command was answered before, its answer is probably cached.
    const engine = given.flags.cache !== false && (await wasAnswered(given)) ? lateEngine : await startEngine();
    const { runQuery } = await import('../actions/query.ts');
    return (invocation) => runQuery(invocation, engine);
  });
}

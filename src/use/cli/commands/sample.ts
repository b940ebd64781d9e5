import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type { SampleFlags } from '../command/command-flags.ts';
import { wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function sampleCommand(start: Start): Command {
  const command = new Command('sample')
    .summary('generate sample events')
    .description('Generates events of an invented web shop. The same flags give the same events.')
    .addOption(new Option('-n, --count <n>', 'number of events').argParser(wholeNumber).default(50_000))
    .addOption(new Option('--seed <n>', 'seed for the random events').argParser(wholeNumber).default(1))
    .addOption(new Option('--days <n>', 'number of days (default: 90, or one day per event)').argParser(wholeNumber))
    .addOption(new Option('--to <day>', 'last day').default('2026-10-20'))
    .addOption(
      new Option(
        '--vocabulary <name>',
        'column names: those of the documentation, the newer ones, or those of Snowplow',
      )
        .choices(['documentation', 'newer', 'snowplow'])
        .default('documentation'),
    )
    .option(
      '-o, --output <file>',
      'output file: .parquet, .arrow, .ndjson, .json or .csv; ' +
        'the last three also with .gz or .zst (default: in .sluice/sample/)',
    )
    .addOption(new Option('--out <file>', 'the same').hideHelp())
    .option('--if-missing', 'do nothing if the file already exists')
    .examples(`
  $ sluice sample
  $ sluice sample --count 100000 --days 90 --seed 7
  $ sluice sample --count 10_000_000 --days 730 -o two-years.parquet
  $ sluice sample --vocabulary snowplow -o sample.ndjson.gz`);
  return start<SampleFlags>(command, async () => (await import('../actions/sample.ts')).runSample);
}

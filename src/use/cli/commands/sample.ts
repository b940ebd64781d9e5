import { Command, Option } from 'commander';
import type { SampleFlags } from '../command/command-flags.ts';
import { wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function sampleCommand(start: Start): Command {
  const command = new Command('sample')
    .summary('make sample events')
    .description('Writes made-up events of a small web shop: the same ones for the same flags.')
    .addOption(new Option('-n, --count <n>', 'how many events').argParser(wholeNumber).default(50_000))
    .addOption(new Option('--seed <n>', 'another seed gives other events').argParser(wholeNumber).default(1))
    .addOption(new Option('--days <n>', 'how many days they cover (default: 90, or a day an event)').argParser(wholeNumber))
    .addOption(new Option('--to <day>', 'the last of them').default('2026-10-20'))
    .addOption(new Option('--vocabulary <name>', 'by whose names the file calls its columns: those of the documentation, the newer ones, or those of Snowplow').choices(['documentation', 'newer', 'snowplow']).default('documentation'))
    .option('-o, --output <file>', 'where to: .parquet, .arrow, or .ndjson, .json or .csv, these also with .gz or .zst; .sluice/sample/ in the workspace where not set')
    .addOption(new Option('--out <file>', 'the same').hideHelp())
    .option('--if-missing', 'do nothing where they are there already')
    .addHelpText('after', `
Examples:
  $ sluice sample
  $ sluice sample --count 100000 --days 90 --seed 7
  $ sluice sample --count 10_000_000 --days 730 -o two-years.parquet
  $ sluice sample --vocabulary snowplow -o sample.ndjson.gz`);
  return start<SampleFlags>(command, async () => (await import('../actions/sample.ts')).runSample);
}

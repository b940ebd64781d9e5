import { Option } from 'commander';
import { Command } from '../command/command.ts';
import { collect } from '../command/flag-values.ts';
import type { IngestFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function ingestCommand(start: Start): Command {
  const command = new Command('ingest')
    .summary('load events into the store')
    .description(
      'Loads event files into the store, each event once. Files, export windows and event IDs that were ' +
        'loaded before are skipped. Reads NDJSON, JSON, CSV, TSV, Parquet, Arrow and Snowplow enriched events, ' +
        'also as .gz and .zst, workbooks and tables of databases (app.db/TABLE).\n--project sets the ' +
        'project of events without one. Lines that cannot be read are kept next to the store (exit code 5).',
    )
    .argument('<files...>', 'files, patterns or folders')
    .addOption(
      new Option(
        '--map <field=column>',
        'map an event field to a column or a JSON path, e.g. utcTime=created_at; repeatable',
      ).argParser(collect),
    )
    .option('--preset <name>', 'tracker that exported the files, or none (default: detected)')
    .addOption(new Option('--to <place>', 'where else the store is loaded then').choices(['clickhouse']))
    .examples(`
  $ sluice ingest events.ndjson.gz
  $ sluice ingest 'exports/*.parquet' --project 42
  $ sluice ingest exports/ --store /srv/analytics/store
  $ sluice ingest shop.csv --map utcTime=created_at --map docPath=page
  $ sluice ingest exports/ --to clickhouse
  $ sluice store stats`);
  return start<IngestFlags>(command, async () => (await import('../actions/ingest.ts')).runIngest);
}

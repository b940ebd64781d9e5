import { Command } from 'commander';
import type { Start } from '../command/invocation.ts';

export function ingestCommand(start: Start): Command {
  const command = new Command('ingest')
    .summary('take events into the store')
    .description('Takes files of events into the store of the workspace, each event once: a file or export window that is there already is left out, and so is an event whose id is. NDJSON, JSON, CSV, TSV, Parquet, Arrow and Snowplow\'s enriched events, also .gz and .zst.\n--project names the project of events that do not say theirs. What could not be read is put beside the store (exit code 5).')
    .argument('<files...>', 'files, patterns or folders')
    .addHelpText('after', `
Examples:
  $ sluice ingest events.ndjson.gz
  $ sluice ingest 'exports/*.parquet' --project 42
  $ sluice ingest exports/ --store /srv/analytics/store
  $ sluice store stats`);
  return start(command, async () => (await import('../actions/ingest.ts')).runIngest);
}

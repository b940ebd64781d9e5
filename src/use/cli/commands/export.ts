import { InvalidArgumentError, Option } from 'commander';
import { Command } from '../command/command.ts';
import { exportFormats } from '../../../run/export/files/unit-form.ts';
import { readWait } from '../../config/read-wait.ts';
import type { ExportFlags } from '../command/command-flags.ts';
import { collectNames, wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function exportCommand(start: Start): Command {
  const command = new Command('export')
    .summary('export raw events to files')
    .description(
      'Exports every event of a range exactly once. The range is split into time windows. Each window is counted ' +
        'before and after, and written with a manifest. Run the same command again to resume a stopped export. ' +
        'Events of the last hour are left out, because more may arrive.',
    )
    .optionsGroup('What to export:')
    .option(
      '--range <phrase>',
      'date range in whole days, both ends included, e.g. 2026-09-01,2026-09-30 or "last month"',
    )
    .option('--since-last', 'export events since the last export in this folder, with the same settings')
    .addOption(
      new Option(
        '--recheck [what]',
        'also export windows again if their number of events changed, as a new revision; ' +
          '"contents" fetches all windows to find other changes, too',
      ).choices(['contents']),
    )
    .addOption(
      new Option(
        '-d, --dimension <names>',
        'dimension or property to export (repeatable; default: all of the cube but those computed from others, ' +
          'and all properties of your own files); time and users are always included',
      ).argParser(collectNames),
    )
    .addOption(
      new Option(
        '--without <names>',
        'dimension to leave out, e.g. userAnonymousId; without time or users the export is incomplete',
      ).argParser(collectNames),
    )
    .option('--cube <name>', 'cube of the events (default: TrackedEvents)')
    .option('--timezone <zone>', 'time zone of the days, e.g. Europe/Berlin')
    .addOption(
      new Option('--watermark <time>', 'how late events may arrive, e.g. 90m (default: 1h)').argParser(watermark),
    )
    .optionsGroup('How to write it:')
    .option('-o, --output <folder>', 'output folder (one file per window), or one file (its ending sets the format)')
    .addOption(
      new Option(
        '-f, --format <name>',
        `${exportFormats.slice(0, -1).join(', ')} or ${exportFormats.at(-1)!} (default: ndjson)`,
      ).choices(exportFormats),
    )
    .addOption(new Option('--pack <how>', 'compress the files').choices(['gzip', 'zstd']))
    .option('--expand', 'write one row per event: repeat rows that count several equal events')
    .option('--safe-csv', 'escape cells that a spreadsheet would run as formulas')
    .addOption(
      new Option('--concurrency <n>', 'number of windows to export in parallel').argParser(concurrency).default(4),
    )
    .addOption(new Option('--summary <format>', 'print a summary to stdout').choices(['json']))
    .optionsGroup('Instead of exporting:')
    .option('--dry-run', 'list the windows without exporting')
    .option('--explain', 'list the windows with their queries')
    .option('--verify', 'verify an export against its manifests: hashes, rows, events, gaps and overlaps')
    .examples(`
  $ sluice export --range 2026-09-01,2026-09-30 -o september
  $ sluice export --range 'last month' -f parquet -o september
  $ sluice export --range 2026 -o 2026.csv.gz --safe-csv
  $ sluice export --since-last --recheck -o september     run every night
  $ sluice export --verify -o september
  $ sluice ingest september                               query it offline`);
  return start<ExportFlags>(command, async () => (await import('../actions/export.ts')).runExport);
}

function watermark(text: string): number {
  const time = text.trim() === '0' ? 0 : readWait(text);
  if (time === undefined) throw new InvalidArgumentError('Use a duration, e.g. 90m or 6h, or 0.');
  return time;
}

function concurrency(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > 64) throw new InvalidArgumentError('Use a number from 1 to 64.');
  return number;
}

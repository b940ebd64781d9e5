import { Command, InvalidArgumentError, Option } from 'commander';
import { exportFormats } from '../../../run/export/files/unit-form.ts';
import { readWait } from '../../config/read-wait.ts';
import type { ExportFlags } from '../command/command-flags.ts';
import { collectNames, wholeNumber } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function exportCommand(start: Start): Command {
  const command = new Command('export')
    .summary('write all events of some days to files')
    .description('Writes all events of a range to files, each once: cut into windows of time, each counted before and after, and committed with a manifest. Stopped at any moment, the same command goes on. Events of the last hour are left out: more of them may come.')
    .optionsGroup('What to export:')
    .option('--range <phrase>', 'from when to when, whole days, both ends in, e.g. 2026-09-01,2026-09-30 or "last month"')
    .option('--since-last', 'what has closed since the last export into the folder, as that one was')
    .option('--recheck', 'besides, what has changed of what is there, as its next revision')
    .addOption(new Option('-d, --dimension <names>', 'what the rows hold; repeatable; all of the cube where not given, its time and users always').argParser(collectNames))
    .addOption(new Option('--without <names>', 'what they do not hold, e.g. userAnonymousId; without time or users the export is incomplete').argParser(collectNames))
    .option('--cube <name>', 'the cube of the events, TrackedEvents where not given')
    .option('--timezone <zone>', 'of the days, e.g. Europe/Berlin')
    .addOption(new Option('--watermark <time>', 'how long events may still come in after they happened, e.g. 90m, 1h where not given').argParser(watermark))
    .optionsGroup('How to write it:')
    .option('-o, --output <folder>', 'a folder, for a file a window; or a file, whose ending tells the format')
    .addOption(new Option('-f, --format <name>', `${exportFormats.slice(0, -1).join(', ')} or ${exportFormats.at(-1)!}; ndjson where not given`).choices(exportFormats))
    .addOption(new Option('--pack <how>', 'pack the files').choices(['gzip', 'zstd']))
    .option('--expand', 'a row an event: rows that stand for several equal events are repeated')
    .option('--safe-csv', 'make cells harmless that a spreadsheet would run as formulas')
    .addOption(new Option('--concurrency <n>', 'windows at once').argParser(concurrency).default(4))
    .addOption(new Option('--summary <format>', 'tell on stdout what came of it').choices(['json']))
    .optionsGroup('Instead of exporting:')
    .option('--dry-run', 'show the windows, and fetch none')
    .option('--explain', 'the same, with what would be asked')
    .option('--verify', 'hold an export against its manifests: hashes, rows, events, no gap and no overlap')
    .addHelpText('after', `
Examples:
  $ sluice export --range 2026-09-01,2026-09-30 -o september
  $ sluice export --range 'last month' -f parquet -o september
  $ sluice export --range 2026 -o 2026.csv.gz --safe-csv
  $ sluice export --since-last --recheck -o september     for every night
  $ sluice export --verify -o september
  $ sluice ingest september                               and ask it all offline`);
  return start<ExportFlags>(command, async () => (await import('../actions/export-command.ts')).runExportCommand);
}

function watermark(text: string): number {
  const time = text.trim() === '0' ? 0 : readWait(text);
  if (time === undefined) throw new InvalidArgumentError('It takes a time, e.g. 90m or 6h, or 0.');
  return time;
}

function concurrency(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > 64) throw new InvalidArgumentError('It takes a number from 1 to 64.');
  return number;
}

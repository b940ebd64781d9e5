import { Option } from 'commander';
import { Command } from '../command/command.ts';
import type {
  ReportCheckFlags,
  ReportDiffFlags,
  ReportListFlags,
  ReportNewFlags,
  ReportRunFlags,
  ReportScheduleFlags,
} from '../command/command-flags.ts';
import { collect, collectNames, textOrJson } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function reportCommand(start: Start): Command {
  const check = new Command('check')
    .summary('check reports for errors')
    .description(
      'Reads reports, checks their questions without running them, and lists every problem. ' +
        'Exits with code 2 if there are errors.',
    )
    .argument('[report...]', 'report files or names (default: all in the workspace)')
    .option('--strict', 'treat warnings as errors')
    .addOption(textOrJson('output format: text, or json for editors and CI'))
    .examples(`
  $ sluice report check
  $ sluice report check reports/weekly-overview.md --strict
  $ sluice report check -f json`);
  const run = new Command('run')
    .summary('run a report')
    .description(
      'Runs the questions of a report and writes the report. ' +
        'Exits with code 1 if a check fails, and 5 if a cell fails.\n' +
        'A report with failures does not overwrite an earlier one. It is written next to it as NAME.failed.md.',
    )
    .argument('[report...]', 'report file or name; with --due several (default: all with a schedule)')
    .addOption(new Option('--param <name=value>', 'parameter of the report; repeatable').argParser(collect))
    .addOption(
      new Option(
        '-f, --format <names>',
        'markdown (md), html, pdf, json or eml (an email); several with commas and -o DIR (default: markdown)',
      ).argParser(collectNames),
    )
    .option('-o, --output <file>', 'write to a file (its ending sets the format), or to a folder; - is stdout')
    .option('--force', 'overwrite an earlier report even if this one has failures')
    .option(
      '--due',
      'run reports that are due by their schedule, once, and deliver them as they specify (default: ' +
        'HTML in the folder out)',
    )
    .option('--deliver', 'deliver as the front matter or the configuration specifies, like --due')
    .option('--state <folder>', 'folder of the run records (default: .sluice/reports)')
    .addOption(new Option('--to <address>', 'eml: recipient; repeatable').argParser(collect))
    .option('--from <address>', 'eml: sender')
    .option('--subject <text>', 'eml: subject (default: title of the report)')
    .examples(`
  $ sluice report run weekly-overview
  $ sluice report run weekly-overview --param week=2026-W41 -f md,json -o out/
  $ sluice report run reports/engagement.md -o engagement.html
  $ sluice report run --due  run all reports that are due, for a scheduler
  $ sluice report run engagement -f eml --from reports@example.org --to board@example.org | sendmail -t`);
  const schedule = new Command('schedule')
    .summary('print a schedule for cron, systemd or GitLab')
    .description(
      'Prints the configuration for a scheduler. ' +
        'The scheduler runs `report run --due`, which runs each due report once, however often it is called.',
    )
    .argument('[report]', 'report file or name, with `schedule:` in its front matter (default: all of them)')
    .addOption(
      new Option(
        '--for <scheduler>',
        'crontab line, systemd timer and service, or pipeline job with the API call for its schedule',
      )
        .choices(['cron', 'systemd', 'gitlab'])
        .default('cron'),
    )
    .option('--state <folder>', 'folder of the run records, as for report run (default: .sluice/reports)')
    .examples(`
  $ sluice report schedule                       one line for all reports
  $ sluice report schedule monthly-usage --for systemd
  $ sluice report schedule monthly-usage --for gitlab --host https://code.example.org --project 42`);
  const list = new Command('list')
    .summary('list reports with their next slot and last result')
    .description('Lists all reports, when each runs next, when it last ran and with which result, and raised alerts.')
    .option('--state <folder>', 'folder of the run records (default: .sluice/reports)')
    .addOption(textOrJson())
    .examples(`
  $ sluice report list
  $ sluice report list -f json`);
  const diff = new Command('diff')
    .summary('show which figures changed since the last run')
    .description(
      'Answers a report and compares its figures with those of its last run that was written to a file ' +
        'or delivered. Writes nothing. Exits with code 0 if no figure changed, 1 if one changed, 2 if there is no ' +
        'earlier run, and 5 if a cell failed in one of the runs, or the earlier run cannot be read.',
    )
    .argument('<report>', 'report file or name')
    .addOption(new Option('--param <name=value>', 'parameter of the report; repeatable').argParser(collect))
    .option('--state <folder>', 'folder of the run records (default: .sluice/reports)')
    .addOption(textOrJson())
    .examples(`
  $ sluice report diff weekly-overview
  $ sluice report diff weekly-overview -f json`);
  const create = new Command('new')
    .summary('write a new report')
    .description(
      'Writes a whole report with comments into the reports folder. ' +
        'A terminal asks for what is left out; elsewhere the report is about page views by page.',
    )
    .argument('[name]', 'name of the report, such as weekly-overview')
    .argument('[question]', 'a question in one line, or the name of a saved query')
    .option('--schedule <text>', 'when to run it: daily at 06:00, weekly on monday at 06:00, monthly on day 1 at 06:00')
    .option('--title <text>', 'title of the report')
    .option('--force', 'replace a report of this name')
    .examples(`
  $ sluice report new
  $ sluice report new signups 'count by docPath where eventType = signup' --schedule 'monthly on day 1 at 06:00'
  $ sluice report new pages top-pages`);
  return new Command('report')
    .summary('write, list, check, run, compare and schedule reports')
    .description('A report is a Markdown file whose cells are questions. Each report is a file in the reports folder.')
    .examples(`
  $ sluice report check                   check the reports of the workspace
  $ sluice report run weekly-overview -o weekly.html
  $ sluice report schedule monthly-usage  a line for cron`)
    .addCommand(start<ReportCheckFlags>(check, async () => (await import('../actions/report-list.ts')).runReportCheck))
    .addCommand(start<ReportNewFlags>(create, async () => (await import('../actions/report-new.ts')).runReportNew))
    .addCommand(start<ReportListFlags>(list, async () => (await import('../actions/report-list.ts')).runReportList))
    .addCommand(start<ReportDiffFlags>(diff, async () => (await import('../actions/report-diff.ts')).runReportDiff))
    .addCommand(start<ReportRunFlags>(run, async () => (await import('../actions/report-run.ts')).runReportRun))
    .addCommand(
      start<ReportScheduleFlags>(schedule, async () => (await import('../actions/report-run.ts')).runReportSchedule),
    );
}

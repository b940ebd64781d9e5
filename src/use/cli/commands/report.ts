import { Command, Option } from 'commander';
import type { ReportCheckFlags, ReportRunFlags, ReportScheduleFlags } from '../command/command-flags.ts';
import { collect, collectNames } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

export function reportCommand(start: Start): Command {
  const check = new Command('check')
    .summary('find what is wrong with reports')
    .description('Reads reports, binds their questions and tells every problem of every file; asks nothing. Exit code 2 where there are errors.')
    .argument('[report...]', 'report files or their names; all of the workspace where none is named')
    .option('--strict', 'warnings count as errors')
    .addOption(new Option('-f, --format <name>', 'text for people, json for editors and CI').choices(['text', 'json']).default('text'))
    .addHelpText('after', `
Examples:
  $ sluice report check
  $ sluice report check reports/weekly-overview.md --strict
  $ sluice report check -f json`);
  const run = new Command('run')
    .summary('answer a report')
    .description('Answers the questions of a report and writes it. Exit code 1 where a check of it fails, 5 where a cell does.\nA report with failures takes no older one\'s place: it is written beside it, as NAME.failed.md.')
    .argument('[report...]', 'a report file, or its name; with --due several, or all that have a schedule')
    .addOption(new Option('--param <name=value>', "a parameter of the report; repeatable").argParser(collect))
    .addOption(new Option('-f, --format <names>', 'markdown (md), html, json or eml (a letter); markdown where nothing is said; several with commas and -o DIR').argParser(collectNames))
    .option('-o, --output <file>', 'write to a file (its ending tells the format), or to a folder; - is stdout')
    .option('--force', 'let a report with failures take the place of an older one')
    .option('--due', 'run what its schedule has made due since it last ran, once; it goes where the report says, else as HTML into the folder out')
    .option('--deliver', 'take it where its front matter or the configuration says, as --due does')
    .option('--state <folder>', 'where it is kept which reports ran; .sluice/reports where not set')
    .addOption(new Option('--to <address>', 'eml: who the letter is for; repeatable').argParser(collect))
    .option('--from <address>', 'eml: who sends it')
    .option('--subject <text>', 'eml: the title of the report where not set')
    .addHelpText('after', `
Examples:
  $ sluice report run weekly-overview
  $ sluice report run weekly-overview --param week=2026-W41 -f md,json -o out/
  $ sluice report run reports/engagement.md -o engagement.html
  $ sluice report run --due                              what is due of all reports, for a scheduler
  $ sluice report run engagement -f eml --from reports@example.org --to board@example.org | sendmail -t`);
  const schedule = new Command('schedule')
    .summary('have a scheduler run a report')
    .description('Prints what a scheduler is to be told: it asks for what is due, which then runs once, however often it is asked for.')
    .argument('<report>', 'a report file, or its name, with `schedule:` in its front matter')
    .addOption(new Option('--for <scheduler>', 'a line of a crontab, a timer and its service, or a job of a pipeline and the call that makes its schedule').choices(['cron', 'systemd', 'gitlab']).default('cron'))
    .option('--state <folder>', 'where it is kept which reports ran, as for report run; .sluice/reports where not set')
    .addHelpText('after', `
Examples:
  $ sluice report schedule monthly-usage
  $ sluice report schedule monthly-usage --for systemd
  $ sluice report schedule monthly-usage --for gitlab --host https://code.example.org --project 42`);
  return new Command('report')
    .summary('check, run and schedule reports')
    .description('Reports: Markdown files whose cells are questions. A file each, in the folder reports.')
    .addHelpText('after', `
Examples:
  $ sluice report check                          what is wrong with the reports of the workspace
  $ sluice report run weekly-overview -o weekly.html
  $ sluice report schedule monthly-usage         a line for cron`)
    .addCommand(start<ReportCheckFlags>(check, async () => (await import('../actions/report-check.ts')).runReportCheck))
    .addCommand(start<ReportRunFlags>(run, async () => (await import('../actions/report-run.ts')).runReportRun))
    .addCommand(start<ReportScheduleFlags>(schedule, async () => (await import('../actions/report-schedule.ts')).runReportSchedule));
}

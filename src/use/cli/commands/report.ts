import { Command, Option } from 'commander';
import type { ReportCheckFlags, ReportRunFlags } from '../command-flags.ts';
import { collect, collectNames } from '../flag-values.ts';
import type { Start } from '../invocation.ts';

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
    .argument('<report>', 'a report file, or its name')
    .addOption(new Option('--param <name=value>', "a parameter of the report; repeatable").argParser(collect))
    .addOption(new Option('-f, --format <names>', 'markdown (md) or json; several with commas and -o DIR').argParser(collectNames))
    .option('-o, --output <file>', 'write to a file (its ending tells the format), or to a folder; - is stdout')
    .option('--force', 'let a report with failures take the place of an older one')
    .addHelpText('after', `
Examples:
  $ sluice report run weekly-overview
  $ sluice report run weekly-overview --param week=2026-W41 -f md,json -o out/
  $ sluice report run reports/engagement.md -o engagement.md`);
  return new Command('report')
    .summary('check and run reports')
    .description('Reports: Markdown files whose cells are questions. A file each, in the folder reports.')
    .addCommand(start<ReportCheckFlags>(check, async () => (await import('../actions/report-check.ts')).runReportCheck))
    .addCommand(start<ReportRunFlags>(run, async () => (await import('../actions/report-run.ts')).runReportRun));
}

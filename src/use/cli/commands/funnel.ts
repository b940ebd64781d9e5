import { Command, Option } from 'commander';
import { trendUnits } from '../../../ask/funnel/funnel.ts';
import { addAnswerFlags } from '../command/answer-flags.ts';
import type { FunnelCheckFlags, FunnelRunFlags } from '../command/command-flags.ts';
import type { Start } from '../command/invocation.ts';

export function funnelCommand(start: Start): Command {
  const format = () =>
    new Option('-f, --format <name>', 'output format: text, or json for editors and CI')
      .choices(['text', 'json'])
      .default('text');
  const check = new Command('check')
    .summary('check funnel files for errors')
    .description('Reads funnel files and lists every problem. Exits with code 2 if there are errors.')
    .argument('[file...]', 'funnel files (default: all in the workspace)')
    .option('--strict', 'treat warnings as errors')
    .addOption(format())
    .addHelpText(
      'after',
      `
Examples:
  $ sluice funnel check
  $ sluice funnel check funnels/checkout.yaml --strict
  $ sluice funnel check -f json`,
    );
  const list = new Command('list')
    .summary('list the funnels of the workspace')
    .description('Lists the funnels in the funnels folder and in .gitlab/analytics/funnels, with their steps.')
    .addOption(format())
    .addHelpText(
      'after',
      `
Examples:
  $ sluice funnel list
  $ sluice funnel list -f json`,
    );
  const run = new Command('run')
    .summary('count users at each step of a funnel')
    .description('Runs a funnel: users at each step, conversion, drop-off and, with local events, time to convert.')
    .argument('<funnel>', 'name of a funnel or of its file')
    .option('--range <phrase>', 'date range of the events, e.g. "last 30 days", 2024-03, 2024-03-01..2024-03-14')
    .option('--by-entry', 'apply the range to the first step only; later steps count until the conversion window ends')
    .option('--timezone <zone>', 'time zone, e.g. Europe/Berlin')
    .addOption(
      new Option('--trend <unit>', 'show results by start date of users').choices(trendUnits).conflicts('users'),
    )
    .option(
      '--users <who>',
      'list users instead of counting them: converted, converted:STEP or dropped:STEP (csv, tsv, json or ndjson)',
    );
  addAnswerFlags(run).addHelpText(
    'after',
    `
Examples:
  $ sluice funnel run checkout --range 'last 30 days'
  $ sluice funnel run checkout --range 2024-03 --by-entry --trend week
  $ sluice funnel run checkout -o checkout.svg
  $ sluice funnel run checkout --users dropped:2 -f csv > dropped.csv`,
  );
  return new Command('funnel')
    .summary('check, list and run funnels')
    .description(
      'A funnel is a sequence of steps that users take. Each funnel is a file in the funnels folder. For the file format, run: sluice schema funnel',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ sluice funnel list
  $ sluice funnel run checkout --range 'last 30 days'
  $ sluice funnel check                          check the funnels of the workspace`,
    )
    .addCommand(start<FunnelCheckFlags>(check, async () => (await import('../actions/funnel-check.ts')).runFunnelCheck))
    .addCommand(start<FunnelRunFlags>(run, async () => (await import('../actions/funnel-run.ts')).runFunnelRun))
    .addCommand(start<FunnelCheckFlags>(list, async () => (await import('../actions/funnel-list.ts')).runFunnelList));
}

import { Command, Option } from 'commander';
import { analysisNames } from '../../plan/analysis/analyses.ts';
import { offeredBackends } from '../config/offered-backends.ts';
import type { Effects } from '../process/effects.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { textWidth } from '../process/text-width.ts';
import { version } from '../workspace/version.ts';
import { cells, collect } from './command/flag-values.ts';
import type { Start } from './command/invocation.ts';
import { analysisCommand } from './commands/analysis.ts';
import { cohortCommand } from './commands/cohort.ts';
import { completionCommand } from './commands/completion.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exploreCommand } from './commands/explore.ts';
import { exportCommand } from './commands/export.ts';
import { ingestCommand } from './commands/ingest.ts';
import { initCommand } from './commands/init.ts';
import { loadCommand } from './commands/load.ts';
import { modelCommand } from './commands/model.ts';
import { queryCommand } from './commands/query.ts';
import { reportCommand } from './commands/report.ts';
import { sampleCommand } from './commands/sample.ts';
import { schemaCommand } from './commands/schema.ts';
import { serveCommand } from './commands/serve.ts';
import { storeCommand } from './commands/store.ts';
import { usageCommand } from './commands/usage.ts';

/**
 * All commands, their flags and their help. Texts of help and usage errors go to the effects;
 * `finish` is told the exit code of the command that ran.
 */
export function toProgram(effects: Effects, say: Narrator, finish: (code: ExitCode) => void): Command {
  const start: Start = (command, work) =>
    command.action(async () => {
      const run = await work();
      finish(await run({ args: command.args, flags: command.optsWithGlobals(), effects }));
    });
  const program = new Command('sluice')
    .description('Queries and reports product analytics.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addOption(
      new Option(
        '--events <pattern>',
        'event files (NDJSON, CSV or Parquet, also .gz and .zst; quote patterns); repeatable',
      ).argParser(collect),
    )
    .option('--encoding <name>', 'encoding of text files that are not UTF-8, e.g. windows-1252, shift_jis, utf-16')
    .option('--store <folder>', 'event store (used if no event files are given)')
    .option('--as-of <time>', 'reference time for relative ranges such as “last 7 days”, e.g. 2024-03-08')
    .option('--known-at <time>', 'only events that the store had at this time, e.g. 2024-03-08')
    .addOption(new Option('--backend <name>', 'backend').choices(offeredBackends))
    .option('--project <id>', 'only events of this project')
    .option('--host <url>', 'URL of the platform')
    .option('--wait <time>', 'timeout for remote queries, e.g. 10m (default: none)')
    .option(
      '--memory <amount>',
      'memory limit of the embedded engine before it spills to disk, e.g. 4GB (default: half of the free memory)',
    )
    .option('--config <file>', 'configuration file (default: sluice.yaml)')
    .addOption(
      new Option('--width <n>', 'width of tables, charts and text in cells, also in pipes and files').argParser(cells),
    )
    .option('--quiet', 'print errors only')
    .option('--verbose', 'print details')
    .option('--no-color', 'no colour')
    .configureHelp({ showGlobalOptions: true, helpWidth: textWidth({}, effects), minWidthToWrap: 20 })
    .configureOutput({ writeOut: say.help, writeErr: say.help, outputError: say.mistake })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  $ sluice sample                                    generate sample events
  $ sluice query 'pageViewsCount by docPath last 30 days top 10'
  $ sluice query daily-active-users --events 'events/*.ndjson.gz'
  $ sluice model TrackedEvents                       list measures and dimensions
  $ sluice init                                      set up this folder for your own events
  $ sluice doctor                                    check the setup

Exit codes: 0 success, 1 failure, 2 invalid input, 3 authentication,
            4 remote error, 5 partial result, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).`,
    );
  for (const define of [
    queryCommand,
    exploreCommand,
    loadCommand,
    modelCommand,
    ...analysisNames
      .filter((name) => name !== 'cohort')
      .map((name) => (starting: Start) => analysisCommand(name, starting)),
    cohortCommand,
    usageCommand,
    reportCommand,
    serveCommand,
    schemaCommand,
    sampleCommand,
    exportCommand,
    ingestCommand,
    storeCommand,
    initCommand,
    doctorCommand,
    completionCommand,
  ]) {
    const command = define(start).copyInheritedSettings(program);
    for (const part of command.commands) part.copyInheritedSettings(command);
    program.addCommand(command);
  }
  return program;
}

export interface Narrator {
  readonly help: (text: string) => void;
  readonly mistake: (text: string) => void;
}

import { Command, Option } from 'commander';
import { analysisNames } from '../../plan/analysis/analysis-names.ts';
import { offeredBackends } from '../config/offered-backends.ts';
import type { Effects } from '../process/effects.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { helpWidth } from '../process/text-width.ts';
import { version } from '../workspace/version.ts';
import { cells, collect } from './command/flag-values.ts';
import type { Start } from './command/invocation.ts';
import { analysisCommand } from './commands/analysis.ts';
import { type AddOperations, apiCommand } from './commands/api.ts';
import { clickHouseCommand } from './commands/clickhouse.ts';
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
import { syncCommand } from './commands/sync.ts';
import { usageCommand } from './commands/usage.ts';

/**
 * All commands with their flags and help. Help and usage errors go to `say`; `finish` receives the exit code of the
 * command. `only`: the requested command, if known. `addOperations` makes the commands below `api`.
 */
export function toProgram(
  effects: Effects,
  say: Narrator,
  finish: (code: ExitCode) => void,
  only?: string,
  addOperations?: (taken: ReadonlySet<string>) => AddOperations,
): Command {
  const start: Start = (command, work) =>
    command.action(async () => {
      const invocation = { args: command.args, flags: command.optsWithGlobals(), effects };
      const run = await work(invocation as never);
      finish(await run(invocation as never));
    });
  const program = new Command('sluice')
    .description('Queries and reports product analytics.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addOption(
      new Option(
        '--events <pattern>',
        'event files (NDJSON, CSV, Parquet or Excel, also .gz and .zst; quote patterns); repeatable',
      ).argParser(collect),
    )
    .option('--encoding <name>', 'encoding of text files that are not UTF-8, e.g. windows-1252, shift_jis, utf-16')
    .option('--store <folder>', 'event store, instead of configured event files')
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
    .option('--no-cache', 'compute answers again, and keep none')
    .option('--config <file>', 'configuration file (default: sluice.yaml)')
    .addOption(
      new Option('--width <n>', 'width of tables, charts and text in cells, also in pipes and files').argParser(cells),
    )
    .option('--quiet', 'print errors only')
    .option('--verbose', 'print details')
    .addOption(new Option('--color <when>', 'colour: always also in pipes').choices(['auto', 'always', 'never']))
    .option('--no-color', 'no colour')
    .configureHelp({ showGlobalOptions: true, helpWidth: helpWidth(effects), minWidthToWrap: 20 })
    .configureOutput({ writeOut: say.help, writeErr: say.help, outputError: say.mistake })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  $ sluice sample               generate sample events
  $ sluice query 'pageViewsCount by docPath last 30 days top 10'
  $ sluice query daily-active-users --events 'events/*.ndjson.gz'
  $ sluice model TrackedEvents  list measures and dimensions
  $ sluice init                 set up this folder for your own events
  $ sluice doctor               check the setup

Exit codes: 0 success, 1 failure, 2 invalid input, 3 authentication,
            4 remote error, 5 partial result, 130 interrupted
            (143 by SIGTERM, 129 by SIGHUP).`,
    );
  const commands: Readonly<Record<string, (starting: Start) => Command>> = {
    query: queryCommand,
    explore: exploreCommand,
    load: loadCommand,
    model: modelCommand,
    ...Object.fromEntries(
      analysisNames
        .filter((name) => name !== 'cohort')
        .map((name) => [name, (starting: Start) => analysisCommand(name, starting)]),
    ),
    cohort: cohortCommand,
    usage: usageCommand,
    report: reportCommand,
    api: (starting) => apiCommand(starting, addOperations?.(new Set(program.options.map((option) => option.name())))),
    serve: serveCommand,
    schema: schemaCommand,
    sample: sampleCommand,
    export: exportCommand,
    ingest: ingestCommand,
    store: storeCommand,
    sync: syncCommand,
    clickhouse: clickHouseCommand,
    init: initCommand,
    doctor: doctorCommand,
    completion: completionCommand,
  };
  // Defining all commands takes longer than running most of them.
  const wanted = only !== undefined && Object.hasOwn(commands, only) ? commands[only] : undefined;
  for (const define of wanted ? [wanted] : Object.values(commands)) {
    const command = define(start).copyInheritedSettings(program);
    inherit(command);
    program.addCommand(command);
  }
  return program;
}

function inherit(command: Command): void {
  for (const part of command.commands) inherit(part.copyInheritedSettings(command));
}

interface Narrator {
  readonly help: (text: string) => void;
  readonly mistake: (text: string) => void;
}

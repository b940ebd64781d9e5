import { Command, Option } from 'commander';
import { offeredBackends } from '../config/offered-backends.ts';
import type { Effects } from '../process/effects.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { textWidth } from '../process/text-width.ts';
import { version } from '../workspace/version.ts';
import { cells, collect } from './command/flag-values.ts';
import type { Start } from './command/invocation.ts';
import { completionCommand } from './commands/completion.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exploreCommand } from './commands/explore.ts';
import { exportCommand } from './commands/export.ts';
import { funnelCommand } from './commands/funnel.ts';
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
  const start: Start = (command, work) => command.action(async () => {
    const run = await work();
    finish(await run({ args: command.args, flags: command.optsWithGlobals(), effects }));
  });
  const program = new Command('sluice')
    .description('Asks product analytics questions and reports the answers.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addOption(new Option('--events <pattern>', 'files of raw events, quoted: NDJSON, CSV or Parquet, also .gz and .zst; repeatable').argParser(collect))
    .option('--store <folder>', 'the store to ask where no events are named')
    .option('--as-of <time>', 'the present that “last 7 days” is counted from, in the zone that is asked in, e.g. 2024-03-08')
    .addOption(new Option('--backend <name>', 'who answers').choices(offeredBackends))
    .option('--project <id>', 'only events of this project')
    .option('--host <url>', 'the address of the platform')
    .option('--wait <time>', 'how long an answer of a platform or of Cube is waited for, e.g. 10m; until you stop it where not set')
    .option('--memory <amount>', 'memory that the embedded engine uses before it spills to disk, e.g. 4GB (default: half of what is free)')
    .option('--config <file>', 'a configuration other than sluice.yaml')
    .addOption(new Option('--width <n>', 'how many cells a line of tables, charts and texts has, also on a pipe and in a file').argParser(cells))
    .option('--quiet', 'say nothing but errors')
    .option('--verbose', 'say more')
    .option('--no-color', 'no colour')
    .configureHelp({ showGlobalOptions: true, helpWidth: textWidth({}, effects), minWidthToWrap: 20 })
    .configureOutput({ writeOut: say.help, writeErr: say.help, outputError: say.mistake })
    .exitOverride()
    .addHelpText('after', `
Examples:
  $ sluice sample                                    make sample events to play with
  $ sluice query 'pageViewsCount by docPath last 30 days top 10'
  $ sluice query daily-active-users --events 'events/*.ndjson.gz'
  $ sluice model TrackedEvents                       what can be asked
  $ sluice init                                      set up this folder for events of your own
  $ sluice doctor                                    what is set up, and what is missing

Exit codes: 0 done, 1 failed, 2 wrong input, 3 authentication,
            4 remote trouble, 5 partial, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).`);
  for (const define of [queryCommand, exploreCommand, loadCommand, modelCommand, funnelCommand, usageCommand, reportCommand, serveCommand, schemaCommand, sampleCommand, exportCommand, ingestCommand, storeCommand, initCommand, doctorCommand, completionCommand]) {
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

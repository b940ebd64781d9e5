import { Argument, Command, Option } from 'commander';
import { offeredBackends } from '../config/offered-backends.ts';
import type { Effects } from '../process/effects.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { textWidth } from '../process/text-width.ts';
import { version } from '../workspace/version.ts';
import type {
  DoctorFlags, ExploreFlags, InitFlags, LoadFlags, ModelFlags, SampleFlags, UsageFlags,
} from './command/command-flags.ts';
import { cells, collect, collectNames, wholeNumber } from './command/flag-values.ts';
import type { Start } from './command/invocation.ts';
import { exportCommand } from './commands/export.ts';
import { funnelCommand } from './commands/funnel.ts';
import { queryCommand } from './commands/query.ts';
import { reportCommand } from './commands/report.ts';
import { serveCommand } from './commands/serve.ts';
import { storeCommand } from './commands/store.ts';

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

interface Narrator {
  readonly help: (text: string) => void;
  readonly mistake: (text: string) => void;
}

function doctorCommand(start: Start): Command {
  const command = new Command('doctor')
    .summary('check the set-up')
    .description('Tells every setting and where it came from, and tries all that is set up: events, store and tables, remotes, saved queries.')
    .addOption(new Option('-f, --format <name>', 'json is for machines').choices(['text', 'json']).default('text'))
    .addHelpText('after', `
Examples:
  $ sluice doctor
  $ sluice doctor --events 'events/*.ndjson.gz'
  $ sluice doctor --config other.yaml
  $ sluice doctor -f json`);
  return start<DoctorFlags>(command, async () => (await import('./actions/doctor.ts')).runDoctor);
}

function ingestCommand(start: Start): Command {
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
  return start(command, async () => (await import('./actions/ingest.ts')).runIngest);
}

function modelCommand(start: Start): Command {
  const command = new Command('model')
    .summary('show what can be asked')
    .description('Lists cubes with their measures, dimensions and segments.')
    .argument('[cube]', 'only this cube, with a line about each of its members')
    .addOption(new Option('-f, --format <name>', 'ts gives types for the query builder, json and yaml what the platform answers to /meta').choices(['text', 'json', 'ts', 'yaml']).default('text'))
    .addHelpText('after', `
Examples:
  $ sluice model
  $ sluice model TrackedEvents
  $ sluice model -f ts > src/events-model.ts
  $ sluice model -f json`);
  return start<ModelFlags>(command, async () => (await import('./actions/model.ts')).runModel);
}

function exploreCommand(start: Start): Command {
  const command = new Command('explore')
    .summary('ask, look and refine, in a notebook on the terminal')
    .description('Opens a notebook on the terminal: type a question such as `count by eventType`, press Enter, see the answer; f1 lists the keys, ctrl-c twice leaves.\nWhat is worth keeping is saved as a report.')
    .argument('[report]', 'a report to open, by its name or its file')
    .option('--screen-reader', 'lines to be read out instead of a screen; so it is on a terminal that can draw none (TERM=dumb)')
    .option('--no-mouse', 'leave the mouse to the terminal')
    .addHelpText('after', `
Examples:
  $ sluice explore
  $ sluice explore weekly-overview
  $ sluice explore --events 'events/*.ndjson.gz'
  $ sluice explore --screen-reader`);
  return start<ExploreFlags>(command, async () => (await import('./actions/explore.ts')).runExplore);
}

function loadCommand(start: Start): Command {
  const command = new Command('load')
    .summary("answer a load body as the platform's API does")
    .description("Takes the body of the platform's load request, and prints the platform's response to it. What cannot be answered gets the platform's error, with exit code 2.")
    .argument('[file]', 'a JSON file, or - for stdin', '-')
    .option('--dry-run', 'say how the body is understood, and run nothing')
    .addOption(new Option('--query-type <type>', 'the form of the response that the request wants: multi, as the platform asks for it, or regular, which has room for a single result').choices(['multi', 'regular']).default('multi'))
    .addHelpText('after', `
Examples:
  $ sluice load body.json
  $ echo '{"query": {"measures": ["TrackedEvents.count"]}}' | sluice load
  $ sluice load body.json --dry-run
  $ sluice load body.json --events 'events/*.parquet' > response.json`);
  return start<LoadFlags>(command, async () => (await import('./actions/load.ts')).runLoad);
}

function schemaCommand(start: Start): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of a file that sluice reads or writes')
    .description('Prints a JSON Schema, for editors that complete and check files by one. report-json is that of a report as `-f json` writes it, for programs that read it.')
    .addArgument(new Argument('[of]', 'which file').choices(['query', 'funnel', 'report', 'annotations', 'config', 'model', 'report-json']).default('query'))
    .addHelpText('after', `
Examples:
  $ sluice schema query > query.schema.json
  $ sluice schema funnel > funnel.schema.json
  $ sluice schema report > report.schema.json
  $ sluice schema annotations > annotations.schema.json
  $ sluice schema config
  $ sluice schema model
  $ sluice schema report-json > report-json.schema.json`);
  return start(command, async () => (await import('./actions/schema.ts')).runSchema);
}

function completionCommand(start: Start): Command {
  const command = new Command('completion')
    .summary('complete commands, flags and names in your shell')
    .description('Prints what a shell reads to complete sluice: its commands, flags and formats, saved queries, and what can be asked.')
    .addArgument(new Argument('[shell]', 'which one; that of SHELL where not set').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'what is typed so far; the scripts give it')
    .usage('[shell]')
    .addHelpText('after', `
Examples:
  $ echo 'eval "$(sluice completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(sluice completion zsh)"' >> ~/.zshrc      after compinit
  $ sluice completion fish > ~/.config/fish/completions/sluice.fish`);
  return start<object>(command, async () => {
    const { runCompletion } = await import('./actions/completion.ts');
    return (invocation) => runCompletion(invocation, command.parent ?? command);
  });
}

function initCommand(start: Start): Command {
  const command = new Command('init')
    .summary('set up a workspace')
    .description('Sets up a workspace in this folder: tries what you tell it, then writes sluice.yaml and a few questions to begin with.\nAsks for what no flag says.')
    .addOption(new Option('--group <name=projects>', 'a group of projects for the usage report, e.g. acme=42,7; repeatable').argParser(collect))
    .option('--timezone <zone>', 'the zone that days are counted in, e.g. Europe/Berlin')
    .option('--token-file <file>', 'a file that holds the access token, where no variable does')
    .option('--token-command <command>', 'a command that prints the access token')
    .option('--yes', 'ask nothing, and take what would be offered')
    .option('--force', 'write even what does not work, and over a sluice.yaml that is there')
    .addHelpText('after', `
Examples:
  $ sluice init
  $ sluice init --backend embedded --events 'events/*.ndjson.gz' --timezone Europe/Berlin
  $ sluice init --backend platform --host https://code.example.org --project 42
  $ sluice init --backend platform --host code.example.org --project shop/web --group acme=42,7
  $ sluice init --yes`);
  return start<InitFlags>(command, async () => (await import('./actions/init.ts')).runInit);
}

function sampleCommand(start: Start): Command {
  const command = new Command('sample')
    .summary('make sample events')
    .description('Writes made-up events of a small web shop: the same ones for the same flags.')
    .addOption(new Option('-n, --count <n>', 'how many events').argParser(wholeNumber).default(50_000))
    .addOption(new Option('--seed <n>', 'another seed gives other events').argParser(wholeNumber).default(1))
    .addOption(new Option('--days <n>', 'how many days they cover (default: 90, or a day an event)').argParser(wholeNumber))
    .addOption(new Option('--to <day>', 'the last of them').default('2026-10-20'))
    .addOption(new Option('--vocabulary <name>', 'by whose names the file calls its columns: those of the documentation, the newer ones, or those of Snowplow').choices(['documentation', 'newer', 'snowplow']).default('documentation'))
    .option('-o, --output <file>', 'where to: .parquet, .arrow, or .ndjson, .json or .csv, these also with .gz or .zst; .sluice/sample/ in the workspace where not set')
    .addOption(new Option('--out <file>', 'the same').hideHelp())
    .option('--if-missing', 'do nothing where they are there already')
    .addHelpText('after', `
Examples:
  $ sluice sample
  $ sluice sample --count 100000 --days 90 --seed 7
  $ sluice sample --count 10_000_000 --days 730 -o two-years.parquet
  $ sluice sample --vocabulary snowplow -o sample.ndjson.gz`);
  return start<SampleFlags>(command, async () => (await import('./actions/sample.ts')).runSample);
}

function usageCommand(start: Start): Command {
  const command = new Command('usage')
    .summary('count events a month, for groups and projects')
    .description('Counts the events of each project and group by month: the last closed one, those before it, and the one in progress with a forecast to its end. Projects that are not onboarded are left out, which is said; one that fails is named, and never counted as 0.')
    .argument('[group...]', 'groups of the configuration, or of the platform; all of the configuration where none is named')
    .option('--month <month>', 'the month that is reported, e.g. 2026-10 or "this month"; the last closed one where not set')
    .option('--months <n>', 'how many months are shown; 6 where not set')
    .option('--timezone <zone>', 'the zone of the calendar, e.g. Europe/Berlin')
    .option('--no-forecast', 'leave out what the month in progress is expected to come to')
    .option('--freeze', 'keep the reported month as it is issued now, so that later runs tell what has come since')
    .option('--allow-stale', 'freeze also if the data at hand may end before the month does')
    .addOption(new Option('-f, --format <names>', 'table, chart, json, ndjson, csv, tsv, markdown, html, eml (a letter), svg, png, vega-lite, parquet or arrow; several with commas and -o DIR').argParser(collectNames))
    .option('-o, --output <file>', 'write to a file (its ending tells the format), to a folder with several formats; - is stdout')
    .option('--with-provenance', 'JSON with marks, and where every number comes from')
    .addOption(new Option('--to <address>', 'eml: who the letter is for; repeatable').argParser(collect))
    .option('--from <address>', 'eml: who sends it')
    .option('--subject <text>', 'eml: “Usage in” and the month where not set')
    .addHelpText('after', `
Examples:
  $ sluice usage
  $ sluice usage acme --month 2026-10 -f csv > october.csv
  $ sluice usage --month 'last month' --freeze
  $ sluice usage -f eml --from reports@example.org --to team@example.org | sendmail -t`);
  return start<UsageFlags>(command, async () => (await import('./actions/usage.ts')).runUsage);
}

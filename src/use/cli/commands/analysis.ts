import { Option } from 'commander';
import { Command } from '../command/command.ts';
import { trendUnits } from '../../../ask/funnel/funnel.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import { addAnswerFlags } from '../command/answer-flags.ts';
import type { AnalysisCheckFlags, AnalysisRunFlags, FunnelRunFlags } from '../command/command-flags.ts';
import { addDefinitionFlags, hasDefinitionFlags } from '../command/definition-flags.ts';
import { collect, textOrJson } from '../command/flag-values.ts';
import type { Start } from '../command/invocation.ts';

/** The help texts of an analysis. */
interface AnalysisHelp {
  readonly description: string;
  readonly run: string;
  /** The folder of its files. */
  readonly folder: string;
  /** File name without its extension. */
  readonly example: string;
  /** Example flags that give a definition. */
  readonly flags?: string;
  /** Example values that identify a cell of its answers. */
  readonly cell?: string;
}

const helps: Partial<Readonly<Record<AnalysisName, AnalysisHelp>>> = {
  funnel: {
    description: 'A funnel is a sequence of steps that users take.',
    run: 'Runs a funnel: users at each step, conversion, drop-off and, with local events, time to convert.',
    folder: 'funnels',
    example: 'checkout',
    flags: "--step / --step /pricing --step 'signup where docHost = app.example.com'",
  },
  retention: {
    description: 'Retention counts users who come back, period by period after they started.',
    run: 'Runs a retention analysis: the size of each cohort, and the users who came back in each period after it.',
    folder: 'queries',
    example: 'weekly-retention',
    flags: '--start signup --return pageview --by week --periods 8',
    cell: 'cohort=2024-W09,period=1',
  },
  lifecycle: {
    description: 'A lifecycle counts users who are new, returning, resurrecting or dormant, period by period.',
    run: 'Runs a lifecycle analysis: users of each status in each period; those who became dormant are below 0.',
    folder: 'queries',
    example: 'user-lifecycle',
    cell: 'time=2024-W09,status=new',
    flags: '--active pageview --by week',
  },
  stickiness: {
    description: 'Stickiness counts users by the number of periods in which they were active.',
    run: 'Runs a stickiness analysis: users by the number of periods of the range in which they were active.',
    folder: 'queries',
    example: 'daily-stickiness',
    cell: 'periods=3',
    flags: '--active pageview --by day',
  },
  paths: {
    description: 'A path analysis counts sessions and users from step to step, with mean times and drop-offs.',
    run: 'Runs a path analysis: sessions, users and mean time for each pair of steps.',
    folder: 'queries',
    example: 'user-paths',
    flags: "--from / --group '/products/*' --max-steps 4",
    cell: 'source=1_/,target=2_/pricing',
  },
  cohort: {
    description: 'A cohort is a named set of users.',
    run: 'Counts the users of a cohort.',
    folder: 'queries',
    example: 'power-users',
  },
};

/** Its name in help texts. */
function nounOf(analysis: AnalysisName): string {
  if (analysis === 'funnel' || analysis === 'cohort') return analysis;
  return `${analysis === 'paths' ? 'path' : analysis} analysis`;
}

/** The command of an analysis, with `check`, `list`, and `run` as the default. */
export function analysisCommand(analysis: AnalysisName, start: Start): Command {
  const help = helpOf(analysis);
  const noun = nounOf(analysis);
  const list = new Command('list')
    .summary(`list the ${analysis} files of the workspace`)
    .description(
      analysis === 'funnel'
        ? 'Lists the funnels in the funnels folder and in .gitlab/analytics/funnels, with their steps.'
        : `Lists the ${analysis} files in the ${help.folder} folder.`,
    )
    .addOption(textOrJson('output format: text, or json for editors and CI'))
    .examples(`
  $ sluice ${analysis} list
  $ sluice ${analysis} list -f json`);
  const run = runCommand(analysis, help);
  return new Command(analysis)
    .summary(`check, list and run ${noun.replace(/is$/, 'es')}${analysis === 'funnel' ? 's' : ''}`)
    .description(
      `${help.description} Each ${noun} is a file in the ${help.folder} folder` +
        `${help.flags === undefined ? '' : ', or given by flags or in one line'}. ` +
        `For the file format, run: sluice schema ${analysis}`,
    )
    .examples(`
  $ sluice ${analysis} list
  $ sluice ${analysis} ${help.example} --range 'last 30 days'${flagged(analysis, help)}
  $ sluice ${analysis} run --help  all flags of a run
  $ sluice ${analysis} check       check the ${analysis} files of the workspace`)
    .addCommand(checkCommand(analysis, start))
    .addCommand(
      analysis === 'funnel'
        ? start<FunnelRunFlags>(run, async () => (await import('../actions/funnel-run.ts')).runFunnelRun)
        : start<AnalysisRunFlags>(run, async () => {
            const { runAnalysisRun } = await import('../actions/analysis-run.ts');
            return (invocation) => runAnalysisRun(analysis, invocation);
          }),
      { isDefault: true },
    )
    .addCommand(
      start<AnalysisCheckFlags>(list, async () => {
        const { runAnalysisList } = await import('../actions/analysis-files.ts');
        return (invocation) => runAnalysisList(analysis, invocation);
      }),
    );
}

function flagged(analysis: AnalysisName, { flags }: AnalysisHelp): string {
  return flags === undefined ? '' : `\n  $ sluice ${analysis} ${flags}`;
}

function runCommand(analysis: AnalysisName, help: AnalysisHelp): Command {
  const isFunnel = analysis === 'funnel';
  const noun = nounOf(analysis);
  const run = new Command('run')
    .summary(isFunnel ? 'count users at each step of a funnel' : `run a ${noun}`)
    .description(
      `${help.run}${hasDefinitionFlags(analysis) ? ` Name a ${noun} of the workspace, or give one by flags.` : ''}`,
    )
    .argument(hasDefinitionFlags(analysis) ? `[${analysis}]` : `<${analysis}>`, `name of a ${noun} or of its file`)
    .optionsGroup(`What to ask${hasDefinitionFlags(analysis) ? ` if no ${noun} is named` : ''}:`);
  addDefinitionFlags(run, analysis)
    .optionsGroup('Which events:')
    .option('-r, --range <phrase>', 'date range of the events, e.g. "last 30 days", 2024-03, 2024-03-01..2024-03-14')
    .addOption(
      new Option('--where <condition>', "only these events, e.g. 'docHost = www.example.com'; repeatable").argParser(
        collect,
      ),
    )
    .option('--timezone <zone>', 'time zone, e.g. Europe/Berlin');
  if (isFunnel)
    run
      .option(
        '--by-entry',
        'apply the range to the first step only; later steps count until the conversion window ends',
      )
      .addOption(new Option('--trend <unit>', 'show results by start date of users').choices(trendUnits))
      .option('--interval', 'add the 95% confidence interval of the conversion from the first step')
      .option(
        '--users <who>',
        'list users instead of counting them: converted, converted:STEP or dropped:STEP (csv, tsv, ' +
          'json or ndjson); of a trend or breakdown with ,began=2024-W09 or ,agentName=Firefox',
      );
  else
    run.option(
      '--users <cell>',
      'list the users behind a cell instead: the values that tell it apart' +
        (help.cell === undefined ? '' : `, e.g. ${help.cell}`),
    );
  run.optionsGroup('How to answer:');
  return addAnswerFlags(run).addHelpText(
    'after',
    isFunnel
      ? `
Examples:
  $ sluice funnel run checkout --range 'last 30 days'
  $ sluice funnel run checkout --range 2024-03 --by-entry --trend week
  $ sluice funnel run checkout -o checkout.svg
  $ sluice funnel run checkout --users dropped:2 -f csv > dropped.csv${flagged('funnel', help)} --within '1 day'`
      : `
Examples:
  $ sluice ${analysis} ${help.example} -r 'last 60 days'${flagged(analysis, help)} -r 'last 60 days'
  $ sluice ${analysis} ${help.example} -f chart
  $ sluice ${analysis} ${help.example} -o ${help.example}.csv${help.cell === undefined ? '' : `\n  $ sluice ${analysis} ${help.example} --users ${help.cell}`}`,
  );
}

function helpOf(analysis: AnalysisName): AnalysisHelp {
  return (
    helps[analysis] ?? {
      description: `Answers ${analysis}.`,
      run: `Answers a definition of ${analysis} as a whole.`,
      folder: 'queries',
      example: analysis,
    }
  );
}

/** `check` of an analysis. */
export function checkCommand(analysis: AnalysisName, start: Start): Command {
  const help = helpOf(analysis);
  const check = new Command('check')
    .summary(`check ${analysis} files for errors`)
    .description(`Reads ${analysis} files and lists every problem. Exits with code 2 if there are errors.`)
    .argument('[file...]', `${analysis} files (default: all in the workspace)`)
    .option('--strict', 'treat warnings as errors')
    .addOption(textOrJson('output format: text, or json for editors and CI'))
    .examples(`
  $ sluice ${analysis} check
  $ sluice ${analysis} check ${help.folder}/${help.example}.yaml --strict
  $ sluice ${analysis} check -f json`);
  return start<AnalysisCheckFlags>(check, async () => {
    const { runAnalysisCheck } = await import('../actions/analysis-files.ts');
    return (invocation) => runAnalysisCheck(analysis, invocation);
  });
}

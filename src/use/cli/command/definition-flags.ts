import { type Command, Option } from 'commander';
import { activityPeriods, cohortRules, retentionWindows } from '../../../ask/activity/retention.ts';
import type { Locate } from '../../../ask/document/located.ts';
import { toSpan } from '../../../ask/document/span.ts';
import { funnelOrders } from '../../../ask/funnel/funnel.ts';
import type { Span } from '../../../ask/outcome.ts';
import type { AnalysisName } from '../../../plan/analysis/analysis-names.ts';
import { collect, wholeNumber } from './flag-values.ts';

/** A flag that says a part of a definition, which has no file then. */
interface DefinitionFlag {
  /** As commander has it: `--start <events>`. */
  readonly flag: string;
  readonly description: string;
  /** Where it stands in a definition, from the outside in. */
  readonly path: readonly [string, ...string[]];
  readonly choices?: readonly string[];
  readonly kind?: 'number' | 'repeatable';
}

const events = 'a type, a path or a type with a condition';

const by: DefinitionFlag = {
  flag: '--by <period>',
  description: 'length of a period',
  path: ['period'],
  choices: activityPeriods,
};

const active: DefinitionFlag = {
  flag: '--active <events>',
  description: `events that make a user active: ${events} (default: pageview)`,
  path: ['active'],
};

const breakdown: DefinitionFlag = {
  flag: '--breakdown <dimension>',
  description: 'dimension of the events to tell users apart by, e.g. agentName',
  path: ['breakdown'],
};

const flagsOf: Partial<Readonly<Record<AnalysisName, readonly DefinitionFlag[]>>> = {
  funnel: [
    { flag: '--step <events>', description: `a step: ${events}; repeatable`, path: ['steps'], kind: 'repeatable' },
    { flag: '--within <time>', description: 'conversion window, e.g. "2 hours" (default: 14 days)', path: ['within'] },
    {
      flag: '--step-order <order>',
      description: 'whether other events may come between, or steps in any order',
      path: ['order'],
      choices: funnelOrders,
    },
    { flag: '--by <who>', description: 'whose events are followed', path: ['by'], choices: ['user', 'session'] },
    {
      flag: '--exclude <events>',
      description: 'events between the steps that spoil an attempt; repeatable',
      path: ['exclude'],
      kind: 'repeatable',
    },
    { ...breakdown, path: ['breakdown', 'dimension'] },
  ],
  retention: [
    {
      flag: '--start <events>',
      description: `events that put a user into a cohort: ${events} (default: pageview)`,
      path: ['start'],
    },
    {
      flag: '--return <events>',
      description: 'events that bring a user back (default: those of --start)',
      path: ['return'],
    },
    by,
    {
      flag: '--periods <n>',
      description: 'number of periods to follow (default: 11)',
      path: ['periods'],
      kind: 'number',
    },
    {
      flag: '--cohort <rule>',
      description: 'cohorts of every period with a start, or only of the first one',
      path: ['cohort'],
      choices: cohortRules,
    },
    {
      flag: '--window <kind>',
      description: "calendar periods, or 24 hours each from the user's own start",
      path: ['window'],
      choices: retentionWindows,
    },
    {
      flag: '--min-occurrences <n>',
      description: 'returns within a period that it takes (default: 1)',
      path: ['min_occurrences'],
      kind: 'number',
    },
    { flag: '--cumulative', description: 'count users who return in the period or later', path: ['cumulative'] },
    breakdown,
    {
      flag: '--value <what>',
      description: 'sum(props.NAME) or avg(props.NAME) over the users of each period',
      path: ['value'],
    },
  ],
  lifecycle: [active, by],
  paths: [
    { flag: '--from <step>', description: 'where paths begin, e.g. /pricing', path: ['from'] },
    { flag: '--to <step>', description: 'where paths end, e.g. /signup', path: ['to'] },
    { flag: '--through <step>', description: 'a step in the middle of paths, e.g. /cart', path: ['through'] },
    {
      flag: '--step <what>',
      description: 'what steps are called: page, event, or a dimension such as TrackedEvents.pageTitle (default: page)',
      path: ['step'],
    },
    {
      flag: '--event <type>',
      description: 'type of events that are steps, or any (default: pageview); repeatable',
      path: ['events'],
      kind: 'repeatable',
    },
    {
      flag: '--group <pattern>',
      description: 'steps whose name contains it are one, e.g. "/product/*"; repeatable',
      path: ['groups'],
      kind: 'repeatable',
    },
    { flag: '--exclude <step>', description: 'step to leave out; repeatable', path: ['exclude'], kind: 'repeatable' },
    { flag: '--max-steps <n>', description: 'steps of each path (default: 5)', path: ['max_steps'], kind: 'number' },
    {
      flag: '--edge-limit <n>',
      description: 'heaviest edges to keep (default: 50)',
      path: ['edge_limit'],
      kind: 'number',
    },
  ],
  stickiness: [
    active,
    by,
    { flag: '--every <n>', description: 'periods that make one slot (default: 1)', path: ['every'], kind: 'number' },
    {
      flag: '--at-least <n>',
      description: 'events that a slot needs to count (default: 1)',
      path: ['per_slot', 'at_least'],
      kind: 'number',
    },
    { flag: '--cumulative', description: 'count users with so many slots or more', path: ['cumulative'] },
  ],
};

/** Whether a definition of the analysis can be given by flags. */
export function hasDefinitionFlags(analysis: AnalysisName): boolean {
  return flagsOf[analysis] !== undefined;
}

export function addDefinitionFlags<Made extends Command>(command: Made, analysis: AnalysisName): Made {
  for (const { flag, description, choices, kind } of flagsOf[analysis] ?? []) {
    const option = new Option(flag, description);
    if (choices) option.choices(choices);
    if (kind === 'number') option.argParser(wholeNumber);
    if (kind === 'repeatable') option.argParser(collect);
    command.addOption(option);
  }
  return command;
}

/** A definition that flags give, with the flags as one line to point at. */
export interface FlaggedDefinition {
  readonly definition: object;
  readonly written: { readonly source: string; readonly locate: Locate };
}

/** What the flags of a command define; undefined: nothing. */
export function readDefinitionFlags(
  analysis: AnalysisName,
  flags: Readonly<Record<string, unknown>>,
): FlaggedDefinition | undefined {
  let source = '';
  const spans = new Map<string, Span>();
  const write = (flag: string, value: unknown, path: string) => {
    const text = value === true ? '' : String(value);
    const quoted = text === '' || /^[\w./:,=@%+-]+$/.test(text) ? text : `"${text}"`;
    const start = `${source}${source === '' ? '' : ' '}${flag}${text === '' ? '' : ' '}`;
    source = `${start}${quoted}`;
    spans.set(path, toSpan(source, text === '' ? start.length - flag.length : start.length, source.length));
  };
  const definition: Record<string, unknown> = {};
  for (const { flag, path } of flagsOf[analysis] ?? []) {
    const option = new Option(flag);
    const value = flags[option.attributeName()];
    if (value === undefined) continue;
    const [key, below] = path;
    definition[key] = below === undefined ? value : { [below]: value };
    const name = option.long ?? flag;
    if (Array.isArray(value)) value.forEach((each, index) => write(name, each, `${key}.${index}`));
    else write(name, value, key);
  }
  if (spans.size === 0) return undefined;
  const locate: Locate = ([key, index]) =>
    spans.get(`${key}.${index}`) ?? spans.get(String(key)) ?? toSpan(source, 0, 0);
  return { definition, written: { source, locate } };
}

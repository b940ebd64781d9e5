import { activityPeriods, cohortRules, retentionWindows } from '../activity/retention.ts';
import type { Locate } from '../document/located.ts';
import { funnelOrders } from '../funnel/funnel.ts';
import type { Span } from '../outcome.ts';
import { readColumn } from '../query/member-name.ts';

/** A part of a definition: a flag of a command, or a clause of a line. */
export interface DefinitionPart {
  /** `min-occurrences` names the flag `--min-occurrences` and the clause `min-occurrences 2`. */
  readonly name: string;
  /** Synonyms in a line. */
  readonly words?: readonly string[];
  /** Name of the value in help: `events`. A part without a value is a switch. */
  readonly value?: string;
  readonly description: string;
  /** Path of its key in the definition. */
  readonly path: readonly [string, ...string[]];
  readonly choices?: readonly string[];
  /** If true, a line may write a choice without the name of the part. */
  readonly bare?: boolean;
  readonly kind?: 'number' | 'repeatable' | 'duration' | 'dimension' | 'dimensions';
}

/** The analyses that a line or flags can define. */
export type DefinedByParts = 'funnel' | 'retention' | 'lifecycle' | 'stickiness' | 'paths';

const events = 'a type, a path or a type with a condition';

const by: DefinitionPart = {
  name: 'by',
  words: ['per'],
  value: 'period',
  description: 'length of a period',
  path: ['period'],
  choices: activityPeriods,
};

const active: DefinitionPart = {
  name: 'active',
  words: ['of'],
  value: 'events',
  description: `events that make a user active: ${events} (default: pageview)`,
  path: ['active'],
};

const breakdown: DefinitionPart = {
  name: 'breakdown',
  value: 'dimension',
  description: 'dimension of the events to tell users apart by, e.g. agentName',
  path: ['breakdown'],
  kind: 'dimension',
};

const follow: DefinitionPart = {
  name: 'follow',
  words: ['following'],
  value: 'dimension',
  description: 'dimension of the events whose values are followed in place of users, e.g. props.company',
  path: ['follow'],
  kind: 'dimension',
};

/** The parts of each analysis, in the order of help. */
export const definitionParts: Readonly<Record<DefinedByParts, readonly DefinitionPart[]>> = {
  funnel: [
    {
      name: 'step',
      words: ['of', 'steps', 'then'],
      value: 'events',
      description: `a step: ${events}; repeatable`,
      path: ['steps'],
      kind: 'repeatable',
    },
    {
      name: 'within',
      value: 'time',
      description: 'conversion window, e.g. "2 hours" (default: 14 days)',
      path: ['within'],
      kind: 'duration',
    },
    {
      name: 'step-order',
      value: 'order',
      description: 'whether other events may come between, or steps in any order',
      path: ['order'],
      choices: funnelOrders,
      bare: true,
    },
    {
      name: 'by',
      words: ['per'],
      value: 'who',
      description: 'whose events are followed',
      path: ['by'],
      choices: ['user', 'session'],
    },
    follow,
    {
      name: 'exclude',
      words: ['excluding', 'without'],
      value: 'events',
      description: 'events between the steps that spoil an attempt; repeatable',
      path: ['exclude'],
      kind: 'repeatable',
    },
    {
      name: 'hold',
      words: ['holding'],
      value: 'dimension',
      description: 'dimension of the events with the same value in all steps, e.g. props.sku; repeatable',
      path: ['hold'],
      kind: 'dimensions',
    },
    { ...breakdown, path: ['breakdown', 'dimension'] },
  ],
  retention: [
    {
      name: 'start',
      words: ['of'],
      value: 'events',
      description: `events that put a user into a cohort: ${events} (default: pageview)`,
      path: ['start'],
    },
    {
      name: 'return',
      words: ['returning', 'to'],
      value: 'events',
      description: 'events that bring a user back (default: those of --start)',
      path: ['return'],
    },
    by,
    follow,
    {
      name: 'periods',
      value: 'n',
      description: 'number of periods to follow (default: 11)',
      path: ['periods'],
      kind: 'number',
    },
    {
      name: 'cohort',
      value: 'rule',
      description: 'cohorts of every period with a start, or only of the first one',
      path: ['cohort'],
      choices: cohortRules,
      bare: true,
    },
    {
      name: 'window',
      value: 'kind',
      description: "calendar periods, or 24 hours each from the user's own start",
      path: ['window'],
      choices: retentionWindows,
      bare: true,
    },
    {
      name: 'min-occurrences',
      value: 'n',
      description: 'returns within a period that it takes (default: 1)',
      path: ['min_occurrences'],
      kind: 'number',
    },
    { name: 'cumulative', description: 'count users who return in the period or later', path: ['cumulative'] },
    breakdown,
    {
      name: 'value',
      value: 'what',
      description: 'sum(props.NAME) or avg(props.NAME) over the users of each period',
      path: ['value'],
    },
  ],
  lifecycle: [active, by, follow],
  paths: [
    { name: 'from', value: 'step', description: 'where paths begin, e.g. /pricing', path: ['from'] },
    { name: 'to', value: 'step', description: 'where paths end, e.g. /signup', path: ['to'] },
    { name: 'through', value: 'step', description: 'a step in the middle of paths, e.g. /cart', path: ['through'] },
    {
      name: 'step',
      value: 'what',
      description: 'what steps are called: page, event, or a dimension such as pageTitle (default: page)',
      path: ['step'],
      kind: 'dimension',
    },
    {
      name: 'event',
      words: ['of', 'events'],
      value: 'type',
      description: 'type of events that are steps, or any (default: pageview; any if the step is event); repeatable',
      path: ['events'],
      kind: 'repeatable',
    },
    {
      name: 'group',
      value: 'pattern',
      description: 'steps whose name contains it are one, e.g. "/product/*"; repeatable',
      path: ['groups'],
      kind: 'repeatable',
    },
    {
      name: 'exclude',
      words: ['excluding', 'without'],
      value: 'step',
      description: 'step to leave out; repeatable',
      path: ['exclude'],
      kind: 'repeatable',
    },
    {
      name: 'max-steps',
      value: 'n',
      description: 'steps of each path (default: 5)',
      path: ['max_steps'],
      kind: 'number',
    },
    {
      name: 'edge-limit',
      value: 'n',
      description: 'heaviest edges to keep (default: 50)',
      path: ['edge_limit'],
      kind: 'number',
    },
  ],
  stickiness: [
    active,
    by,
    follow,
    {
      name: 'every',
      value: 'n',
      description: 'periods that make one slot (default: 1)',
      path: ['every'],
      kind: 'number',
    },
    {
      name: 'at-least',
      value: 'n',
      description: 'events that a slot needs to count (default: 1)',
      path: ['per_slot', 'at_least'],
      kind: 'number',
    },
    { name: 'cumulative', description: 'count users with so many slots or more', path: ['cumulative'] },
  ],
};

/** Whether a part takes several values. */
export function isRepeatable({ kind }: DefinitionPart): boolean {
  return kind === 'repeatable' || kind === 'dimensions';
}

/** A definition under construction, with the spans of its parts in a text. */
interface DefinitionDraft {
  /** The parts so far, as a file would have them. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** Whether it has no parts yet. */
  readonly isEmpty: () => boolean;
  /** Sets a part, or adds a value to a repeatable part. Returns false if the part already has a value. */
  readonly put: (part: DefinitionPart, value: unknown, span: Span) => boolean;
  /** The span of the part at a path into the definition; undefined if the part was not given. */
  readonly locate: Locate;
}

export function draftDefinition(): DefinitionDraft {
  const definition: Record<string, unknown> = {};
  const spans = new Map<string, Span>();
  return {
    definition,
    isEmpty: () => spans.size === 0,
    put(part, value, span) {
      const [key, below] = part.path;
      const read = part.kind === 'dimension' || part.kind === 'dimensions' ? readDimension(value) : value;
      if (isRepeatable(part)) {
        const list = (definition[key] ??= []) as unknown[];
        spans.set(`${key}.${list.length}`, span);
        list.push(read);
        return true;
      }
      if (definition[key] !== undefined) return false;
      definition[key] = below === undefined ? read : { [below]: read };
      spans.set(key, span);
      return true;
    },
    locate: ([key, index]) => spans.get(`${key}.${index}`) ?? spans.get(String(key)) ?? spans.get(`${key}.0`),
  };
}

/** A name with blanks, signs or other letters is that of a column. */
function readDimension(value: unknown): unknown {
  return typeof value === 'string' ? (readColumn(value.trim())?.property ?? value) : value;
}

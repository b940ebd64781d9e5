import { z } from 'zod';
import { type DefinitionForm, type DefinitionReader, toDefinitionReader } from '../analysis/read-definitions.ts';
import {
  event,
  eventDimension,
  eventText,
  follow,
  type Matching,
  pageView,
  target,
  targets,
  toMatch,
  where,
} from '../analysis/event-match.ts';
import { followedWords } from '../analysis/followed.ts';
import { toDefinitionSlug } from '../analysis/definition-slug.ts';
import { readValue } from '../document/read-value.ts';
import { errorIssue, type Issue, type IssuePath, type Outcome, settle } from '../outcome.ts';
import { oneOfHint } from '../suggest.ts';
import { quote } from '../text.ts';
import { type Funnel, type FunnelBreakdown, type FunnelExclusion, funnelOrders, type FunnelStep } from './funnel.ts';

/** A funnel file without the keys that only the platform needs. */
interface FunnelParts extends Pick<FunnelFile, 'seconds_to_convert'> {
  readonly sluice?:
    | (Omit<z.infer<typeof extension>, 'exclude'> & {
        readonly exclude?:
          | readonly (Matching & { readonly after?: string | undefined; readonly before?: string | undefined })[]
          | undefined;
      })
    | undefined;
  readonly steps: readonly {
    readonly name: string;
    readonly target?: string | undefined;
    readonly sluice?: (Matching & { readonly within?: number | undefined }) | undefined;
  }[];
}

/** Converts a funnel file; `name` is its slug. Issues: duplicate or unknown names of steps. */
function toFunnel(file: FunnelParts, name: string): Outcome<Funnel> {
  const { sluice = {} } = file;
  const steps = file.steps.map(toStep);
  const places = openPlaces(steps.map((step) => step.name));
  const exclude = (sluice.exclude ?? []).map((one, index): FunnelExclusion => {
    const path = ['sluice', 'exclude', index];
    const from = one.after === undefined ? 0 : places.find(one.after, [...path, 'after']);
    const to = one.before === undefined ? steps.length - 1 : places.find(one.before, [...path, 'before']);
    if (from >= to)
      places.issues.push(
        errorIssue('empty-stretch', 'The second of these steps must come after the first.', {
          path,
        }),
      );
    return { ...toMatch(one, one.event ?? pageView), from, to };
  });
  const breakdown = sluice.breakdown && toBreakdown(sluice.breakdown, places);
  const issues = [...duplicates(steps), ...places.issues, ...followsBoth(sluice)];
  return settle(
    {
      name,
      secondsToConvert: file.seconds_to_convert,
      steps,
      order: sluice.order ?? 'ordered',
      by: sluice.by ?? 'user',
      follow: sluice.follow,
      where: sluice.where ?? [],
      exclude,
      hold: sluice.hold ?? [],
      breakdown,
      extended: isExtended(file),
    },
    issues,
  );
}

function followsBoth({
  by,
  follow: name,
}: Pick<NonNullable<FunnelParts['sluice']>, 'by' | 'follow'>): readonly Issue[] {
  if (by !== 'session' || name === undefined) return [];
  return [
    errorIssue('follows-both', `The funnel follows sessions and ${followedWords({ follow: name }).many}.`, {
      path: ['sluice', 'follow'],
      hint: 'Remove `by` or `follow`.',
    }),
  ];
}

function toStep({ name, target, sluice = {} }: FunnelParts['steps'][number]): FunnelStep {
  return { name, ...toMatch({ target, ...sluice }, sluice.event ?? pageView), within: sluice.within };
}

function toBreakdown(
  { dimension, attribution = 'first' }: { readonly dimension: string; readonly attribution?: string | undefined },
  places: Places,
): FunnelBreakdown {
  const whose =
    attribution === 'first' || attribution === 'last'
      ? attribution
      : places.find(attribution, ['sluice', 'breakdown', 'attribution'], ['first', 'last']);
  return { dimension, attribution: whose };
}

interface Places {
  /** Returns the index of the step with this name. Adds an issue if there is none. */
  find(name: string, path: IssuePath, others?: readonly string[]): number;
  readonly issues: Issue[];
}

function openPlaces(names: readonly string[]): Places {
  const issues: Issue[] = [];
  return {
    issues,
    find(name, path, others = []) {
      const index = names.indexOf(name);
      if (index >= 0) return index;
      const known = [...others, ...names];
      issues.push(
        errorIssue('unknown-step', `There is no step ${quote(name)}.`, {
          path,
          hint: oneOfHint(name, known),
        }),
      );
      return 0;
    },
  };
}

function duplicates(steps: readonly FunnelStep[]): readonly Issue[] {
  return steps.flatMap(({ name }, index) => {
    const first = steps.findIndex((step) => step.name === name);
    if (first === index) return [];
    return [
      errorIssue('duplicate-step', `Two steps are named ${quote(name)}.`, {
        path: ['steps', index, 'name'],
        hint: `Give each step its own name; the first is step ${first + 1}.`,
      }),
    ];
  });
}

/** Whether the `sluice` key changes the meaning that the file has for the platform. */
function isExtended({ sluice = {}, steps }: FunnelParts): boolean {
  const { order = 'ordered', by = 'user', where = [], exclude, ...others } = sluice;
  if (order !== 'ordered' || by !== 'user' || where.length > 0 || exclude) return true;
  if (others.follow || others.hold || others.breakdown) return true;
  return steps.some(({ target, sluice: own = {} }) => {
    const other =
      own.any_of !== undefined &&
      !(own.any_of.length === 1 && own.any_of[0] === target && target?.includes('*') === false);
    return other || (own.event ?? pageView) !== pageView || (own.where ?? []).length > 0 || own.within !== undefined;
  });
}

const seconds = z.int().min(1);

/** Seconds, or a duration in words. */
const duration = z
  .union([
    seconds,
    z.string().check((context) => {
      if (readSeconds(context.value) === undefined)
        context.issues.push({
          code: 'custom',
          input: context.value,
          message: `${quote(context.value)} is not a duration.\nWrite, for example, \`30 minutes\`, \`1 hour\` or \`14 days\`.`,
        });
    }),
  ])
  .transform((written) => (typeof written === 'number' ? written : (readSeconds(written) ?? 0)));

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };

/** Reads `90 seconds`, `30 min`, `1h`, `14 days`, `2 weeks`; undefined otherwise. A month has no fixed length. */
function readSeconds(text: string): number | undefined {
  const written =
    /^(\d{1,9})\s*(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)$/i.exec(text.trim()) ?? undefined;
  const amount = Number(written?.[1]) * (secondsIn[written?.[2]?.charAt(0).toLowerCase() ?? ''] ?? Number.NaN);
  return Number.isSafeInteger(amount) && amount >= 1 ? amount : undefined;
}

const stepExtension = z
  .strictObject({
    any_of: targets.optional(),
    event: event.optional(),
    where: where.optional(),
    within: seconds.optional().describe('The maximum number of seconds since the previous step.'),
  })
  .describe('An extension of the platform format: local engines only.');

const action = z
  .literal('pageview', {
    error: (issue) =>
      issue.input === undefined
        ? undefined
        : `"action" cannot be ${quote(String(issue.input))}.\n` +
          'The platform supports only pageview. For other events add `sluice: {event: ' +
          `${/^\w+$/.test(String(issue.input)) ? String(issue.input) : 'link_click'}}\` to the step.`,
  })
  .describe('What the visitor does. The platform supports only page views.');

const slug = z.string().regex(/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/, {
  error: (issue) =>
    `${quote(String(issue.input))} is not a valid step name.\n` +
    'Use lowercase letters, digits, _ and -, such as view_cart.',
});

const step = z.strictObject({
  name: slug.describe('A unique name, such as view_cart.'),
  action,
  target: target.describe('The exact path of the page, such as /cart.'),
  sluice: stepExtension.optional(),
});

const exclusion = z.strictObject({
  target: target.optional(),
  any_of: targets.optional(),
  event: event.optional(),
  where: where.optional(),
  after: z.string().optional().describe('Excludes events after this step (default: the first).'),
  before: z.string().optional().describe('Excludes events before this step (default: the last).'),
});

/** One dimension, or several. */
const hold = z
  .union([eventDimension, z.array(eventDimension).min(1)])
  .transform((named) => [...new Set([named].flat())]);

const extension = z
  .strictObject({
    order: z
      .enum(funnelOrders)
      .optional()
      .describe(
        'ordered: other events may come between steps. strict: no other events between steps. ' +
          'unordered: steps in any order.',
      ),
    by: z.enum(['user', 'session']).optional().describe('Whose events are followed (default: user).'),
    follow,
    where: where.optional(),
    exclude: z.array(exclusion).min(1).optional().describe('Events that exclude an attempt.'),
    hold: hold
      .optional()
      .describe(
        'Dimensions whose values are the same in all steps, such as props.sku. Events without a value do not count.',
      ),
    breakdown: z
      .union([
        eventDimension.transform((dimension) => ({ dimension })),
        z.strictObject({
          dimension: eventDimension,
          attribution: z
            .string()
            .optional()
            .describe('The step whose value counts: first, last, or the name of a step (default: first).'),
        }),
      ])
      .optional()
      .describe('Conversion by the values of a dimension.'),
  })
  .describe('Extensions of the platform format: local engines only.');

/** A funnel file: `{name?, seconds_to_convert, steps: [{name, action, target}], sluice?}`. */
const funnelSchema = z
  .strictObject({
    name: z.string().optional().describe('The platform uses the file name instead.'),
    seconds_to_convert: seconds.describe('The conversion window: seconds from the first step to the last.'),
    steps: z.array(step).min(2).describe('The steps, in order.'),
    sluice: extension.optional(),
  })
  .meta({
    title: 'Funnel file',
    description: 'Steps that users take in order, and the conversion window.',
  });

type FunnelFile = z.infer<typeof funnelSchema>;

/** A step that is more than events in one line. */
const shortStep = z.strictObject({
  name: z.string().min(1).optional().describe('A unique name (default: after its events).'),
  event: event.optional(),
  target: target.optional(),
  any_of: targets.optional(),
  where: where.optional(),
  within: duration.optional().describe('The maximum time since the previous step, such as 1 hour.'),
});

/** The keys of `sluice` beside the steps, as in the library. */
const shortFunnel = z.strictObject({
  steps: z
    .array(z.union([eventText, shortStep]))
    .min(2)
    .describe('The steps, in order: events in one line, such as signup or /cart, or with keys.'),
  within: duration.optional().describe('The conversion window, such as 7 days (default: 14 days).'),
  ...extension.shape,
  exclude: z
    .array(z.union([eventText, exclusion]))
    .min(1)
    .optional()
    .describe('Events that exclude an attempt.'),
});

/** A funnel file in the short form, which the platform does not read: `{steps: [signup, purchase], within: 7 days}`. */
const shortFile = shortFunnel.extend({ name: z.string().optional().describe('The file name is the name.') }).meta({
  title: 'Short funnel file',
  description: 'Any events as steps. Local engines only.',
});

type ShortFunnel = z.infer<typeof shortFunnel>;

/** The default conversion window: 14 days. */
const usualWindow = 14 * 86_400;

function readGivenFunnel(written: unknown, name: string): Outcome<Funnel> {
  const read = readValue(written, shortFunnel);
  return read.ok ? fromShort(read.value, name) : read;
}

/** Whether a file has keys or steps that only the short form has. */
function isShort(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const steps: readonly unknown[] = 'steps' in value && Array.isArray(value.steps) ? value.steps : [];
  if (steps.some((each) => typeof each === 'string')) return true;
  const has = (each: unknown, key: string) => typeof each === 'object' && each !== null && key in each;
  if ('seconds_to_convert' in value || steps.some((each) => has(each, 'action') || has(each, 'sluice'))) return false;
  return steps.length > 0 || Object.keys(shortFunnel.shape).some((key) => key !== 'steps' && key in value);
}

/** Converts a file of either form. Servers know no funnel of the short one. */
function fromFile(file: FunnelFile | z.infer<typeof shortFile>, name: string): Outcome<Funnel> {
  if ('seconds_to_convert' in file) return toFunnel(file, name);
  const { name: _, ...short } = file;
  const funnel = fromShort(short, name);
  return funnel.ok ? { ...funnel, value: { ...funnel.value, extended: true } } : funnel;
}

function fromShort({ steps, within = usualWindow, ...sluice }: ShortFunnel, name: string): Outcome<Funnel> {
  const names = nameSteps(steps);
  const funnel = toFunnel(
    {
      seconds_to_convert: within,
      steps: steps.map((step, index) => ({ name: names[index] ?? '', target: step.target, sluice: step })),
      sluice,
    },
    name,
  );
  // In the short form, the keys of `sluice` are at the top level.
  const issues = funnel.issues.map((issue) => ({ ...issue, path: issue.path.filter((step) => step !== 'sluice') }));
  return { ...funnel, issues };
}

/**
 * The names of the steps. A step without a name gets one from its events: `/cart` becomes `cart`, and `/` stays. A
 * number makes names unique.
 */
function nameSteps(steps: readonly (Matching & { readonly name?: string | undefined })[]): readonly string[] {
  const taken = new Set(steps.flatMap((step) => step.name ?? []));
  return steps.map(({ name, event, target, any_of: anyOf }, index) => {
    if (name !== undefined) return name;
    const events = target ?? anyOf?.[0] ?? event ?? `step_${index + 1}`;
    const base = toDefinitionSlug(events) || events;
    let free = base;
    for (let copy = 2; taken.has(free); copy += 1) free = `${base}_${copy}`;
    taken.add(free);
    return free;
  });
}

const form: DefinitionForm<FunnelFile | z.infer<typeof shortFile>, Funnel> = {
  noun: 'funnel',
  example: 'checkout',
  schema: z.union([funnelSchema, shortFile]),
  schemaOf: (value) => (isShort(value) ? shortFile : funnelSchema),
  toDefinition: fromFile,
  readGiven: readGivenFunnel,
};

export const funnelReader: DefinitionReader<Funnel> = toDefinitionReader(form);

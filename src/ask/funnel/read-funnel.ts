import { z } from 'zod';
import {
  type DefinitionFile,
  type DefinitionForm,
  type DefinitionReader,
  type ReadDefinition,
  readDefinitions,
} from '../analysis/read-definitions.ts';
import { event, pageView, target, targets, toMatch, where } from '../analysis/event-match-schema.ts';
import { errorIssue, type Issue, type IssuePath, type Outcome, settle } from '../outcome.ts';
import { memberSchema } from '../query/query-schema.ts';
import { didYouMean } from '../suggest.ts';
import { quote } from '../text.ts';
import { type Funnel, type FunnelBreakdown, type FunnelExclusion, funnelOrders, type FunnelStep } from './funnel.ts';

/** What a funnel file means; `name` is its slug. Issues: names of steps that stand twice or that there are not. */
function toFunnel(file: FunnelFile, name: string): Outcome<Funnel> {
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
  const issues = [...duplicates(steps), ...places.issues];
  return settle(
    {
      name,
      secondsToConvert: file.seconds_to_convert,
      steps,
      order: sluice.order ?? 'ordered',
      by: sluice.by ?? 'user',
      where: sluice.where ?? [],
      exclude,
      breakdown,
      extended: isExtended(file),
    },
    issues,
  );
}

function toStep({ name, target, sluice = {} }: FunnelFile['steps'][number]): FunnelStep {
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
  /** Index of the step of this name; an issue where there is none. */
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
          hint: didYouMean(name, known) ?? `Use one of ${known.join(', ')}.`,
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

/** Whether the `sluice` key says anything that the platform's own reading of the file would miss. */
function isExtended({ sluice = {}, steps }: FunnelFile): boolean {
  const { order = 'ordered', by = 'user', where = [], exclude, breakdown } = sluice;
  if (order !== 'ordered' || by !== 'user' || where.length > 0 || exclude || breakdown) return true;
  return steps.some(({ target, sluice: own = {} }) => {
    const other =
      own.any_of !== undefined && !(own.any_of.length === 1 && own.any_of[0] === target && !target.includes('*'));
    return other || (own.event ?? pageView) !== pageView || (own.where ?? []).length > 0 || own.within !== undefined;
  });
}

const seconds = z.int().min(1);

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
        : `"action" cannot be ${quote(String(issue.input))}.\nThe platform supports only pageview. For other events add \`sluice: {event: ${/^\w+$/.test(String(issue.input)) ? String(issue.input) : 'link_click'}}\` to the step.`,
  })
  .describe('What the visitor does. The platform supports only page views.');

const slug = z.string().regex(/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/, {
  error: (issue) =>
    `${quote(String(issue.input))} is not a valid step name.\nUse lowercase letters, digits, _ and -, such as view_cart.`,
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

const extension = z
  .strictObject({
    order: z
      .enum(funnelOrders)
      .optional()
      .describe(
        'ordered: other events may come between steps. strict: no other events between steps. unordered: steps in any order.',
      ),
    by: z.enum(['user', 'session']).optional().describe('Whose events are followed (default: user).'),
    where: where.optional(),
    exclude: z.array(exclusion).min(1).optional().describe('Events that exclude an attempt.'),
    breakdown: z
      .strictObject({
        dimension: memberSchema,
        attribution: z
          .string()
          .optional()
          .describe('The step whose value counts: first, last, or the name of a step (default: first).'),
      })
      .optional()
      .describe('Conversion by the values of a dimension.'),
  })
  .describe('Extensions of the platform format: local engines only.');

/** A funnel file: `{name?, seconds_to_convert, steps: [{name, action, target}], sluice?}`. */
export const funnelSchema = z
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

export type FunnelFile = z.infer<typeof funnelSchema>;

/** JSON Schema (draft 7, which editors read) of a funnel file. */
export function toFunnelJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(funnelSchema, { target: 'draft-7', io: 'input' });
}

const form: DefinitionForm<FunnelFile, Funnel> = {
  noun: 'funnel',
  example: 'checkout',
  schema: funnelSchema,
  toDefinition: toFunnel,
};

/** Funnel files, all together; see `DefinitionReader.read`. */
export function readFunnels(
  files: readonly DefinitionFile[],
  taken?: readonly string[],
): readonly ReadDefinition<Funnel>[] {
  return readDefinitions(form, files, taken);
}

export const funnelReader: DefinitionReader<Funnel> = { read: readFunnels, toJsonSchema: toFunnelJsonSchema };

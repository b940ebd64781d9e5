import { z } from 'zod';
import { decodeUtf8 } from '../document/decode-utf8.ts';
import { attachSpans, type Located } from '../document/located.ts';
import { readDocument } from '../document/read-document.ts';
import { bad, errorIssue, type Issue, type IssuePath, type Outcome, settle, warningIssue } from '../outcome.ts';
import { filterSchema, memberSchema } from '../query/query-schema.ts';
import { didYouMean } from '../suggest.ts';
import { quote } from '../text.ts';
import { toFunnelSlug } from './funnel-slug.ts';
import {
  type EventMatch, type Funnel, type FunnelBreakdown, type FunnelExclusion, funnelOrders, type FunnelStep,
  type PathTarget,
} from './funnel.ts';

/** A file of a funnel as it lies there. */
export interface FunnelSource {
  /** Name of the file for people, with folders: `funnels/checkout.yaml`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export type ReadFunnel = Located<Funnel> & { readonly file: string; /** The funnel's name, whatever else is wrong with it. */ readonly slug: string };

/**
 * Funnel files, all together: names that several of them share, or that a cube bears (`taken`), are issues of each of
 * them. Every issue of every file at once, in the files' order. Never throws.
 */
export function readFunnels(sources: readonly FunnelSource[], taken: readonly string[] = []): readonly ReadFunnel[] {
  const read = sources.map(readFunnel);
  return read.map((one) => {
    const issues = nameIssues(one, read, taken);
    const { source, file, slug, locate } = one;
    return issues.length === 0 ? one : { ...bad([...issues, ...one.issues]), source, file, slug, locate };
  });
}

function readFunnel({ file, bytes }: FunnelSource): ReadFunnel {
  const slug = toFunnelSlug(baseName(file));
  const decoded = decodeUtf8(bytes, { file });
  if (!decoded.ok) return { ...bad(decoded.issues), source: decoded.source, file, slug, locate: () => undefined };
  const document = readDocument(decoded.value, funnelSchema, { file });
  const { source, locate } = document;
  if (!document.ok) return { ...document, file, slug };
  const outcome = toFunnel(document.value, slug);
  const issues = attachSpans([...document.issues, ...outcome.issues, ...otherName(document.value.name, slug)], locate);
  return { ...outcome, issues, source, file, slug, locate };
}

function otherName(name: string | undefined, slug: string): readonly Issue[] {
  if (name === undefined || name === slug || toFunnelSlug(name) === slug) return [];
  return [warningIssue('other-name', `The funnel is called ${quote(slug)}, after its file, not ${quote(name)}.`, {
    path: ['name'], hint: `Call the file ${quote(`${name}.yaml`)}, or take the name out.`,
  })];
}

function nameIssues(one: ReadFunnel, all: readonly ReadFunnel[], taken: readonly string[]): readonly Issue[] {
  const { slug, file } = one;
  if (slug === '') return [errorIssue('no-name', 'Nothing of this file\'s name can stand in the name of a funnel.', { hint: 'Name the file by letters, such as checkout.yaml.' })];
  if (/^\d/.test(slug)) return [errorIssue('no-name', `A funnel's name begins with a letter, and this file's gives ${quote(slug)}.`, { hint: `Name the file ${quote(`funnel_${slug}.yaml`)}, for example.` })];
  const others = all.filter((other) => other !== one && other.slug === slug).map((other) => other.file);
  if (others.length > 0) {
    return [errorIssue('name-taken', `${quote(file)} and ${others.map(quote).join(', ')} give funnels of the same name, ${quote(slug)}.`, { hint: 'Rename all but one of them.' })];
  }
  const cube = taken.find((name) => name.toLowerCase() === slug);
  return cube === undefined ? [] : [errorIssue('name-taken', `There is a cube ${quote(cube)} already, which a funnel ${quote(slug)} would be taken for.`, { hint: 'Rename the file.' })];
}

function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}

const pageView = 'pageview';

/** What a funnel file means; `name` is its slug. Issues: names of steps that stand twice or that there are not. */
function toFunnel(file: FunnelFile, name: string): Outcome<Funnel> {
  const { sluice = {} } = file;
  const steps = file.steps.map(toStep);
  const places = openPlaces(steps.map((step) => step.name));
  const exclude = (sluice.exclude ?? []).map((one, index): FunnelExclusion => {
    const path = ['sluice', 'exclude', index];
    const from = one.after === undefined ? 0 : places.find(one.after, [...path, 'after']);
    const to = one.before === undefined ? steps.length - 1 : places.find(one.before, [...path, 'before']);
    if (from >= to) places.issues.push(errorIssue('empty-stretch', 'Nothing lies between these steps: the second must come after the first.', { path }));
    return { ...toMatch(one, one.event ?? pageView), from, to };
  });
  const breakdown = sluice.breakdown && toBreakdown(sluice.breakdown, places);
  const issues = [...duplicates(steps), ...places.issues];
  return settle({
    name,
    secondsToConvert: file.seconds_to_convert,
    steps,
    order: sluice.order ?? 'ordered',
    by: sluice.by ?? 'user',
    where: sluice.where ?? [],
    exclude,
    breakdown,
    extended: isExtended(file),
  }, issues);
}

function toStep({ name, target, sluice = {} }: FunnelFile['steps'][number]): FunnelStep {
  return { name, ...toMatch({ target, ...sluice }, sluice.event ?? pageView), within: sluice.within };
}

interface Matching {
  readonly target?: string | undefined;
  readonly any_of?: readonly string[] | undefined;
  readonly where?: EventMatch['where'] | undefined;
}

/** `any_of` stands in for `target`, which the platform reads. */
function toMatch({ target, any_of: anyOf, where = [] }: Matching, event: string): EventMatch {
  const exact = target === undefined ? [] : [{ path: target, isPattern: false }];
  return { event: event === 'any' ? undefined : event, targets: anyOf?.map(toTarget) ?? exact, where };
}

function toTarget(path: string): PathTarget {
  return { path, isPattern: path.includes('*') };
}

function toBreakdown({ dimension, attribution = 'first' }: { readonly dimension: string; readonly attribution?: string | undefined }, places: Places): FunnelBreakdown {
  const whose = attribution === 'first' || attribution === 'last' ? attribution : places.find(attribution, ['sluice', 'breakdown', 'attribution'], ['first', 'last']);
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
      issues.push(errorIssue('unknown-step', `There is no step ${quote(name)}.`, { path, hint: didYouMean(name, known) ?? `There are ${known.join(', ')}.` }));
      return 0;
    },
  };
}

function duplicates(steps: readonly FunnelStep[]): readonly Issue[] {
  return steps.flatMap(({ name }, index) => {
    const first = steps.findIndex((step) => step.name === name);
    if (first === index) return [];
    return [errorIssue('duplicate-step', `Two steps are called ${quote(name)}.`, { path: ['steps', index, 'name'], hint: `The first one is step ${first + 1}: give each a name of its own.` })];
  });
}

/** Whether the `sluice` key says anything that the platform's own reading of the file would miss. */
function isExtended({ sluice = {}, steps }: FunnelFile): boolean {
  const { order = 'ordered', by = 'user', where = [], exclude, breakdown } = sluice;
  if (order !== 'ordered' || by !== 'user' || where.length > 0 || exclude || breakdown) return true;
  return steps.some(({ target, sluice: own = {} }) => {
    const other = own.any_of !== undefined && !(own.any_of.length === 1 && own.any_of[0] === target && !target.includes('*'));
    return other || (own.event ?? pageView) !== pageView || (own.where ?? []).length > 0 || own.within !== undefined;
  });
}

const seconds = z.int().min(1);

const target = z.string().check((context) => {
  const fault = targetFault(context.value);
  if (fault !== undefined) context.issues.push({ code: 'custom', input: context.value, message: fault, params: { code: 'not-a-path' } });
});

/** What is wrong with a target, and below it what to do; undefined where it is a path. */
function targetFault(text: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(text);
  if (url) return `A target is a path, not a whole address.\nLeave out everything before the path: ${quote(url[1] || '/')}.`;
  if (text.trim() !== text) return `A target is compared to the letter, and this one has a blank at its ${text.trimStart() === text ? 'end' : 'start'}.\nTake the blank away.`;
  if (!text.startsWith('/')) return `A target is a path and begins with a slash.\nWrite ${quote(`/${text}`)}.`;
  const part = /[?#]/.exec(text)?.[0];
  if (part !== undefined) return `A target is the path alone: what comes after ${quote(part)} is not part of it.\nWrite ${quote(text.slice(0, text.indexOf(part)))}.`;
  return undefined;
}

const targets = z.array(target).min(1).describe('Any of these paths; * stands for any text without a slash, ** for any text.');
const event = z.string().min(1).describe('The type of event that counts, such as link_click; any for every type.');
const where = z.array(filterSchema).describe('Only events for which all of them hold; filters as in a query.');

const stepExtension = z
  .strictObject({
    any_of: targets.optional(),
    event: event.optional(),
    where: where.optional(),
    within: seconds.optional().describe('At most so many seconds since the step before.'),
  })
  .describe('Beyond the platform: local engines only.');

const action = z
  .literal('pageview', { error: (issue) => (issue.input === undefined
    ? undefined
    : `"action" cannot be ${quote(String(issue.input))}.\nThe platform knows only pageview. For other events add \`sluice: {event: ${/^\w+$/.test(String(issue.input)) ? String(issue.input) : 'link_click'}}\` to the step.`) })
  .describe('What the visitor does; the platform knows page views only.');

const slug = z.string().regex(/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/, {
  error: (issue) => `${quote(String(issue.input))} is no slug.\nA step is named by small letters, digits, _ and -, such as view_cart.`,
});

const step = z.strictObject({
  name: slug.describe('A slug of its own, such as view_cart.'),
  action,
  target: target.describe('The path of the page, to the letter, such as /cart.'),
  sluice: stepExtension.optional(),
});

const exclusion = z.strictObject({
  target: target.optional(),
  any_of: targets.optional(),
  event: event.optional(),
  where: where.optional(),
  after: z.string().optional().describe('Spoils after this step; the first one where not set.'),
  before: z.string().optional().describe('Spoils before this step; the last one where not set.'),
});

const extension = z
  .strictObject({
    order: z.enum(funnelOrders).optional().describe('ordered: other events may come between. strict: none may. unordered: any order.'),
    by: z.enum(['user', 'session']).optional().describe('Whose events are followed; user where not set.'),
    where: where.optional(),
    exclude: z.array(exclusion).min(1).optional().describe('Events that spoil an attempt.'),
    breakdown: z
      .strictObject({
        dimension: memberSchema,
        attribution: z.string().optional().describe('Whose value counts: first, last, or the name of a step; first where not set.'),
      })
      .optional()
      .describe('Conversion by the values of a dimension.'),
  })
  .describe("Beyond the platform's file: local engines only.");

/** A funnel file: `{name?, seconds_to_convert, steps: [{name, action, target}], sluice?}`. */
export const funnelSchema = z
  .strictObject({
    name: z.string().optional().describe('The platform goes by the name of the file.'),
    seconds_to_convert: seconds.describe('How many seconds a user has from the first step to the last.'),
    steps: z.array(step).min(2).describe('What people do, one after the other.'),
    sluice: extension.optional(),
  })
  .meta({ title: 'Funnel file', description: 'Steps that users take one after the other, and the time they have for it.' });

export type FunnelFile = z.infer<typeof funnelSchema>;

/** JSON Schema (draft 7, which editors read) of a funnel file. */
export function toFunnelJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(funnelSchema, { target: 'draft-7', io: 'input' });
}

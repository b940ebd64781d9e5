import { didYouMean } from '../did-you-mean.ts';
import { errorIssue, settle, type Issue, type IssuePath, type Outcome } from '../outcome.ts';
import { quote } from '../quote.ts';
import type { EventMatch, Funnel, FunnelBreakdown, FunnelExclusion, FunnelStep, PathTarget } from './funnel.ts';
import type { FunnelFile } from './funnel-schema.ts';

const pageView = 'pageview';

/** What a funnel file means; `name` is its slug. Issues: names of steps that stand twice or that there are not. */
export function toFunnel(file: FunnelFile, name: string): Outcome<Funnel> {
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

import { type EventMatch, pageView, type PathTarget } from '../../ask/analysis/event-match.ts';
import { writeValue } from '../../ask/notation/write-value.ts';
import { nearest, offer, quoteSome } from '../../ask/suggest.ts';
import { writtenAt } from '../../ask/analysis/written-place.ts';
import { allRules } from '../../ask/cohort/cohort.ts';
import { drawIssue } from '../../ask/document/draw-issue.ts';
import { errorIssue, type Issue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import type { NamedDefinition } from '../../plan/analysis.ts';
import { renamedBy } from '../../plan/model/event-fields.ts';
import type { Model } from '../../plan/model/model.ts';
import type { BoundFunnel } from '../../plan/analysis/funnel/bind-funnel.ts';
import { type ListCube, listCube } from '../../plan/list-conditions.ts';
import type { BoundComputation, BoundRule, Condition, Plan } from '../../plan/plan.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import { allOf, boundText, type Expression, joined, sql, trusted } from '../../plan/sql/expression.ts';
import { ofProject } from '../../plan/sql/of-project.ts';
import { lookedAtEvents, lowerDimension, pathCondition } from './event-condition.ts';
import type { RowsOf } from './rows-of.ts';

/** The event types, paths and values that a definition names. */
export interface NamedEvents {
  /** Finds its position in the file. */
  readonly definition?: object | undefined;
  readonly matches: readonly EventMatch[];
  readonly conditions: readonly Condition[];
}

/** For plans of which only the cohorts name events. */
export const nothingNamed: NamedEvents = { matches: [], conditions: [] };

/** A value that some event should have. */
interface WantedValue {
  /** SQL over `looked_at`, and over the values of `list`. */
  readonly expression: Expression;
  readonly list?: ListCube | undefined;
  /** Its name for people: `type`, `path`, `docHost`. */
  readonly what: string;
  readonly value: string;
  /** The paths that it stands for. */
  readonly pattern?: PathTarget;
  /** What names it. */
  readonly by: readonly object[];
  /** The match that no event meets if none has this value, nor another one that is wanted of it. */
  readonly of?: EventMatch;
  /** The definition: `The funnel "checkout"`. */
  readonly within: string;
}

/** Longer lists of values are not looked up. */
const mostWanted = 20;
const mostKnown = 20_000;

/** The values that a cohort's rule and the steps of its funnels name. */
function namedByRule(rule: BoundRule): NamedEvents {
  const all = allRules(rule).map((one): NamedEvents => {
    if (one.kind === 'did') return { matches: [one.match], conditions: one.conditions };
    if (one.kind !== 'reached') return nothingNamed;
    const { definition, bound } = one.funnel as BoundComputation<Funnel, BoundFunnel>;
    return bound ? namedByFunnel(definition, bound) : nothingNamed;
  });
  return {
    matches: all.flatMap(({ matches }) => matches),
    conditions: all.flatMap(({ conditions }) => conditions),
  };
}

/** The values that a funnel names. */
export function namedByFunnel(definition: Funnel, { where, steps, exclude }: BoundFunnel): NamedEvents {
  return {
    definition,
    matches: [...definition.steps, ...definition.exclude],
    conditions: [where, ...steps, ...exclude].flat(),
  };
}

/** The same for any engine that returns the rows of a statement over `events`. `renames`: those of its files. */
export async function tellUnknownIn(
  rowsOf: RowsOf,
  plan: Pick<Plan, 'project' | 'cohorts' | 'computed' | 'model'>,
  named: NamedEvents,
  dialect: Dialect,
  renames?: Model['renames'],
): Promise<readonly string[]> {
  const cohorts = (plan.cohorts ?? []).map(({ name, rule }) => ({
    named: namedByRule(rule),
    within: callOf('cohort', name),
  }));
  const all = [{ named, within: definitionOf(plan) }, ...cohorts].flatMap((one) => wantedValues(one, dialect));
  const wanted = new Map(all.map((one) => [keyOf(one), one]));
  if (wanted.size === 0 || wanted.size > mostWanted) return [];
  const own = ofProject(plan.project);
  const checks = Array.from(
    wanted.values(),
    (one) => sql`EXISTS (SELECT 1 FROM ${lookedAtEvents(dialect, one.list)} WHERE ${allOf([...own, meets(one)])})`,
  );
  const [found = []] = await rowsOf(sql`SELECT ${joined(checks, ', ')}`);
  const unknown = new Set([...wanted.keys()].filter((_, index) => !found[index]));
  // Without any event, the names are not at fault: other notes say why there are none.
  if (unknown.size === wanted.size && (await rowsOf(sql`SELECT 1 FROM "events" LIMIT 1`)).length === 0) return [];
  const isVain = ({ of, what }: WantedValue) =>
    of !== undefined && all.every((one) => one.of !== of || one.what !== what || unknown.has(keyOf(one)));
  const told = new Set<string>();
  const mistakes: Mistake[] = [];
  for (const one of all.filter((each) => unknown.has(keyOf(each)))) {
    const renamed = renamedBy([plan.model.renames, renames], fieldNames[one.what] ?? one.what, one.value);
    if (renamed !== undefined) {
      const message = tellRenamed(one, renamed);
      if (one.of)
        mistakes.push({ ...one, name: one.value, code: codeOf(one), message, hint: `Write ${writeValue(renamed)}.` });
      else told.add(`${message} Figures about it are empty.`);
      continue;
    }
    const known = await rowsOf(
      sql`SELECT ${one.expression} AS value, count(*) AS seen FROM ${lookedAtEvents(dialect, one.list)}
WHERE ${allOf([...own, sql`${one.expression} IS NOT NULL`])} GROUP BY 1 ORDER BY seen DESC, value LIMIT ${trusted(String(mostKnown))}`,
    );
    const isCustom =
      one.what === 'type' &&
      (await rowsOf(sql`SELECT 1 FROM "events" WHERE custom_event_name = ${boundText(one.value)} LIMIT 1`)).length > 0;
    const values = known.map(([value]) => String(value));
    const isPage =
      one.what === 'type' &&
      (
        await rowsOf(
          sql`SELECT 1 FROM ${lookedAtEvents(dialect)} WHERE doc_path = ${boundText(`/${one.value}`)} LIMIT 1`,
        )
      ).length > 0;
    const near = isCustom ? undefined : nearValue(one, values);
    const hint = isVain(one) ? hintOnUnquoted(one.by, one.value, values) : undefined;
    if (hint !== undefined)
      mistakes.push({
        ...one,
        name: one.value,
        code: codeOf(one),
        message: `No event has the ${one.what} ${quote(one.value)}.`,
        hint,
      });
    else if (isVain(one) && isStarred(one)) mistakes.push({ ...one, ...toStarMistake(one) });
    else if (isVain(one) && (isCustom || (near !== undefined && isMistyped(one.value, near))))
      mistakes.push({ within: one.within, by: one.by, ...toMistake(one, near) });
    else told.add(tell(one, values, { isCustom, isPage, near }));
  }
  if (mistakes.length > 0) throw refuseMistakes(mistakes);
  return [...told];
}

function keyOf({ what, value }: WantedValue): string {
  return `${what} ${value}`;
}

function meets({ expression, value, pattern }: WantedValue): Expression {
  return pattern ? pathCondition(expression, [pattern]) : sql`${expression} = ${boundText(value)}`;
}

/** What a plan asks, for people. */
export function definitionOf({ computed }: Pick<Plan, 'computed'>): string {
  if (!computed) return 'The question has errors.';
  return callOf(computed.analysis, (computed.definition as NamedDefinition).name);
}

/** A definition without a file has the name of its analysis. */
function callOf(analysis: string, name: string): string {
  const verb = analysis === 'paths' ? 'have' : 'has';
  return `The ${analysis}${name === analysis ? '' : ` ${quote(name)}`} ${verb} errors.`;
}

/** A name that must be mistyped. */
interface Mistake {
  /** `The funnel "checkout" has errors.` */
  readonly within: string;
  /** What names it. */
  readonly by: readonly object[];
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The error of names that are mistyped, each drawn where it was written. */
export function refuseMistakes(mistakes: readonly Mistake[]): InvalidInputError {
  const drawn = new Map<string, Issue>();
  for (const { code, message, hint, by, name } of mistakes) {
    const place = writtenAt(by, name);
    const issue = errorIssue(code, message, { hint, span: place?.span, path: place?.path, name });
    drawn.set(drawIssue(issue, place), issue);
  }
  return new InvalidInputError([mistakes[0]?.within ?? '', ...drawn.keys()].join('\n'), [...drawn.values()]);
}

const fieldNames: Readonly<Record<string, string>> = { type: 'eventType', path: 'docPath' };

/** Says of a value that events have it under another name. */
function tellRenamed({ what, value }: WantedValue, renamed: string): string {
  return `No event has the ${what} ${quote(value)}: the mapping reads it as ${quote(renamed)}.`;
}

function codeOf({ what }: WantedValue): string {
  return what === 'type' ? 'unknown-event' : 'unknown-path';
}

/** Whether a `target`, which is one exact path, is written like a pattern. */
function isStarred({ of, what, value, pattern }: WantedValue): boolean {
  return of !== undefined && what === 'path' && !pattern && value.includes('*');
}

function toStarMistake(one: WantedValue): Pick<Mistake, 'name' | 'code' | 'message' | 'hint'> {
  return {
    code: codeOf(one),
    name: one.value,
    message: `No event has the path ${quote(one.value)}: a target is one exact path.`,
    hint: `For a pattern, write \`any_of: [${quote(one.value)}]\`.`,
  };
}

/** For a value that a line has without quotes, and with which a known name of several words begins there. */
export function hintOnUnquoted(by: readonly object[], value: string, known: readonly string[]): string | undefined {
  const { source, span } = writtenAt(by, value) ?? {};
  if (source === undefined || span === undefined) return undefined;
  const rest = source.slice(span.start).toLowerCase();
  const whole = known.find(
    (name) =>
      name.startsWith(`${value} `) &&
      rest.startsWith(name.toLowerCase()) &&
      !/^[\p{L}\p{N}]/u.test(rest.slice(name.length)),
  );
  return whole === undefined ? undefined : `Put names of several words in quotes: ${quote(whole)}.`;
}

function toMistake(one: WantedValue, near: string | undefined): Pick<Mistake, 'name' | 'code' | 'message' | 'hint'> {
  const { what, value, pattern } = one;
  const code = codeOf(one);
  if (near === undefined)
    return {
      code,
      name: value,
      message: `No event has the type ${quote(value)}: it is the name of custom events.`,
      hint: `Write ${writeEvents('customEventName', '=', value)}.`,
    };
  const begin = pattern && /^[^*]+/.exec(value)?.[0];
  const still =
    what === 'type'
      ? `an event that is still to come, write ${writeEvents('eventType', '=', value)}`
      : pattern
        ? begin && `pages that nobody has seen yet, write ${writeEvents('docPath', '^=', begin)}`
        : `a page that nobody has seen yet, write ${writeEvents('docPath', '=', value)}`;
  return {
    code,
    name: value,
    message: pattern ? `No event has a path like ${quote(value)}.` : `No event has the ${what} ${quote(value)}.`,
    hint: `${offer(near)}${near === `${value}*` ? ' `*` matches no slash.' : ''}${still ? ` For ${still}.` : ''}`,
  };
}

/** As a definition takes it: in quotes, for lines. */
function writeEvents(dimension: string, operator: string, value: string): string {
  const text = `any where ${dimension} ${operator} ${writeValue(value)}`;
  return `\`${text.includes('"') ? text : `"${text}"`}\``;
}

function tell(
  { what, value, pattern, by }: WantedValue,
  known: readonly string[],
  {
    isCustom,
    isPage,
    near,
  }: { readonly isCustom: boolean; readonly isPage: boolean; readonly near: string | undefined },
): string {
  const { file, span } = writtenAt(by, value) ?? {};
  const at = file !== undefined && span ? ` (${file}:${span.line}:${span.column})` : '';
  const named = pattern ? `a path like ${quote(value)}` : `the ${what} ${quote(value)}`;
  const hint = isCustom
    ? `It is the name of custom events: write ${writeEvents('customEventName', '=', value)}.`
    : near !== undefined
      ? offer(near)
      : isPage
        ? `It is a page: write \`/${value}\`.`
        : known.length === 0
          ? `No event has any ${what}.`
          : what === 'type' && value === pageView
            ? `Events have ${quoteSome(known)}: name one of these types, or \`any\` for all events.`
            : `Events have ${quoteSome(known)}.`;
  return `No event has ${named}${at}: figures about it are empty. ${hint}`;
}

/** The nearest value that there is. */
function nearValue({ value, pattern }: WantedValue, known: readonly string[]): string | undefined {
  return nearest(value, pattern ? patternsLike(value, known) : known);
}

/**
 * Whether a name is so near to one that there is that it must be mistyped. Numbers tell apart what is alike, and so
 * does each letter of a very short name, such as `/en` and `/es`.
 */
export function isMistyped(value: string, near: string): boolean {
  const [written, meant] = [value, near].map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}*]+/gu, '')
      .replace(/\*+/g, '*'),
  );
  const [letters = '', others] = [written, meant].map((text) => text?.replace(/[\p{N}*]+/gu, ''));
  return written === meant || (letters !== others && letters.length >= 4);
}

/** The pattern with the beginnings of paths instead of its own, or with `**` if the rest of the path has a slash. */
function patternsLike(pattern: string, paths: readonly string[]): readonly string[] {
  const at = pattern.indexOf('*');
  const end = pattern.slice(at);
  const depth = pattern.slice(0, at).split('/').length;
  const isWhole = pattern[at - 1] === '/';
  return paths.flatMap((path) => {
    const parts = path.split('/');
    if (parts.length < depth) return [];
    const begin = isWhole ? `${parts.slice(0, depth - 1).join('/')}/` : parts.slice(0, depth).join('/');
    const isDeeper = end === '*' && path.slice(begin.length).includes('/');
    const like = `${begin}${isDeeper ? '**' : end}`;
    return like === pattern ? [] : [like];
  });
}

/** Types, paths, and texts that a condition asks for. */
function wantedValues(
  { named: { definition, matches, conditions }, within }: { readonly named: NamedEvents; readonly within: string },
  dialect: Dialect,
): readonly WantedValue[] {
  const own = definition ? [definition] : [];
  return [
    ...matches.flatMap((match): readonly WantedValue[] => {
      const source = { by: [match, ...own], of: match, within };
      return [
        ...(match.event === undefined
          ? []
          : [{ expression: trusted('event_type'), what: 'type', value: match.event, ...source }]),
        ...match.targets.map((target) => ({
          expression: trusted('doc_path'),
          what: 'path',
          value: target.path,
          ...(target.isPattern && { pattern: target }),
          ...source,
        })),
      ];
    }),
    ...conditions.flatMap((condition) => textsAsked(condition, { by: [...own, ...matches], within }, dialect)),
  ];
}

function textsAsked(
  condition: Condition,
  from: Pick<WantedValue, 'by' | 'within'>,
  dialect: Dialect,
): readonly WantedValue[] {
  if (condition.kind !== 'test') return condition.conditions.flatMap((one) => textsAsked(one, from, dialect));
  const { operand, test } = condition;
  if (operand.kind !== 'dimension' || operand.dimension.type !== 'string' || test.kind !== 'one-of') return [];
  const { cube, dimension } = operand;
  // Skip cohorts: they are named after users and not events, and unknown names are issues.
  if (dimension.cohort) return [];
  return test.values
    .filter((value) => typeof value === 'string')
    .map((value) => ({
      expression: lowerDimension({ cube, dimension }, dialect),
      list: listCube(cube),
      what: dimension.name,
      value,
      ...from,
    }));
}

import { pageView } from '../../../plan/model/event-fields.ts';
import { type Paths, occursIn } from '../../../ask/paths/paths.ts';
import { type BoundPaths, pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { type NamedEvents, hintOnUnquoted, isMistyped, definitionOf, refuseMistakes } from '../tell-unknown.ts';
import type { AnswerFacts } from '../../backend.ts';
import { shortNameOf } from '../../../ask/query/member-name.ts';
import { type RowsOf, countRows } from '../rows-of.ts';
import { type Steps, stepsOf } from './steps.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import { sql, trusted } from '../../../plan/sql/expression.ts';
import { nearest, offer } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';

/** The event types and conditions that paths name. */
export function namedByPaths(definition: Paths, members: BoundPaths): NamedEvents {
  return {
    definition,
    matches: (definition.events ?? []).map((event) => ({ event, targets: [], where: [] })),
    conditions: members.where,
  };
}

/** The events and steps that no edge includes, for the facts of an answer. */
export function toUncounted(
  { step }: Paths,
  { withoutUser, nameless, leftOut }: Readonly<Record<'withoutUser' | 'nameless' | 'leftOut', number>>,
): AnswerFacts['uncounted'] {
  return [
    { what: 'events without a user', rows: withoutUser },
    {
      what:
        step.kind === 'dimension'
          ? `events without a value of ${shortNameOf(step.dimension)}`
          : 'page views without a path',
      rows: nameless,
    },
    { what: `steps beyond the edges that \`edge_limit\` and \`min_sessions\` keep`, rows: leftOut },
  ];
}

/** The number of events that are no steps because they have no name. */
export async function countNameless(rowsOf: RowsOf, { nameless, tables }: Steps): Promise<number> {
  return nameless === undefined ? 0 : countRows(rowsOf, withTables(tables, nameless));
}

/** No session that anybody asks about has more names of steps. */
const mostNames = 20_000;

/**
 * Sentences on steps that paths should begin with, end with, lead through or leave out, and that nothing is called by.
 * `called`: what steps are called in the range. Throws `InvalidInputError` for a name that nothing has at any time, and
 * that is near to one that there is; else as `answer`.
 */
export async function tellStrangers(
  rowsOf: RowsOf,
  plan: Plan,
  called: readonly string[],
  dialect: Dialect = duckDb,
): Promise<readonly string[]> {
  const { definition, bound: members } = computedHere(pathsOf(plan));
  const { anchor, exclude, groups } = definition;
  const ends = anchor.kind === 'through' ? [anchor.point] : anchor.kind === 'ends' ? [anchor.from, anchor.to] : [];
  const points = new Set(ends.filter((point) => point !== undefined));
  const inRange = new Set(called);
  const strangers = [...new Set([...points, ...exclude])].filter((name) => !inRange.has(name));
  if (strangers.length === 0) return [];
  const computed = { ...plan.computed!, bound: { ...members, where: [] } };
  const always = stepsOf({ ...withoutDates(plan), computed, cohorts: [] }, dialect);
  const rows = await rowsOf(
    sql`SELECT DISTINCT ${always.name} AS name FROM ${always.relation} AS steps ORDER BY 1 LIMIT ${trusted(String(mostNames))}`,
  );
  const known = new Set(rows.map(([name]) => toStepName(groups, String(name))));
  const mistakes = strangers.flatMap((name) => {
    if (known.has(name)) return [];
    const by = [definition];
    const near = nearest(name, known);
    const hint =
      hintOnUnquoted(by, name, [...known]) ?? (near !== undefined && isMistyped(name, near) ? offer(near) : undefined);
    const message = `No step is called ${quote(name)}.`;
    return hint === undefined ? [] : [{ code: 'unknown-step', message, hint, name, by, within: definitionOf(plan) }];
  });
  if (mistakes.length > 0) throw refuseMistakes(mistakes);
  return strangers.flatMap((name) => {
    if (points.has(name))
      return [
        known.has(name)
          ? `No step is called ${quote(name)} in this range: no session has a path.`
          : `No step is called ${quote(name)}: no session has a path.` +
            (isOfPages(definition) ? ` ${onOtherEvents}` : ''),
      ];
    return known.has(name) ? [] : [`No step is called ${quote(name)}, which is to be left out.`];
  });
}

/** Says why paths have no rows if nothing but page views would be steps, and no `unknown` name is the reason. */
export function tellNoSteps(definition: Paths, sessions: number, unknown: readonly string[]): readonly string[] {
  return sessions === 0 && unknown.length === 0 && definition.anchor.kind === 'none' && isOfPages(definition)
    ? [`No session has a page view with a path. ${onOtherEvents}`]
    : [];
}

/** Whether only the paths of page views are steps, as by default. */
function isOfPages({ step, events }: Paths): boolean {
  return step.kind === 'page' && (events ?? []).join() === pageView.documented;
}

const onOtherEvents =
  'By default, steps are the paths of page views: ' +
  '`event any` adds other events, and `step event` names all by their events.';

/** The name of a step after grouping. */
export function toStepName(groups: Paths['groups'], name: string): string {
  return groups.find((pattern) => occursIn(pattern, name)) ?? name;
}

import type { Cube, Dimension, Template } from '../model/model.ts';
import { eventFields, userKeyColumn } from '../model/event-fields.ts';
import type { Plan } from '../plan.ts';
import { duckDb } from '../sql/duckdb.ts';
import type { Expression } from '../sql/expression.ts';
import { dimensionExpression, expandTemplate, type MemberScope } from '../sql/member-expression.ts';
import { wordsOf } from '../sql/rows-source.ts';
import { needsParts } from '../sql/to-statement.ts';
import { codedEvents } from './projections.ts';

/** Why a projection does not answer a plan; undefined: it gives what the events would, to the byte. */
export type Unfit = string | undefined;

/** Every column that events have. */
export const eventColumns: ReadonlySet<string> = new Set([
  ...eventFields.map(({ column }) => column),
  'further',
  userKeyColumn,
]);

/** Tells which SQL of a plan reads a column out of `all` that a projection lacks: one that is not in `kept`. */
export function openFit({ model, zone }: Plan, all: ReadonlySet<string>, kept: ReadonlySet<string>) {
  const scope: MemberScope = { model, dialect: duckDb, zone };
  const lacked = (expression: Expression) => lackedBy([expression], all, kept);
  return {
    template: (cube: Cube, text: Template): Unfit => lacked(expandTemplate(text, cube, scope)),
    member: (cube: Cube, dimension: Dimension): Unfit =>
      ['sql', 'case', 'time-part'].includes(dimension.expression.kind)
        ? lacked(dimensionExpression(cube, dimension, scope))
        : `${cube.name}.${dimension.name} is computed from other rows.`,
  };
}

/** Engines take names of columns in any letter case. */
function lackedBy(expressions: readonly Expression[], all: ReadonlySet<string>, kept: ReadonlySet<string>): Unfit {
  for (const each of wordsOf(expressions)) {
    const word = each.toLowerCase();
    if (all.has(word) && !kept.has(word)) return `It does not have ${word}.`;
  }
  return undefined;
}

/** Why coded events do not do for conditions and values over single events. */
export function unfitForCodedEvents(expressions: readonly Expression[]): Unfit {
  return wordsOf(expressions).has('events')
    ? 'The question compares events with others.'
    : lackedBy(expressions, eventColumns, new Set(codedEvents.columns));
}

/** Whether a plan needs rows besides those of its root cube. */
export function readsOtherRows(plan: Plan): boolean {
  const { joins, cohorts = [], subQueries = [], switches = [] } = plan;
  return [joins, cohorts, subQueries, switches].some(({ length }) => length > 0) || needsParts(plan);
}

export function first<T>(all: readonly T[], unfit: (one: T) => Unfit): Unfit {
  for (const one of all) {
    const found = unfit(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a template is a column of the cube itself, or the SQL that follows its name. */
export function isOwnColumn([cube, text, ...more]: Template, column: string): boolean {
  return cube?.kind === 'cube' && text?.kind === 'text' && text.text === `.${column}` && more.length === 0;
}

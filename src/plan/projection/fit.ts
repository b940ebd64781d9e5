import type { Cube, Dimension, Template } from '../model/model.ts';
import type { Plan } from '../plan.ts';
import { duckDb } from '../sql/duckdb.ts';
import { dimensionExpression, expandTemplate, type MemberScope } from '../sql/member-expression.ts';
import { wordsOf } from '../sql/rows-source.ts';
import { needsParts } from '../sql/to-statement.ts';

/** Why a projection does not answer a plan; undefined: it gives what the events would, to the byte. */
export type Unfit = string | undefined;

/** Tells which SQL of a plan reads a column out of `all` that a projection lacks: one that is not in `kept`. */
export function openFit({ model, zone }: Plan, all: ReadonlySet<string>, kept: ReadonlySet<string>) {
  const scope: MemberScope = { model, dialect: duckDb, zone };
  const lacked = (words: Iterable<string>): Unfit => {
    for (const word of words) if (all.has(word) && !kept.has(word)) return `It does not have ${word}.`;
    return undefined;
  };
  return {
    template: (cube: Cube, text: Template): Unfit => lacked(wordsOf([expandTemplate(text, cube, scope)])),
    member: (cube: Cube, dimension: Dimension): Unfit =>
      ['sql', 'case', 'time-part'].includes(dimension.expression.kind)
        ? lacked(wordsOf([dimensionExpression(cube, dimension, scope)]))
        : `${cube.name}.${dimension.name} is computed from other rows.`,
  };
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

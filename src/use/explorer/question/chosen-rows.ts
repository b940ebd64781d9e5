import { bad, errorIssue, good, type Outcome } from '../../../ask/outcome.ts';
import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../../ask/query/query.ts';
import type { Value } from '../../../plan/column.ts';
import { alongTime, type DrillFacts, ofOneRange, toFilter } from '../../answer/drill-down.ts';
import { withoutMeasures } from '../../answer/without-measures.ts';

/** Rows of an answer: their values by column key. */
export type ChosenRows = readonly ReadonlyMap<string, Value>[];

/** The question with these of its rows alone. Issue: `not-askable`. */
export function askChosen(facts: DrillFacts, rows: ChosenRows): Outcome<CanonicalQuery> {
  const only = toChoice(facts, rows);
  if (!only.ok) return only;
  const { query } = facts;
  return good(toCanonicalQuery({ ...query, filters: [...(query.filters ?? []), only.value] }));
}

/** The measures of these rows over time, a series for each. Issue: `not-askable`. */
export function compareChosen(facts: DrillFacts, rows: ChosenRows): Outcome<CanonicalQuery> {
  const only = toChoice(facts, rows);
  if (!only.ok) return only;
  if (!facts.query.measures) return refuse('The question has no measure to compare.', 'Add one, such as `count`.');
  const current = ofOneRange(facts, 0);
  const { order: _order, limit: _limit, offset: _offset, total: _total, filters = [], ...rest } = current.query;
  const timeDimensions = alongTime(rest.timeDimensions ?? [], current);
  if (timeDimensions.length === 0) return refuse('The rows have no time.', 'Ask a cube that has a time dimension.');
  return good(
    toCanonicalQuery({
      ...rest,
      timeDimensions,
      filters: [...withoutMeasures(filters, current.measures), only.value],
    }),
  );
}

function toChoice({ query, columns }: DrillFacts, rows: ChosenRows): Outcome<CanonicalFilter> {
  const dimensions = columns.filter(({ kind }) => kind === 'dimension');
  if (query.ungrouped || dimensions.length === 0)
    return refuse('Only rows of dimensions can be chosen.', 'Group by a dimension, such as `by eventType`.');
  if (columns.some(({ kind }) => kind === 'time'))
    return refuse('These rows are of different times.', 'Ask without the buckets of time, then choose rows.');
  if (query.other)
    return refuse('A row of this answer stands for all other groups.', 'Remove `with other`, then choose rows.');
  const [only, ...others] = dimensions;
  const values = rows.map((row) => (only ? (row.get(only.key) ?? null) : null));
  if (only && others.length === 0 && only.type !== 'time' && !values.includes(null))
    return good({ member: only.member, operator: 'equals', values: values.map(String) });
  const choices = rows.map((row): CanonicalFilter => {
    const parts = dimensions.map((column) => toFilter(column, row.get(column.key) ?? null));
    const [part] = parts;
    return part && parts.length === 1 ? part : { and: parts };
  });
  const [choice] = choices;
  return good(choice && choices.length === 1 ? choice : { or: choices });
}

function refuse(message: string, hint: string): Outcome<never> {
  return bad([errorIssue('not-askable', message, { hint })]);
}

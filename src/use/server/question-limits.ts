import { Refusal } from './refusal.ts';

/** Limits of one request. They bound the time for reading and planning it, whatever the data. */
export interface QuestionLimits {
  /** Maximum number of queries in a list, and of ranges in a comparison. */
  readonly queries: number;
  /** Maximum number of entries in other lists, such as measures or dimensions, and of keys in objects. */
  readonly entries: number;
  /**
   * Maximum number of filters in all queries, including `and` and `or` groups. Each value of an operator without a
   * lookup, such as `contains`, counts as one.
   */
  readonly filters: number;
  /** Maximum number of values in all filters with a lookup, such as `equals`. */
  readonly values: number;
  /** Maximum number of characters in a value, name or phrase. */
  readonly textLength: number;
}

export const questionLimits: QuestionLimits = {
  queries: 100,
  entries: 500,
  filters: 1_000,
  values: 10_000,
  textLength: 10_000,
};

/** Operators that look up all values at once. Others compare each row with each value. */
const looksUp: ReadonlySet<unknown> = new Set(['equals', 'notEquals', 'in', 'notIn']);

/** Deeper than any valid query. Reading rejects queries that are deeper. */
const deepest = 80;

/** Checks a query or a list of queries against the limits before it is read. Throws a `Refusal` of 400. */
export function checkQuestion(query: unknown, limits: QuestionLimits): void {
  let filters = 0;
  let values = 0;

  const count = (more: number): void => {
    filters += Math.max(0, more);
    if (filters > limits.filters)
      refuse(
        `The query has more than ${limits.filters} filters; each value of operators such as "contains" counts as one.`,
      );
  };
  const check = (value: unknown, key: string, depth: number): void => {
    if (typeof value === 'string' && value.length > limits.textLength)
      refuse(`A text in the query is longer than ${limits.textLength} characters.`);
    if (typeof value !== 'object' || value === null || depth > deepest) return;
    if (!Array.isArray(value)) {
      if ('operator' in value && 'values' in value && Array.isArray(value.values) && !looksUp.has(value.operator))
        count(value.values.length - 1);
      const entries = Object.entries(value);
      if (entries.length > limits.entries) refuse(`An object in the query has more than ${limits.entries} keys.`);
      for (const [name, part] of entries) {
        if (name.length > limits.textLength)
          refuse(`A key in the query is longer than ${limits.textLength} characters.`);
        check(part, name, depth + 1);
      }
      return;
    }
    if (key === 'values') {
      values += value.length;
      if (values > limits.values) refuse(`The filters have more than ${limits.values} values.`);
    } else if (key === 'filters' || key === 'and' || key === 'or') {
      count(value.length);
    } else if (key === 'compareDateRange' && value.length > limits.queries) {
      refuse(`The query compares more than ${limits.queries} ranges.`);
    } else if (value.length > limits.entries) {
      refuse(`A list in the query has more than ${limits.entries} entries.`);
    }
    for (const part of value) check(part, '', depth + 1);
  };

  if (Array.isArray(query) && query.length > limits.queries)
    refuse(`The list has more than ${limits.queries} queries.`);
  check(query, '', 0);
}

function refuse(message: string): never {
  throw new Refusal(400, message);
}

import { Refusal } from './refusal.ts';

/** How much one request may ask for. Whatever the data, these bound the time that reading and planning it takes. */
export interface QuestionLimits {
  /** Queries in a list, and ranges that a query compares. */
  readonly queries: number;
  /** Entries of any list but filters and their values: measures, dimensions, order; and keys of an object. */
  readonly entries: number;
  /**
   * Filters of all queries together, groups by `and` and `or` too. Each value that is not looked up as a whole
   * (`contains`) is one.
   */
  readonly filters: number;
  /** Values of all filters together that are looked up as a whole (`equals`). */
  readonly values: number;
  /** Characters of a value, a name or a phrase. */
  readonly textLength: number;
}

export const questionLimits: QuestionLimits = {
  queries: 100,
  entries: 500,
  filters: 1_000,
  values: 10_000,
  textLength: 10_000,
};

/** Operators that look a value up among all of theirs at once; others compare each row with each value. */
const looksUp: ReadonlySet<unknown> = new Set(['equals', 'notEquals', 'in', 'notIn']);

/** Deeper than any query that is read; what is still deeper is refused when it is read. */
const deepest = 80;

/** Refuses (400) a query, or a list of them, that goes past a limit, before anything reads it. */
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

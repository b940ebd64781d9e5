import { Refusal } from './refusal.ts';

/** How much one request may ask for. Whatever the data, these bound the time that reading and planning it takes. */
export interface QuestionLimits {
  /** Queries in a list, and ranges that a query compares. */
  readonly queries: number;
  /** Entries of any list but filters and their values: measures, dimensions, order; and keys of an object. */
  readonly entries: number;
  /** Filters of all queries together, groups by `and` and `or` too. */
  readonly filters: number;
  /** Values of all filters together. */
  readonly values: number;
  /** Characters of a value, a name or a phrase. */
  readonly textLength: number;
}

export const questionLimits: QuestionLimits = { queries: 100, entries: 500, filters: 1_000, values: 20_000, textLength: 10_000 };

/** Deeper than any query that is read; what is still deeper is refused when it is read. */
const deepest = 80;

/** Refuses (400) a query, or a list of them, that goes past a limit, before anything reads it. */
export function checkQuestion(query: unknown, limits: QuestionLimits): void {
  let filters = 0;
  let values = 0;

  const check = (value: unknown, key: string, depth: number): void => {
    if (typeof value === 'string' && value.length > limits.textLength) refuse(`A text in the query is longer than ${limits.textLength} characters.`);
    if (typeof value !== 'object' || value === null || depth > deepest) return;
    if (!Array.isArray(value)) {
      const entries = Object.entries(value);
      if (entries.length > limits.entries) refuse(`An object in the query has more than ${limits.entries} keys.`);
      for (const [name, part] of entries) {
        if (name.length > limits.textLength) refuse(`A key in the query is longer than ${limits.textLength} characters.`);
        check(part, name, depth + 1);
      }
      return;
    }
    if (key === 'values') {
      values += value.length;
      if (values > limits.values) refuse(`The filters have more than ${limits.values} values.`);
    } else if (key === 'filters' || key === 'and' || key === 'or') {
      filters += value.length;
      if (filters > limits.filters) refuse(`The query has more than ${limits.filters} filters.`);
    } else if (key === 'compareDateRange' && value.length > limits.queries) {
      refuse(`The query compares more than ${limits.queries} ranges.`);
    } else if (value.length > limits.entries) {
      refuse(`A list in the query has more than ${limits.entries} entries.`);
    }
    for (const part of value) check(part, '', depth + 1);
  };

  if (Array.isArray(query) && query.length > limits.queries) refuse(`The list has more than ${limits.queries} queries.`);
  check(query, '', 0);
}

function refuse(message: string): never {
  throw new Refusal(400, message);
}

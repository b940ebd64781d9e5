import { toSpan } from '../../ask/document/located.ts';
import { bad, badWith, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { oneOfHint } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';

/** A figure that prose or a check names: `page_views.total`, `visits.count.total.previous`, `top.docPath.first`. */
export interface FigurePath {
  /** As written. */
  readonly text: string;
  /** Name of a cell, or of a parameter. */
  readonly name: string;
  /** The parts after the name, separated by dots. */
  readonly steps: readonly string[];
  /** The steps as written, if the path stands in its own cell, without the name of the cell. */
  readonly own?: readonly string[] | undefined;
}

/** `{{ path | filter }}` in prose. Offsets are within the prose's source; `end` is exclusive. */
export interface Quote {
  readonly start: number;
  readonly end: number;
  readonly path: FigurePath;
  readonly filter?: QuoteFilter | undefined;
}

/**
 * How to write a figure (default: as its column does): `number` with digits, `whole` without decimals, `percent` with
 * its sign, `signed` with + or −, `change` as the percent change from the previous period.
 */
const quoteFilters = ['number', 'whole', 'percent', 'signed', 'change'] as const;

export type QuoteFilter = (typeof quoteFilters)[number];

const quoted = /(?<!\\)\{\{(.*?)\}\}/gs;
const path = /^[a-z_][\w-]*(?:\.[a-z_][\w-]*)*$/i;

/** How a report refers to a measure whose own name has brackets or other signs. */
export const nameWithAs = 'Measures with brackets need a name in their query: `sum(amount) as revenue`.';

/** Reads the path of a figure: a name, and steps after dots. Issue: `unreadable-figure`. */
export function readFigurePath(text: string): Outcome<FigurePath> {
  const wanted = text.trim();
  if (!path.test(wanted)) {
    return badWith('unreadable-figure', `${quote(wanted)} is not a valid figure name.`, {
      hint: `Write the name of a cell and of its figure, such as page_views.total. ${nameWithAs}`,
    });
  }
  const [name = '', ...steps] = wanted.split('.');
  return good({ text: wanted, name, steps });
}

/**
 * Finds the quotes in the plain text of a prose: `{{ path }}` and `{{ path | filter }}`, but not `\{{`. Stretches and
 * spans refer to the whole `text`; offsets of quotes count from `start`.
 */
export function readQuotes(
  text: string,
  start: number,
  stretches: readonly { readonly start: number; readonly end: number }[],
): { readonly quotes: readonly Quote[]; readonly issues: readonly Issue[] } {
  const quotes: Quote[] = [];
  const issues: Issue[] = [];
  for (const stretch of stretches) {
    for (const match of text.slice(stretch.start, stretch.end).matchAll(quoted)) {
      const at = stretch.start + match.index;
      const end = at + match[0].length;
      const read = readQuote(match[1] ?? '');
      if (read.ok) quotes.push({ start: at - start, end: end - start, ...read.value });
      issues.push(...read.issues.map((issue) => ({ ...issue, span: toSpan(text, at, end) })));
    }
  }
  return { quotes, issues };
}

function readQuote(inside: string): Outcome<Pick<Quote, 'path' | 'filter'>> {
  const [before = '', filter, ...more] = inside.split('|').map((part) => part.trim());
  const figure = readFigurePath(before);
  const issues = [...figure.issues];
  const known = quoteFilters.find((name) => name === filter);
  if (filter !== undefined && known === undefined) issues.push(unknownFilter(filter));
  if (more.length > 0)
    issues.push(
      errorIssue('unknown-filter', 'A figure takes one filter.', { hint: `Use one of ${quoteFilters.join(', ')}.` }),
    );
  return figure.ok && issues.length === 0
    ? good({ path: figure.value, filter: known satisfies QuoteFilter | undefined })
    : bad(issues);
}

function unknownFilter(filter: string): Issue {
  return errorIssue('unknown-filter', `There is no filter ${quote(filter)}.`, {
    hint: oneOfHint(filter, quoteFilters),
  });
}

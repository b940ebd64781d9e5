/** A figure that prose or a check names: `page_views.total`, `visits.count.total.previous`, `top.docPath.first`. */
export interface FigurePath {
  /** As written. */
  readonly text: string;
  /** Name of a cell, or of a parameter. */
  readonly name: string;
  /** What stands behind it, between the dots. */
  readonly steps: readonly string[];
}

/** `{{ path | filter }}` in prose. Offsets count within the prose's source, `end` exclusive. */
export interface Quote {
  readonly start: number;
  readonly end: number;
  readonly path: FigurePath;
  readonly filter?: QuoteFilter | undefined;
}

/**
 * How a figure is written: as its column has it where no filter stands; `number` with its digits, `whole` without
 * fraction,
 * `percent` with its sign, `signed` with + or −, `change` the change in percent against the previous period.
 */
export const quoteFilters = ['number', 'whole', 'percent', 'signed', 'change'] as const;

export type QuoteFilter = (typeof quoteFilters)[number];

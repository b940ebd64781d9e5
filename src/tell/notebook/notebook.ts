import type * as z from 'zod';
import type { DeepReadonly, DeliveryFile } from '../delivery/delivery.ts';
import type { CellKind } from './cell-kinds.ts';
import type { cellSchemas } from './cell-schemas.ts';
import type { Param } from './params.ts';
import type { Quote } from './quote.ts';

/**
 * A Markdown file with questions in fenced cells: front matter, then prose and cells. Each part keeps its text, so that
 * writing all parts in order restores the file byte for byte.
 */
export interface Notebook {
  readonly frontMatter: FrontMatter;
  readonly blocks: readonly Block[];
}

export interface FrontMatter {
  /** With both `---` lines and the blank lines after them; empty if the file has none. */
  readonly source: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The subject of its emails, with quotes of figures. */
  readonly subject?: string | undefined;
  readonly params: readonly Param[];
  /** As written: the time zone of days, for cells without one. */
  readonly timezone?: string | undefined;
  /** When to run, as in `sluice report schedule`. */
  readonly schedule?: string | undefined;
  /** How many missed slots to run later (default: all). */
  readonly catchUp?: 'all' | 'latest' | number | undefined;
  /** As written; see `toFreshness`. */
  readonly fresh?: string | { readonly data: string; readonly wait?: string | undefined } | undefined;
  /** As written: where the report goes (default: as configured). */
  readonly deliver?: readonly DeliveryFile[] | undefined;
  /** Receivers of alerts and of schedule problems. They also get the report if a check with `alert` fails. */
  readonly notify?: readonly DeliveryFile[] | undefined;
  /** As written: how long after its slot the report is late. */
  readonly late?: string | undefined;
  readonly backend?: string | undefined;
}

export type Block = Prose | Cell;

/** Markdown up to the next cell. */
export interface Prose {
  readonly kind: 'prose';
  readonly source: string;
  /** Its quotes in text order, such as `{{ page_views.total | number }}`. */
  readonly quotes: readonly Quote[];
}

/** A fenced block whose first word is the kind of a cell: ```` ```query ````, or ```` ```yaml query ````. */
export interface Cell {
  readonly kind: 'cell';
  readonly cell: CellKind;
  /** With both fences. */
  readonly source: string;
  /** Its YAML as plain data; parameters are not filled in yet. */
  readonly data: unknown;
}

type CellOf<Kind extends CellKind> = { readonly cell: Kind } & DeepReadonly<z.infer<(typeof cellSchemas)[Kind]>>;

/** The content of a cell, with parameters filled in. `cell-schemas.ts` describes each key. */
export type CellContent = {
  readonly [Kind in CellKind]: CellOf<Kind>;
}[CellKind];

export type QueryCell = CellOf<'query'>;

/** A question that is also asked about an earlier range. The answers are side by side, with the change. */
export type CompareCell = CellOf<'compare'>;

export type FunnelCell = CellOf<'funnel'>;

/** Events per month, for each group and project. */
export type UsageCell = CellOf<'usage'>;

/** Dated marks, which the charts of the notebook draw. */
export type AnnotationsCell = CellOf<'annotations'>;

/** Conditions on figures. The run fails if one does not hold. */
export type CheckCell = CellOf<'check'>;

/** One of `figure` and `every`, and at least one bound. */
export type Expectation = CheckCell['expect'][number];

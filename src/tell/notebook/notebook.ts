import type * as z from 'zod';
import type { DeepReadonly, DeliveryFile } from '../delivery/delivery.ts';
import type { CellKind } from './cell-kinds.ts';
import type { cellSchemas } from './cell-schemas.ts';
import type { Param } from './params.ts';
import type { Quote } from './quote.ts';

/**
 * A Markdown file whose fenced cells are questions: front matter, then prose and cells in turn. Every part keeps its
 * own text, so that writing the parts one after the other gives the file back to the byte.
 */
export interface Notebook {
  readonly frontMatter: FrontMatter;
  readonly blocks: readonly Block[];
}

export interface FrontMatter {
  /** With both of its `---` lines and the blank lines behind; empty where the file has none. */
  readonly source: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** What its letters are called, with quotes of figures. */
  readonly subject?: string | undefined;
  readonly params: readonly Param[];
  /** As written: the zone that days are counted in, where a cell names none of its own. */
  readonly timezone?: string | undefined;
  /** When it is to run, in the words of `sluice report schedule`. */
  readonly schedule?: string | undefined;
  /** How many missed slots run later; all where not set. */
  readonly catchUp?: 'all' | 'latest' | number | undefined;
  /** As written: see `toFreshness`. */
  readonly fresh?: string | { readonly data: string; readonly wait?: string | undefined } | undefined;
  /** As written: where it goes when it ran; undefined: where the configuration says. */
  readonly deliver?: readonly DeliveryFile[] | undefined;
  /** Who is told of alerts and of the schedule, and gets the report when a check that alerts fails. */
  readonly notify?: readonly DeliveryFile[] | undefined;
  /** As written: so long after its slot it is late. */
  readonly late?: string | undefined;
  readonly backend?: string | undefined;
}

export type Block = Prose | Cell;

/** Markdown up to the next cell. */
export interface Prose {
  readonly kind: 'prose';
  readonly source: string;
  /** What it quotes: `{{ page_views.total | number }}`, in the order of the text. */
  readonly quotes: readonly Quote[];
}

/** A fenced block whose first word is the kind of a cell: ```` ```query ````, or ```` ```yaml query ````. */
export interface Cell {
  readonly kind: 'cell';
  readonly cell: CellKind;
  /** With both of its fences. */
  readonly source: string;
  /** Its YAML as plain data; parameters are not filled in yet. */
  readonly data: unknown;
}

type CellOf<Kind extends CellKind> = { readonly cell: Kind } & DeepReadonly<z.infer<(typeof cellSchemas)[Kind]>>;

/** What a cell says, once its parameters are filled in. `cell-schemas.ts` tells what each key means. */
export type CellContent = {
  readonly [Kind in CellKind]: CellOf<Kind>;
}[CellKind];

export type QueryCell = CellOf<'query'>;

/** The same question about an earlier range, laid beside it with the change. */
export type CompareCell = CellOf<'compare'>;

export type FunnelCell = CellOf<'funnel'>;

/** Events per month, for each group and project. */
export type UsageCell = CellOf<'usage'>;

/** Dated marks, which the charts of the notebook draw. */
export type AnnotationsCell = CellOf<'annotations'>;

/** What must hold of figures; where it does not, the run fails. */
export type CheckCell = CellOf<'check'>;

/** One of `figure` and `every`, and at least one bound. */
export type Expectation = CheckCell['expect'][number];

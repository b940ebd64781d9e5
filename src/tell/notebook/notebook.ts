import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartWish } from '../../ask/chart/chart-wish.ts';
import type { Filter, Query } from '../../ask/query/query.ts';
import type { FillMode } from '../../ask/query/saved-query.ts';
import type { DeliveryFile } from '../delivery/to-delivery.ts';
import type { Param } from './params.ts';
import type { Quote } from './quote.ts';

/**
 * A Markdown file whose fenced cells are questions: front matter, then prose and cells in turn. Every part keeps its own
 * text, so that writing the parts one after the other gives the file back to the byte.
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
  readonly params: readonly Param[];
  /** As written: the zone that days are counted in, where a cell names none of its own. */
  readonly timezone?: string | undefined;
  /** When it is to run, in the words of `sluice report schedule`. */
  readonly schedule?: string | undefined;
  /** As written: where it goes when it ran; undefined: where the configuration says. */
  readonly deliver?: readonly DeliveryFile[] | undefined;
  /** Who else gets it when a check that alerts fails. */
  readonly notify?: readonly DeliveryFile[] | undefined;
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

export const cellKinds = ['query', 'compare', 'funnel', 'usage', 'annotations', 'check'] as const;

export type CellKind = (typeof cellKinds)[number];

/** What a cell says, once its parameters are filled in. */
export type CellContent = QueryCell | CompareCell | FunnelCell | UsageCell | AnnotationsCell | CheckCell;

export const shownParts = ['table', 'chart', 'both', 'stats', 'none'] as const;

/** Where nothing is said: both where a chart is wished for, stats where the answer is one row of measures, else a table. */
export type ShownPart = (typeof shownParts)[number];

interface CellParts {
  /** What prose and checks call it. Unique in the notebook. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

interface ShownCell extends CellParts {
  readonly show?: ShownPart | undefined;
  readonly chart?: ChartWish | undefined;
}

/** A range as text: a phrase, or first and last day. */
type RangeText = string | readonly string[];

/** The question of a cell: inline, or saved; the other keys are laid over it as flags are. */
interface AskedCell extends ShownCell {
  readonly query?: Query | undefined;
  /** Name of a saved query. */
  readonly from?: string | undefined;
  readonly range?: RangeText | undefined;
  readonly filters?: readonly Filter[] | undefined;
  readonly limit?: number | undefined;
  readonly timezone?: string | undefined;
  readonly fill?: FillMode | undefined;
  readonly fillWith?: 0 | undefined;
}

export interface QueryCell extends AskedCell {
  readonly cell: 'query';
}

/** The same question about an earlier range, laid beside it with the change. */
export interface CompareCell extends AskedCell {
  readonly cell: 'compare';
  /** `previous`: the stretch before, of the same length or the same number of months; `a year before`; else a range. */
  readonly with?: RangeText | undefined;
}

export interface FunnelCell extends ShownCell {
  readonly cell: 'funnel';
  /** Name of a funnel of the workspace. */
  readonly funnel: string;
  readonly range?: RangeText | undefined;
  readonly timezone?: string | undefined;
  readonly byEntry?: boolean | undefined;
  readonly trend?: 'day' | 'week' | 'month' | undefined;
}

/** Received events a month, for each group and project. */
export interface UsageCell extends ShownCell {
  readonly cell: 'usage';
  /** The month that is reported, `2026-10`; the last closed one where not set. */
  readonly month?: string | undefined;
  /** How many months are shown, the reported one with them. */
  readonly months?: number | undefined;
  /** Names of groups of the configuration; all where not set. */
  readonly groups?: readonly string[] | undefined;
  /** What the month will come to at its end, where it is not over. */
  readonly forecast?: boolean | undefined;
}

/** Dated marks, which the charts of the notebook draw. */
export interface AnnotationsCell extends CellParts {
  readonly cell: 'annotations';
  /** A file of marks, beside the notebook. */
  readonly from?: string | undefined;
  readonly marks?: readonly Annotation[] | undefined;
}

/** What must hold of figures; where it does not, the run fails. */
export interface CheckCell extends CellParts {
  readonly cell: 'check';
  readonly expect: readonly Expectation[];
  /** Of expectations that name none of their own; `warn` where not set. */
  readonly severity?: Severity | undefined;
}

/** What a failed check means. `stop`: the report is not delivered. `warn`: it is, and says so first. `alert`: somebody is notified, too. */
export const severities = ['stop', 'warn', 'alert'] as const;

export type Severity = (typeof severities)[number];

/** One of `figure` and `every`, and at least one bound. */
export interface Expectation {
  /** As in a quote: `page_views.total`. */
  readonly figure?: string | undefined;
  /** Every row of a cell: `page_views.count`. Buckets that are not over yet do not count. */
  readonly every?: string | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly equals?: number | undefined;
  readonly not?: number | undefined;
  /** Percent, as `20 %`, of what `of` names. */
  readonly within?: string | number | undefined;
  /** `previous`: the same figure of the stretch before; or another figure; or a number. */
  readonly of?: string | number | undefined;
  /** Why, for whoever meets the failure. */
  readonly because?: string | undefined;
  readonly severity?: Severity | undefined;
}

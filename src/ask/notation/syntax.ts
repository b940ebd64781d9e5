import type { Formula } from '../formula/formula.ts';
import type { Span } from '../outcome.ts';
import type { DateRangeText, FilterOperator, FilterValue, OrderDirection } from '../query/query.ts';
import type { Granularity } from '../time/granularity.ts';

/** What a line says, before its names mean anything. */
export interface Syntax {
  /** `events where`, `raw events`: the rows themselves, of which the groups are columns. */
  readonly rows: Span | undefined;
  readonly measures: readonly MeasureNode[];
  readonly groups: readonly GroupNode[];
  readonly range: RangeNode | undefined;
  readonly compare: readonly RangeNode[];
  /** All of them hold. */
  readonly conditions: readonly ConditionNode[];
  readonly segments: readonly NameNode[];
  readonly order: readonly OrderNode[];
  /** `top 10`, `bottom 10`. */
  readonly pick: PickNode | undefined;
  readonly limit: NumberNode | undefined;
  /** `with other`. */
  readonly other: Span | undefined;
  readonly offset: NumberNode | undefined;
  readonly zone: NameNode | undefined;
}

export interface NameNode {
  readonly text: string;
  readonly span: Span;
}

export interface MeasureNode extends NameNode {
  /** What it is computed by, where it is no member; `text` is what was written. */
  readonly formula?: Formula<NameNode> | undefined;
  /** `as viewsPerUser`. */
  readonly as?: NameNode | undefined;
}

export type GroupNode =
  | { readonly kind: 'name'; readonly name: NameNode /** Position of the token behind it. */; readonly next: number }
  | {
      readonly kind: 'bucket';
      readonly granularity: Granularity;
      readonly span: Span;
      /** The name right before it, which it belongs to if that is a time: `utcTime day`, `utcTime by day`. */
      readonly after: BucketOwner | undefined;
    };

export interface BucketOwner {
  readonly group: number;
  /** `by` stands between them. */
  readonly joined: boolean;
}

export interface RangeNode {
  readonly range: DateRangeText;
  readonly span: Span;
  /** The line's own range is compared with it: `previous`, `-1y`, or what stands behind `compare with`. */
  readonly earlier?: boolean;
}

export interface NumberNode {
  readonly value: number;
  readonly span: Span;
}

export interface PickNode extends NumberNode {
  /** The whole clause, with the names of what is ranked: `top 5 docPath`. */
  readonly clause: Span;
  readonly direction: OrderDirection;
}

export interface OrderNode {
  /** A bucket (`order by day`) stands for the time it cuts. */
  readonly by: NameNode | { readonly granularity: Granularity; readonly span: Span };
  readonly direction: OrderDirection;
}

export type ConditionNode =
  | {
      readonly kind: 'and' | 'or';
      readonly parts: readonly ConditionNode[];
      /** Stood in brackets. */
      readonly grouped?: boolean;
    }
  | TestNode;

export interface TestNode {
  readonly kind: 'test';
  readonly name: NameNode;
  readonly operator: FilterOperator | 'between' | 'notBetween';
  /** Written as a sign, which means a comparison of dates where the member is a time. */
  readonly sign: boolean;
  readonly operatorSpan: Span;
  readonly values: readonly { readonly value: FilterValue; readonly span: Span }[];
}

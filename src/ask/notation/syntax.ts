import type { Formula } from './formula.ts';
import type { Span } from '../outcome.ts';
import type { DateRangeText, FilterOperator, FilterValue, OrderDirection } from '../query/query.ts';
import type { Granularity } from '../time/granularity.ts';

/** The syntax of a line, before its names are resolved. */
export interface Syntax {
  /** `events where`, `raw events`: lists rows, with the groups as columns. */
  readonly rows: Span | undefined;
  readonly measures: readonly MeasureNode[];
  readonly groups: readonly GroupNode[];
  readonly range: RangeNode | undefined;
  readonly compare: readonly RangeNode[];
  /** All of them must hold. */
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
  /** `"Plan type"`: a column by its own name. */
  readonly quoted?: boolean | undefined;
}

export interface MeasureNode extends NameNode {
  /** The formula, if it is no member; `text` is its source. */
  readonly formula?: Formula<NameNode, ConditionNode> | undefined;
  /** `as viewsPerUser`. */
  readonly as?: NameNode | undefined;
}

export type GroupNode =
  | { readonly kind: 'name'; readonly name: NameNode /** Position of the token after it. */; readonly next: number }
  | {
      readonly kind: 'bucket';
      readonly granularity: Granularity;
      readonly span: Span;
      /**
       * The name directly before it, to which the bucket belongs if that is a time: `utcTime day`, `utcTime by day`.
       */
      readonly after: BucketOwner | undefined;
    };

export interface BucketOwner {
  readonly group: number;
  /** Whether `by` joins them. */
  readonly joined: boolean;
  /** Whether the name stands behind the bucket: `day of finished_at`. */
  readonly of?: boolean;
}

export interface RangeNode {
  readonly range: DateRangeText;
  readonly span: Span;
  /** True if it is compared with the line's own range: `previous`, `-1y`, or a range after `compare with`. */
  readonly earlier?: boolean;
}

export interface NumberNode {
  readonly value: number;
  readonly span: Span;
}

export interface PickNode extends NumberNode {
  /** The whole clause, with the ranked names: `top 5 docPath`. */
  readonly clause: Span;
  readonly direction: OrderDirection;
}

export interface OrderNode {
  /** A bucket (`order by day`) stands for the time with that granularity. */
  readonly by: NameNode | { readonly granularity: Granularity; readonly span: Span };
  readonly direction: OrderDirection;
}

export type ConditionNode =
  | {
      readonly kind: 'and' | 'or';
      readonly parts: readonly ConditionNode[];
      /** Whether it was in brackets. */
      readonly grouped?: boolean;
    }
  | TestNode;

export interface TestNode {
  readonly kind: 'test';
  readonly name: NameNode;
  readonly operator: FilterOperator | 'between' | 'notBetween';
  /** Whether the operator is a sign, which compares dates if the member is a time. */
  readonly sign: boolean;
  readonly operatorSpan: Span;
  /** Whether it stands for `not` of its opposite, and so also holds for missing values if the opposite does not. */
  readonly negated?: boolean;
  readonly values: readonly { readonly value: FilterValue; readonly span: Span }[];
}

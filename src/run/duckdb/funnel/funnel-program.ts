import type { FunnelOrder } from '../../../ask/funnel/funnel.ts';
import type { Expression } from '../../../plan/sql/expression.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';

/** A funnel for the engine: SQL conditions over one relation, and numbers. Plain data. */
export interface FunnelProgram {
  readonly order: FunnelOrder;
  /** Maximum seconds from the first to the last step, inclusive. */
  readonly window: number;
  readonly steps: readonly ProgramStep[];
  readonly exclusions: readonly ProgramExclusion[];
  /** Additional tables that the conditions read. */
  readonly tables?: readonly CommonTable[] | undefined;
  /** The relation of the events: `events`, or one with more columns. */
  readonly source: Expression;
  /** The key to follow: a column or expression that gives text; null for nobody. */
  readonly follow: Expression;
  /** Condition for all events that are read; undefined for all. */
  readonly looksAt: Expression | undefined;
  /** The values that all steps of an attempt share; each gives text, or null. */
  readonly hold: readonly Expression[];
  readonly breakdown: ProgramBreakdown | undefined;
}

/** A condition on events: one of the paths, and the SQL condition. */
export interface EventCondition {
  /** Exact paths; undefined for any. */
  readonly paths: readonly string[] | undefined;
  readonly also: Expression;
}

interface ProgramStep extends EventCondition {
  /** Maximum seconds since the previous step, inclusive; undefined if only the funnel's window applies. */
  readonly within: number | undefined;
}

/** Spoils an attempt if it occurs after the step `from` and before the step `to`, both counted from 0. */
interface ProgramExclusion extends EventCondition {
  readonly from: number;
  readonly to: number;
}

interface ProgramBreakdown {
  /** Gives text, or null. */
  readonly value: Expression;
  readonly attribution: 'first' | 'last' | number;
}

import type { FunnelOrder } from '../../../ask/funnel/funnel.ts';
import type { Expression } from '../../../plan/sql/expression.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';

/** A funnel in the engine's words: which events count is SQL over one relation, all else is numbers. Plain data. */
export interface FunnelProgram {
  readonly order: FunnelOrder;
  /** How many seconds the last step may come after the first, ends included. */
  readonly window: number;
  readonly steps: readonly ProgramStep[];
  readonly exclusions: readonly ProgramExclusion[];
  /** What the conditions read beside the events. */
  readonly tables?: readonly CommonTable[] | undefined;
  /** Relation of the events; `events` itself, or one that has more columns. */
  readonly source: Expression;
  /** Whose events are followed: a column or an expression that gives text; null for nobody. */
  readonly follow: Expression;
  /** Events that are looked at at all; undefined: all. */
  readonly looksAt: Expression | undefined;
  readonly breakdown: ProgramBreakdown | undefined;
}

/** Which events count: those on one of the paths for which the condition holds. */
export interface EventCondition {
  /** To the letter; undefined: on any. */
  readonly paths: readonly string[] | undefined;
  readonly also: Expression;
}

export interface ProgramStep extends EventCondition {
  /** Seconds since the step before, ends included; undefined: only the funnel's own window counts. */
  readonly within: number | undefined;
}

/** Spoils an attempt when it happens after the step `from` and before the step `to`, both counted from 0. */
export interface ProgramExclusion extends EventCondition {
  readonly from: number;
  readonly to: number;
}

export interface ProgramBreakdown {
  /** Gives text, or null. */
  readonly value: Expression;
  readonly attribution: 'first' | 'last' | number;
}

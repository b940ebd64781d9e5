import type { CanonicalFilter } from '../query/query.ts';
import type { Granularity } from '../time/granularity.ts';

/**
 * A formula over measures, computed for each group. `Name` is the type of names, by default full names, and `Where`
 * that of conditions.
 */
export type Formula<Name = string, Where = readonly CanonicalFilter[]> =
  /** A decimal number, as written. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'measure'; readonly name: Name; readonly change?: Change | undefined }
  | { readonly kind: 'negative'; readonly of: Formula<Name, Where> }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: Formula<Name, Where>;
      readonly right: Formula<Name, Where>;
    }
  | Conditional<Name, Where>;

/** A formula over only the rows that meet conditions: `(count where plan = pro)`. */
export interface Conditional<Name = string, Where = readonly CanonicalFilter[]> {
  readonly kind: 'where';
  readonly of: Formula<Name, Where>;
  readonly where: Where;
}

export const operators = ['+', '-', '*', '/'] as const;

export type Operator = (typeof operators)[number];

/** Computes a measure over rows beyond its own group. */
export type Change =
  /** Over the period that ends with the bucket, including time before the range. Each user counts once. */
  | { readonly kind: 'rolling'; readonly amount: number; readonly unit: Granularity }
  /** The mean over this many buckets, the last of which is the row's. `unit`, if set, requires buckets of that unit. */
  | { readonly kind: 'average'; readonly count: number; readonly unit?: Granularity | undefined }
  /** From the start of the range to the end of the bucket. A running total that counts each user once. */
  | { readonly kind: 'cumulative' }
  /** The mean, extreme, sum or percentile of the measure over the users who have a value. */
  | { readonly kind: 'perUser'; readonly compute: PerUser }
  /** Percentage of all groups of the bucket; without other dimensions, of the whole range. */
  | { readonly kind: 'share' };

export const perUser = ['avg', 'max', 'min', 'sum'] as const;

export type Percentile = 'median' | `p${number}`;

/** What `… per user` computes of the users' values: `avg`, `p90`. */
export type PerUser = (typeof perUser)[number] | Percentile;

export function isPercentile(compute: string): compute is Percentile {
  return /^(?:median|p[1-9]\d?)$/.test(compute);
}

/** What a word before `per user` computes; undefined for other words. */
export function toPerUser(word: string): PerUser | undefined {
  const lower = word.toLowerCase();
  if (isPercentile(lower)) return lower;
  return perUser.find((compute) => compute === lower) ?? (/^(?:average|mean)$/.test(lower) ? 'avg' : undefined);
}

/** The largest rolling window in units, and moving average in buckets. */
export const mostPeriods = 1000;

/** The formula with its measures replaced. Conditions stay as they are. */
export function mapNames<From, To, Where = readonly CanonicalFilter[]>(
  formula: Formula<From, Where>,
  map: (name: From, change: Change | undefined) => Formula<To, Where>,
): Formula<To, Where> {
  switch (formula.kind) {
    case 'number':
      return formula;
    case 'measure':
      return map(formula.name, formula.change);
    case 'negative':
    case 'where':
      return { ...formula, of: mapNames(formula.of, map) };
    case 'operation':
      return { ...formula, left: mapNames(formula.left, map), right: mapNames(formula.right, map) };
  }
}

/** The formula with what has conditions replaced, from the outermost in. */
export function mapConditionals<Name, From, To>(
  formula: Formula<Name, From>,
  map: (conditional: Conditional<Name, From>) => Formula<Name, To>,
): Formula<Name, To> {
  switch (formula.kind) {
    case 'number':
    case 'measure':
      return formula;
    case 'negative':
      return { kind: 'negative', of: mapConditionals(formula.of, map) };
    case 'where':
      return map(formula);
    case 'operation':
      return { ...formula, left: mapConditionals(formula.left, map), right: mapConditionals(formula.right, map) };
  }
}

/** A measure of a formula, with its change. */
export type Part<Name = string> = Extract<Formula<Name>, { kind: 'measure' }>;

/** The measures of a formula, in written order. */
export function partsOf<Name>(formula: Formula<Name, unknown>): readonly Part<Name>[] {
  if (formula.kind === 'measure') return [formula];
  if (formula.kind === 'negative' || formula.kind === 'where') return partsOf(formula.of);
  return formula.kind === 'operation' ? [...partsOf(formula.left), ...partsOf(formula.right)] : [];
}

/** Whether each measure of a formula has conditions of its own. */
export function isConditional(formula: Formula): boolean {
  if (formula.kind === 'negative') return isConditional(formula.of);
  if (formula.kind === 'operation') return isConditional(formula.left) && isConditional(formula.right);
  return formula.kind !== 'measure';
}

/** The parts of a formula that have conditions, also those within each other. */
export function conditionalsIn<Name, Where>(formula: Formula<Name, Where>): readonly Conditional<Name, Where>[] {
  if (formula.kind === 'where') return [formula, ...conditionalsIn(formula.of)];
  if (formula.kind === 'negative') return conditionalsIn(formula.of);
  return formula.kind === 'operation' ? [...conditionalsIn(formula.left), ...conditionalsIn(formula.right)] : [];
}

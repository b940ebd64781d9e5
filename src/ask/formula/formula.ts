import { shortNameOf } from '../query/member-name.ts';
import type { Granularity } from '../time/granularity.ts';

/** A formula over measures, computed for each group. `Name` is the type of names: by default full names. */
export type Formula<Name = string> =
  /** A decimal number, as written. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'measure'; readonly name: Name; readonly change?: Change | undefined }
  | { readonly kind: 'negative'; readonly of: Formula<Name> }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: Formula<Name>;
      readonly right: Formula<Name>;
    };

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

/** The formula with its names replaced. */
export function mapNames<From, To>(
  formula: Formula<From>,
  map: (name: From, change: Change | undefined) => Formula<To>,
): Formula<To> {
  switch (formula.kind) {
    case 'number':
      return formula;
    case 'measure':
      return map(formula.name, formula.change);
    case 'negative':
      return { kind: 'negative', of: mapNames(formula.of, map) };
    case 'operation':
      return { ...formula, left: mapNames(formula.left, map), right: mapNames(formula.right, map) };
  }
}

/** A measure of a formula, with its change. */
export type Part<Name = string> = Extract<Formula<Name>, { kind: 'measure' }>;

/** The measures of a formula, in written order. */
export function partsOf<Name>(formula: Formula<Name>): readonly Part<Name>[] {
  if (formula.kind === 'measure') return [formula];
  if (formula.kind === 'negative') return partsOf(formula.of);
  return formula.kind === 'operation' ? [...partsOf(formula.left), ...partsOf(formula.right)] : [];
}

/** `28 days`. */
function writeUnits(amount: number, unit: Granularity): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** Writes a change as it follows a measure: `rolling 28 days`. */
export function writeChange(change: Change): string {
  if (change.kind === 'rolling') return `rolling ${writeUnits(change.amount, change.unit)}`;
  if (change.kind === 'perUser') return `${change.compute} per user`;
  if (change.kind !== 'average') return change.kind;
  return `moving average ${change.unit ? writeUnits(change.count, change.unit) : change.count}`;
}

const ranks: Readonly<Record<Operator, number>> = { '+': 1, '-': 1, '*': 2, '/': 2 };

/** A formula as text that reads back to the same formula: `Shop.sales / (Shop.users + 1)`. */
export function writeFormula<Name = string>(
  formula: Formula<Name>,
  writeName: (name: Name) => string = String,
  least = 0,
): string {
  switch (formula.kind) {
    case 'number':
      return formula.text;
    case 'measure':
      return [writeName(formula.name), ...(formula.change ? [writeChange(formula.change)] : [])].join(' ');
    case 'negative':
      return `- ${writeFormula(formula.of, writeName, 3)}`;
    case 'operation': {
      const rank = ranks[formula.operator];
      const text = `${writeFormula(formula.left, writeName, rank)} ${formula.operator} ${writeFormula(formula.right, writeName, rank + 1)}`;
      return rank < least ? `(${text})` : text;
    }
  }
}

const operatorWords: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '*': 'times', '/': 'per' };

/** The default short name of a formula: `pageViewsCount_per_uniqueUsersCount`. */
export function nameOfFormula(formula: Formula): string {
  return writeFormula(formula, shortNameOf)
    .replace(/ ([-+*/]) |^([-+*/]) /g, (_, inner: string, first: string) => ` ${operatorWords[inner ?? first]} `)
    .replace(/[^a-zA-Z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_');
}

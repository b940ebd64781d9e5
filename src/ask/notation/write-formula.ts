import { shortNameOf } from '../query/member-name.ts';
import type { Granularity } from '../time/granularity.ts';
import type { Change, Formula, Operator } from './formula.ts';
import { writeConditions } from './write-condition.ts';

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
  /** Writes the names in conditions. */
  writeMember: (name: string) => string = (name) => name,
  least = 0,
): string {
  const write = (part: Formula<Name>, leastInside = 0) => writeFormula(part, writeName, writeMember, leastInside);
  switch (formula.kind) {
    case 'number':
      return formula.text;
    case 'measure':
      return [writeName(formula.name), ...(formula.change ? [writeChange(formula.change)] : [])].join(' ');
    case 'negative':
      return `- ${write(formula.of, 3)}`;
    case 'where':
      return `(${write(formula.of)} where ${writeConditions(formula.where, writeMember)})`;
    case 'operation': {
      const rank = ranks[formula.operator];
      const text = `${write(formula.left, rank)} ${formula.operator} ${write(formula.right, rank + 1)}`;
      return rank < least ? `(${text})` : text;
    }
  }
}

const operatorWords: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '*': 'times', '/': 'per' };

/** The default short name of a formula: `pageViewsCount_per_uniqueUsersCount`. */
export function nameOfFormula(formula: Formula): string {
  return writeFormula(formula, shortNameOf, shortNameOf)
    .replace(/ ([-+*/]) |^([-+*/]) /g, (_, inner: string, first: string) => ` ${operatorWords[inner ?? first]} `)
    .replace(/[^a-zA-Z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_');
}

import { presenceOperators } from './query.ts';

/** Whether an operator compares with values. `set`, `notSet` and `measureFilter` do not. */
export function needsValues(operator: string): boolean {
  return !(presenceOperators as readonly string[]).includes(operator);
}

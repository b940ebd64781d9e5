import { errorIssue, type IssuePath } from '../../ask/outcome.ts';
import type { TestValue } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { quote } from '../../ask/quote.ts';

export type ValueType = 'string' | 'number' | 'boolean';

/** Filter values as the member's type; null is reported apart, as SQL compares it apart. */
export function toTestValues(values: readonly (string | null)[], type: ValueType, path: IssuePath, binding: Binding) {
  const found: TestValue[] = [];
  let hasNull = false;
  values.forEach((text, index) => {
    if (text === null) {
      hasNull = true;
      return;
    }
    const value = toTestValue(text, type);
    if (value === undefined) {
      binding.issues.push(errorIssue('wrong-value', `${quote(text)} is not a ${type}.`, {
        path: [...path, 'values', index], hint: type === 'boolean' ? 'Write true or false.' : 'Write digits, such as 500 or 12.5.',
      }));
    } else found.push(value);
  });
  return { values: found, hasNull };
}

function toTestValue(text: string, type: ValueType): TestValue | undefined {
  if (type === 'string') return text;
  const trimmed = text.trim().toLowerCase();
  if (type === 'boolean') {
    if (['true', '1', 't', 'yes'].includes(trimmed)) return true;
    return ['false', '0', 'f', 'no'].includes(trimmed) ? false : undefined;
  }
  // Whole numbers stay whole: beyond 2^53 a float would compare equal to its neighbours.
  if (/^[+-]?\d{1,38}$/.test(trimmed)) return BigInt(trimmed.replace('+', ''));
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}

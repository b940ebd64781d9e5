import type { Column, Value } from '../../plan/column.ts';
import type { Condition, Test } from '../../plan/plan.ts';
import { compareValues } from '../values/compare-values.ts';

/** What a condition on groups compares: the values of one row. */
export type ValueOf = (operand: Extract<Condition, { kind: 'test' }>['operand']) => Value;

/** Whether a group of an answer passes a condition on its measures. */
export function passes(condition: Condition, valueOf: ValueOf): boolean {
  if (condition.kind === 'and') return condition.conditions.every((part) => passes(part, valueOf));
  if (condition.kind === 'or')
    return condition.conditions.length === 0 || condition.conditions.some((part) => passes(part, valueOf));
  return passesTest(condition.test, valueOf(condition.operand));
}

/** Numbers are compared exactly; a missing one passes only what asks for it. */
function passesTest(test: Test, value: Value): boolean {
  switch (test.kind) {
    case 'present':
      return value !== null;
    case 'missing':
      return value === null;
    case 'one-of':
      return value === null ? test.orNull : test.values.some((each) => order(value, each) === 0);
    case 'none-of':
      return value === null ? test.orNull : test.values.every((each) => order(value, each) !== 0);
    case 'compare': {
      if (value === null) return false;
      const compared = order(value, test.value);
      if (test.operator === '>') return compared > 0;
      if (test.operator === '>=') return compared >= 0;
      return test.operator === '<' ? compared < 0 : compared <= 0;
    }
    // Binding offers only these of measures that are numbers; what belongs to rows holds for all groups.
    default:
      return true;
  }
}

const type: Column['type'] = 'number';

function order(a: Value, b: Value): number {
  return compareValues(a, b, type);
}

import { invariant } from '../../ask/invariant.ts';
import type { Formula, Operator } from '../../ask/notation/formula.ts';
import type { TypeClaim, Value } from '../../plan/column.ts';
import { decodeNumericText } from '../../run/decode-value.ts';
import { addDecimals, multiplyDecimals, subtractDecimals, toDecimal, writeDecimal } from '../values/decimal.ts';
import type { Values } from '../values/values.ts';

/** The columns that a formula reads. */
interface FormulaInput {
  readonly rowCount: number;
  readonly values: (key: string) => Values;
  /** The engine's type of a column. */
  readonly typeOf: (key: string) => TypeClaim | undefined;
}

export interface Computed {
  readonly values: Values;
  readonly type: TypeClaim | undefined;
}

/**
 * Evaluates a formula row by row. Sums, differences and products of whole numbers and decimals are exact. Quotients,
 * and results from floats, are floats. Null if an operand is null, and for a division by zero.
 */
export function evaluateFormula(formula: Formula, input: FormulaInput): Computed {
  const { at, isFloat, isWhole } = compile(formula, input);
  return {
    values: Array.from({ length: input.rowCount }, (_, row) => at(row)),
    type: isFloat ? { kind: 'double' } : isWhole ? { kind: 'whole' } : undefined,
  };
}

interface Compiled {
  readonly at: (row: number) => Value;
  readonly isFloat: boolean;
  readonly isWhole: boolean;
}

function compile(formula: Formula, input: FormulaInput): Compiled {
  invariant(formula.kind !== 'where', 'binding puts columns in the place of conditions');
  switch (formula.kind) {
    case 'number': {
      const decimal = toDecimal(formula.text);
      const value = decimal ? decodeNumericText(writeDecimal(decimal)) : null;
      return { at: () => value, isFloat: false, isWhole: decimal?.scale === 0 };
    }
    case 'measure': {
      const values = input.values(formula.name);
      const kind = input.typeOf(formula.name)?.kind;
      return {
        at: (row) => values[row] ?? null,
        isFloat: kind === 'double',
        isWhole: kind === 'whole' || kind === 'integer',
      };
    }
    case 'negative': {
      const of = compile(formula.of, input);
      return { ...of, at: (row) => calculate('-', 0, of.at(row), of.isFloat) };
    }
    case 'operation': {
      const [left, right] = [compile(formula.left, input), compile(formula.right, input)];
      const { operator } = formula;
      const isFloat = left.isFloat || right.isFloat;
      return {
        at: (row) => calculate(operator, left.at(row), right.at(row), isFloat),
        isFloat: isFloat || operator === '/',
        isWhole: !isFloat && operator !== '/' && left.isWhole && right.isWhole,
      };
    }
  }
}

const exact = { '+': addDecimals, '-': subtractDecimals, '*': multiplyDecimals } as const;

/** Null if an operand is missing or is no number. */
function calculate(operator: Operator, a: Value, b: Value, isFloat: boolean): Value {
  if (a === null || b === null) return null;
  if (operator !== '/' && !isFloat) {
    const quick = typeof a === 'number' && typeof b === 'number' ? inFloats(operator, a, b) : Number.NaN;
    if (Number.isSafeInteger(quick) && Number.isSafeInteger(a) && Number.isSafeInteger(b)) return quick;
    const [x, y] = [toExact(a), toExact(b)];
    if (x && y) return decodeNumericText(writeDecimal(exact[operator](x, y)));
  }
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x === null || y === null || (operator === '/' && y === 0)) return null;
  // Adding 0 turns -0, which reads as a loss, into 0.
  return inFloats(operator, x, y) + 0;
}

function inFloats(operator: Operator, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  return operator === '*' ? a * b : a / b;
}

function toExact(value: Exclude<Value, null>) {
  return typeof value === 'boolean' ? undefined : toDecimal(value);
}

/** The number in a value; null if it is none, such as the minimum of a time. */
function toNumber(value: Exclude<Value, null>): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && toDecimal(value) ? Number(value) : null;
}

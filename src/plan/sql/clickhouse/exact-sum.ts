import { type Expression, sql, trusted } from '../expression.ts';

/** Binary digits of each integer that values out of the usual range become. */
const width = 62;
/** The exponent of the lowest integers: no float has smaller parts than 2⁻¹⁰⁷⁴. */
const lowest = -1124;

/**
 * The exact sum of floats, rounded once, so that the order of rows does not matter. Each value becomes three
 * integers, which add up exactly. Larger and smaller ones are gathered, and become as many as they need. The embedded
 * engine computes the same figures; see `exact-sum.ts` of `plan/sql`.
 */
export function exactSum(value: Expression): Expression {
  const float = sql`toFloat64(${value})`;
  const size = sql`abs(${float})`;
  const usual = sql`((${size} < ${power(54)} AND ${size} >= ${power(-80)}) OR ${float} = 0)`;
  // The server converts excluded values as well, and fails at NaN and infinity.
  const first = sql`(if(${usual}, ${float}, 0) * ${power(8)})`;
  const second = restOf(first);
  const [high, middle, low] = [first, second, restOf(second)].map(
    // Integers of 256 bits lose digits of floats, those of 64 bits do not.
    (scaled) => sql`ifNull(sumIf(toInt256(toInt64(trunc(${scaled}))), ${usual}), toInt256(0))`,
  ) as [Expression, Expression, Expression];
  const unit = trusted(`toInt256('${2n ** BigInt(width)}')`);
  const sum = sql`(${high} * ${unit} + ${middle}) * ${unit} + ${low}`;
  const others = sql`groupArrayIf(${float}, NOT ${usual})`;
  const total = trusted(
    `multiIf(empty(others), ${nearest('s', '-132')}, arrayExists(x -> NOT isFinite(x), others), ` +
      `arraySum(others), ${sumOfAll})`,
  );
  return sql`if(count(${value}) > 0, arrayMap((s, others) -> ${total}, [${sum}], [${others}])[1], NULL)`;
}

/** What is left of a value after its whole part, in units of the next integer. */
function restOf(scaled: Expression): Expression {
  return sql`((${scaled} - trunc(${scaled})) * ${power(width)})`;
}

/**
 * The float nearest to `integer` times a power of two. Both of its parts are floats, so that only adding them rounds.
 */
function nearest(integer: string, exponent: string): string {
  const dropped = `toInt64(greatest(0, ceil(log2(toFloat64(abs(${integer})) + 1)) - 100))`;
  const kept = `bitOr(bitShiftRight(n, by), toInt256(bitShiftLeft(bitShiftRight(n, by), by) != n))`;
  const parts = `toFloat64(bitShiftRight(n, 53)) * 9007199254740992. + toFloat64(bitAnd(n, ${mask(53)}))`;
  return bind(
    { n: integer, by: dropped },
    bind({ n: kept, e: `by + ${exponent}` }, `(${parts}) * exp2(intDiv(e, 2)) * exp2(e - intDiv(e, 2))`),
  );
}

const digits = bind(
  { y: `x * exp2(${-lowest / 2} - ${width / 2} * k) * exp2(${-lowest / 2} - ${width / 2} * k)` },
  `toInt64(if(abs(y) >= 1 AND abs(y) < exp2(${53 + width}), trunc(y) - trunc(y / exp2(${width})) * exp2(${width}), 0))`,
);
const ofUsual = `multiIf(k = 16, bitAnd(s, ${mask(width)}), k = 17, bitAnd(bitShiftRight(s, ${width}), ${mask(width)}), k = 18, bitShiftRight(s, ${2 * width}), toInt256(0))`;
const integers = `arrayMap(k -> ${ofUsual} + arraySum(x -> toInt256(${digits}), others), range(35))`;
/** With all but the last from 0 to 2⁶², so that the first ones decide how the sum is rounded. */
const carried = `arrayFold((d, x) -> arrayConcat(arrayPopBack(d), [bitAnd(d[-1], ${mask(width)}), bitShiftRight(d[-1], ${width}) + x]), ${integers}, [toInt256(0)])`;
const first = `arrayFold((a, x) -> if(abs(a.1) < exp2(60),
  (a.1 * toInt256('${2n ** BigInt(width)}') + x, toInt256(0), a.3 - ${width}),
  (a.1, if(x = 0, a.2, toInt256(1)), a.3)),
  arrayReverse(${carried}),
  (toInt256(0), toInt256(0), toInt64(${lowest + 35 * width})))`;
const sumOfAll = bind({ a: first }, nearest('(a.1 * 2 + a.2)', '(a.3 - 1)'));

function bind(values: Readonly<Record<string, string>>, result: string): string {
  const given = Object.values(values).map((each) => `[${each}]`);
  return `arrayMap((${Object.keys(values).join(', ')}) -> ${result}, ${given.join(', ')})[1]`;
}

function mask(digits: number): string {
  return `toInt256('${2n ** BigInt(digits) - 1n}')`;
}

function power(exponent: number): Expression {
  return trusted(`toFloat64(${(2 ** exponent).toExponential()})`);
}

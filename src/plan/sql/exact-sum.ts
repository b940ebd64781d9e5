/**
 * DuckDB macros for the sum of floats: the exact sum, rounded once. So it does not depend on the order of rows or the
 * number of threads. Each value becomes three integers, multiples of 2⁻⁸, 2⁻⁷⁰ and 2⁻¹³², which add up exactly. Rows
 * with larger or smaller values are rare. Their values are gathered, and become as many such integers as they need.
 */

/** Binary digits of each integer. */
const width = 62;
/** The exponent of the lowest integers: no float has smaller parts than 2⁻¹⁰⁷⁴. */
const lowest = -8 - 18 * width;

const value = 'CAST(v AS DOUBLE)';
const usual = `((abs(${value}) < ${power(54)} AND abs(${value}) >= ${power(-80)}) OR ${value} = 0)`;
const first = `CASE WHEN ${usual} THEN ${value} * ${power(8)} END`;
const second = restOf(first);
const third = restOf(second);

/** The float nearest to an integer below 2¹²⁶. Both parts are floats, so that only adding them rounds. */
const exactFloat = `CREATE MACRO exact_float(n) AS CASE WHEN abs(n) < ${integer(106)} THEN ${floatOf('n')}
  ELSE (${floatOf(`((n >> 20) | CAST(n & ${mask(20)} <> 0 AS HUGEINT))`)}) * ${power(20)} END`;

/** The float nearest to the sum of integers `l`, of which the first counts multiples of 2^`e`. */
const exactIntegers = `CREATE MACRO exact_integers(l, e) AS list_transform([list_reduce(
    list_transform(list_reverse(${carried('l')}), lambda x: [x, 0, e + ${width} * len(l)]),
    lambda a, x: CASE WHEN abs(a[1]) < ${integer(60)} THEN [a[1] * ${integer(width)} + x[1], 0, a[3] - ${width}]
      ELSE [a[1], CASE WHEN x[1] = 0 THEN a[2] ELSE 1 END, a[3]] END)],
  lambda a: exact_float(2 * a[1] + a[2]) * pow(2.0, (a[3] - ${width + 1}) // 2) * pow(2.0, a[3] - ${width + 1} - (a[3] - ${width + 1}) // 2))[1]`;

const exactSum = `CREATE MACRO exact_sum(v) AS CASE WHEN count(v) > 0 THEN list_transform([struct_pack(
    h := ${sumOfIntegers(first)}, m := ${sumOfIntegers(second)}, l := ${sumOfIntegers(third)},
    others := list(${value}) FILTER (WHERE NOT ${usual}))],
  lambda all_parts: CASE WHEN all_parts['others'] IS NULL AND abs(all_parts['h']) < ${integer(60)}
    THEN list_transform([struct_pack(n := all_parts['h'] * ${integer(width)} + all_parts['m'] + (all_parts['l'] >> ${width}), l := all_parts['l'] & ${mask(width)})],
      lambda two_parts: CASE WHEN abs(two_parts['n']) < ${integer(60)} THEN exact_float(two_parts['n'] * ${integer(width)} + two_parts['l']) * ${power(-132)}
        ELSE exact_float(2 * two_parts['n'] + CASE WHEN two_parts['l'] = 0 THEN 0 ELSE 1 END) * ${power(-71)} END)[1]
  WHEN len(list_filter(all_parts['others'], lambda x: NOT isfinite(x))) > 0 THEN list_sum(all_parts['others'])
  ELSE list_transform([[least(16, ${placeOf('min')} - 2), greatest(18, ${placeOf('max')} + 1)]], lambda place: exact_integers(
    list_transform(range(place[1], place[2] + 1), lambda k:
      CASE k WHEN 16 THEN all_parts['l'] WHEN 17 THEN all_parts['m'] WHEN 18 THEN all_parts['h'] ELSE 0 END + coalesce(list_sum(list_transform(all_parts['others'], lambda x:
        list_transform([x * pow(2.0, ${-lowest / 2} - ${width / 2} * k) * pow(2.0, ${-lowest / 2} - ${width / 2} * k)], lambda y:
          CAST(CASE WHEN abs(y) >= 1 AND abs(y) < ${power(53 + width)} THEN trunc(y) - trunc(y * ${power(-width)}) * ${power(width)} ELSE 0 END AS BIGINT))[1])), 0)),
    ${width} * place[1] + ${lowest}))[1] END)[1] END`;

export const exactSumMacros = [exactFloat, exactIntegers, exactSum];

/** What is left of a value after its whole part, in units of the next integer. */
function restOf(scaled: string): string {
  return `(${scaled} - trunc(${scaled})) * ${power(width)}`;
}

function sumOfIntegers(scaled: string): string {
  return `coalesce(sum(CAST(trunc(${scaled}) AS BIGINT)), 0)`;
}

/** Integers with the same sum. All but the last are from 0 to 2⁶², so that the first ones decide how it is rounded. */
function carried(integers: string): string {
  return `list_reduce(list_transform(${integers}, lambda s: [CAST(s AS HUGEINT)]), lambda d, s: d[:-2] || [d[-1] & ${mask(width)}, (d[-1] >> ${width}) + s[1]])`;
}

/** Which of the integers has the first digit of the least or the greatest of the other values. */
function placeOf(extreme: 'min' | 'max'): string {
  return `CAST(floor((log2(list_${extreme}(list_transform(all_parts['others'], lambda x: abs(x)))) - (${lowest})) / ${width}) AS BIGINT)`;
}

function floatOf(number: string): string {
  return `CAST(${number} >> 53 AS DOUBLE) * ${power(53)} + CAST(${number} & ${mask(53)} AS DOUBLE)`;
}

function power(exponent: number): string {
  return `${(2 ** exponent).toExponential()}::DOUBLE`;
}

function integer(exponent: number): string {
  return `${2n ** BigInt(exponent)}::HUGEINT`;
}

function mask(digits: number): string {
  return `${2n ** BigInt(digits) - 1n}::HUGEINT`;
}

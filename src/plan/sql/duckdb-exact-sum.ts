/**
 * A sum of floats that no order of its rows changes, however many threads add them up: each value becomes two whole
 * numbers, multiples of 2⁻⁸ and of 2⁻⁷⁰, and whole numbers add up exactly. So the sum is that of the exact values,
 * rounded once. What is too large or too small for that is sorted and then added; so are NaN and infinities, which make
 * the sum NaN or infinite. A macro, because SQL would repeat the value in each place.
 */
export const exactSum = 'exact_sum';

const value = 'CAST(v AS DOUBLE)';
const usual = `(abs(${value}) < ${power(54)} AND (abs(${value}) >= ${power(-30)} OR ${value} = 0))`;
const scaled = `CASE WHEN ${usual} THEN ${value} * ${power(8)} END`;
const large = `sum(CAST(floor(${scaled}) AS BIGINT))`;
const small = `sum(CAST((${scaled} - floor(${scaled})) * ${power(62)} AS BIGINT))`;
// The whole part apart, so that its conversion to a float loses nothing.
const usualSum = `CAST(${large} // 256 AS DOUBLE) + (CAST(${large} % 256 AS DOUBLE) * ${power(-8)} + CAST(${small} AS DOUBLE) * ${power(-70)})`;
const unusualSum = `list_sum(list_sort(list(${value}) FILTER (WHERE NOT ${usual})))`;

/** Defines it. */
export const exactSumMacro = `CREATE MACRO ${exactSum}(v) AS CASE WHEN count(v) > 0 THEN coalesce(${usualSum}, 0) + coalesce(${unusualSum}, 0) END`;

function power(exponent: number): string {
  return `${(2 ** exponent).toExponential()}::DOUBLE`;
}

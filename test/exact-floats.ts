import fc from 'fast-check';

/** A finite float as a multiple of 2⁻¹⁰⁷⁴. */
export function toUnits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const digits = (bits & ((1n << 52n) - 1n)) | (exponent === 0n ? 0n : 1n << 52n);
  const size = digits << ((exponent === 0n ? 1n : exponent) - 1n);
  return bits >> 63n === 1n ? -size : size;
}

/** The float nearest to a multiple of 2⁻¹⁰⁷⁴; of two, the even one. */
export function toFloat(units: bigint): number {
  const size = units < 0n ? -units : units;
  const dropped = BigInt(Math.max(0, size.toString(2).length - 53));
  let digits = size >> dropped;
  const rest = size - (digits << dropped);
  const half = dropped === 0n ? 1n : 1n << (dropped - 1n);
  if (rest > half || (rest === half && (digits & 1n) === 1n)) digits += 1n;
  const exponent = Number(dropped) - 1074;
  const nearest = Number(digits) * 2 ** Math.floor(exponent / 2) * 2 ** Math.ceil(exponent / 2);
  return units < 0n ? -nearest : nearest;
}

export function sumExactly(values: readonly number[]): number {
  return toFloat(values.reduce((sum, value) => sum + toUnits(value), 0n));
}

const sign = fc.constantFrom(1, -1);
const scaled = fc
  .tuple(fc.double({ noNaN: true, min: 1, max: 10 }), fc.integer({ min: -30, max: 30 }), sign)
  .map(([digits, exponent, of]) => of * digits * 10 ** exponent);
const powers = fc.tuple(fc.integer({ min: -1060, max: 990 }), sign).map(([exponent, of]) => of * 2 ** exponent);
const nearby = fc
  .tuple(fc.integer({ min: -150, max: 60 }), sign)
  .map(([exponent, of]) => of * (2 ** 53 - 1) * 2 ** exponent);
const notable = fc.constantFrom(
  ...[0, 1, 3, 1.5, 1e17, 1e20, 1e34, 1e40, 5e-324, 2.2250738585072014e-308],
  ...[2 ** 53, 2 ** -53, 2 ** -54, 2 ** 54, 2 ** 55, 2 ** -70, 2 ** -80, 2 ** -81, 2 ** -132],
);
const cents = fc.integer({ min: -1e9, max: 1e9 }).map((amount) => amount / 100);

/** Floats of all magnitudes, many of which cancel out others. */
export const manyFloats = fc
  .tuple(
    fc.array(fc.oneof(cents, scaled, powers, nearby, notable), { minLength: 1, maxLength: 12 }),
    fc.array(fc.nat(11), { maxLength: 6 }),
  )
  .map(([values, cancelled]) => [
    ...values,
    ...cancelled.flatMap((index) => (index in values ? [-values[index]!] : [])),
  ]);

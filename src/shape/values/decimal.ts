/** An exact decimal number: `units` × 10^−`scale`. */
export interface Decimal {
  readonly units: bigint;
  /** Digits behind the point, 0 or more. */
  readonly scale: number;
}

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** A number as an exact decimal; a float counts as its shortest decimal text. Undefined for what is no finite decimal. */
export function toDecimal(value: number | bigint | string): Decimal | undefined {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  const match = pattern.exec(typeof value === 'number' ? String(value) : value.trim());
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: toScale(a, scale) + toScale(b, scale), scale };
}

/** Below 0 where a is less than b, 0 where they are equal. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = toScale(a, scale) - toScale(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** `-1234.50` for −123450 × 10^−2. */
export function writeDecimal({ units, scale }: Decimal): string {
  if (scale === 0) return units.toString();
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function toScale({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

/** The integer `value * 10^scale`; undefined if the value has more decimals or is not a number. */
export function toUnscaled(value: number | bigint | string, scale: number): bigint | undefined {
  if (typeof value === 'bigint') return value * 10n ** BigInt(scale);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value) * 10n ** BigInt(scale);
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value));
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = scale - fraction.length + Number(exponent);
  // No engine has longer decimals, and a larger power would take too long.
  if (Math.abs(shift) > 400) return undefined;
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (digits % divisor !== 0n) return undefined;
  const unscaled = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / divisor;
  return sign === '-' ? -unscaled : unscaled;
}

/** The decimal `unscaled / 10^scale`: `-1234.50` for −123450 and 2. */
export function writeUnscaled(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

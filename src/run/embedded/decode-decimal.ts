/** The decimal `unscaled / 10^scale`: a number where that is the same decimal, else its text. */
export function decodeDecimal(unscaled: bigint, scale: number): number | string {
  // Fifteen digits always survive, and one division of two exact numbers rounds once.
  if (scale <= 22 && unscaled > -1_000_000_000_000_000n && unscaled < 1_000_000_000_000_000n) return Number(unscaled) / 10 ** scale;
  const text = writeDecimal(unscaled, scale);
  const number = Number(text);
  return writeDigits(String(number)) === writeDigits(text) ? number : text;
}

function writeDecimal(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-scale)}`;
}

/** A number's text, reduced to its significant digits and their place: equal for equal decimals. */
function writeDigits(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const negative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const place = Number(exponent) - fraction.length + (digits.length - significant.length);
  return significant === '' ? '0' : `${negative ? '-' : ''}${significant}e${place}`;
}

/** Text that is a decimal number, as `decodeDecimal`; other text as it is. */
export function decodeNumericText(text: string): number | bigint | string {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text)) return text;
  const number = Number(text);
  if (writeDigits(String(number)) === writeDigits(text)) return Object.is(number, -0) ? 0 : number;
  return /[.e]/i.test(text) ? text : BigInt(text);
}

export function decodeInteger(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Integers of this many digits are exact. The texts read here have one or two more. */
const headDigits = 15;

/** Powers of ten that a number represents exactly, and each split into two halves whose products are exact. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const upperPowers = powers.map(upperHalf);
const lowerPowers = powers.map((power, exponent) => power - (upperPowers[exponent] as number));

/**
 * Reads a decimal text of sixteen or seventeen digits (`2.6666666666666665`) if it is the shortest text of its number,
 * as servers write their own numbers. NaN for all other texts, and if this check cannot decide. Exact, and several
 * times as fast as parsing the text and formatting the number again.
 */
export function readLongNumber(text: string): number {
  const { length } = text;
  const start = text.charCodeAt(0) === 45 ? 1 : 0;
  const point = text.indexOf('.', start + 1);
  if (point < 0 || point > start + 9) return Number.NaN;
  const whole = readDigits(text, start, point);
  let first = whole === 0 ? point + 1 : start;
  if (whole === 0) while (text.charCodeAt(first) === 48) first += 1;
  const tailDigits = length - first - (first < point ? 1 : 0) - headDigits;
  const places = length - 1 - point;
  if (tailDigits < 1 || tailDigits > 2 || places >= powers.length) return Number.NaN;

  // Small integers are added up fastest.
  const end = length - tailDigits;
  const middle = Math.min(end, point + 10);
  const upper = readDigits(text, point + 1, middle);
  const lower = readDigits(text, middle, end);
  const tail = readDigits(text, end, length);
  if (whole < 0 || upper < 0 || lower < 0 || tail < 0) return Number.NaN;
  const head = (whole * (powers[middle - point - 1] as number) + upper) * (powers[end - middle] as number) + lower;
  const found = toNearest(head, tail, tailDigits, places);
  return start === 1 ? -found : found;
}

/** Negative if the range contains anything but digits. */
function readDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >>> 0 > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * The text means M / 10^places, where M is `head` followed by `tail`. The product of two numbers equals an exact sum of
 * two (Dekker, 1971), and so does the distance of a number from the text, in units of the text's last digit.
 */
function toNearest(head: number, tail: number, tailDigits: number, places: number): number {
  const power = powers[places] as number;
  // M is the sum of `most` and `rest`.
  const shift = powers[tailDigits] as number;
  const most = head * shift;
  const upperHead = Math.floor(head / 2 ** 25) * 2 ** 25;
  const rest = upperHead * shift - most + (head - upperHead) * shift + tail;

  // A first quotient, corrected by its remainder.
  const rough = most / power;
  const product = rough * power;
  const upper = upperHalf(rough);
  const lower = rough - upper;
  const upperPower = upperPowers[places] as number;
  const lowerPower = lowerPowers[places] as number;
  const error = upper * upperPower - product + upper * lowerPower + lower * upperPower + lower * lowerPower;
  const left = most - product - error + rest;
  const found = rough + left / power;
  const off = (found - rough) * power - left;

  // The distances to its neighbours (Rump and others, 2009). Texts beyond half of that mean a neighbour.
  const step = found * (2 ** -53 * (1 + 2 ** -52));
  const above = found + step - found;
  const below = found - (found - step);
  const isNearest = Math.abs(off) < (Math.min(above, below) / 2) * power * (1 - tolerance);
  const isBestOfItsLength = Math.abs(off) < 0.5 - tolerance;
  // A shorter text ends in zero here, and must be too far away to mean the same number.
  const last = tail % 10;
  const isShortest = last !== 0 && Math.min(last + off, 10 - last - off) > (above / 2) * power * (1 + tolerance);
  return isNearest && isBestOfItsLength && isShortest ? found : Number.NaN;
}

/** Much more than the last rounding errors, and small enough that few texts need the slow path. */
const tolerance = 1e-6;

/** The upper half of a number's bits (Veltkamp, 1968). */
function upperHalf(value: number): number {
  const spread = value * (2 ** 27 + 1);
  return spread - (spread - value);
}

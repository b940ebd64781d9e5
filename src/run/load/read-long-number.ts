/** So many digits are a whole number without loss; the texts that are read here have one or two more. */
const headDigits = 15;

/** Powers of ten that a number holds exactly, and each as two halves of few bits, whose products are exact. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const upperPowers = powers.map(upperHalf);
const lowerPowers = powers.map((power, exponent) => power - (upperPowers[exponent] as number));

/**
 * The number that a decimal text of sixteen or seventeen digits says (`2.6666666666666665`), where it is the very text
 * that the number would be written as: what servers make of their own numbers. NaN for every other text, and where it
 * cannot be told from this alone. Exact, and several times as fast as reading the text and writing the number again.
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

  // In pieces that are small whole numbers, which are the quickest to add up.
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

/** Negative where something else stands among the digits. */
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
 * The text says M / 10^places, M being `head` with `tail` behind it. A product of two numbers is known exactly as a sum
 * of two (Dekker, 1971), and so is how far a number lies from the text, counted in units of the text's last digit.
 */
function toNearest(head: number, tail: number, tailDigits: number, places: number): number {
  const power = powers[places] as number;
  // M is `most` and `rest`.
  const shift = powers[tailDigits] as number;
  const most = head * shift;
  const upperHead = Math.floor(head / 2 ** 25) * 2 ** 25;
  const rest = upperHead * shift - most + (head - upperHead) * shift + tail;

  // A first quotient, and what it leaves over, which mends it.
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

  // The ways to its neighbours (Rump and others, 2009); halfway there begin the texts that mean those.
  const step = found * (2 ** -53 * (1 + 2 ** -52));
  const above = found + step - found;
  const below = found - (found - step);
  const isNearest = Math.abs(off) < (Math.min(above, below) / 2) * power * (1 - tolerance);
  const isBestOfItsLength = Math.abs(off) < 0.5 - tolerance;
  // A shorter text ends in a zero here, and must be too far away to mean the same number.
  const last = tail % 10;
  const isShortest = last !== 0 && Math.min(last + off, 10 - last - off) > (above / 2) * power * (1 + tolerance);
  return isNearest && isBestOfItsLength && isShortest ? found : Number.NaN;
}

/** Far more than the last roundings make, and far less than would send many texts the slow way. */
const tolerance = 1e-6;

/** The upper half of a number's bits (Veltkamp, 1968). */
function upperHalf(value: number): number {
  const spread = value * (2 ** 27 + 1);
  return spread - (spread - value);
}

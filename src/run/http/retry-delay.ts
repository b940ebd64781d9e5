/** Returns a header by its lower-case name. */
export type GetHeader = (name: string) => string | undefined;

/** The maximum first delay, which doubles with each try. */
const firstCeilingMs = 500;
const highestCeilingMs = 20_000;
/** Spreads clients that were told the same time. */
const spreadMs = 1_000;
/** A smaller reset is a number of seconds, as in later drafts of the RateLimit fields, instead of a Unix time. */
const earliestUnixTime = 100_000_000;

/**
 * The delay before the next try in milliseconds: full jitter under a maximum that doubles with each try, and never less
 * than a delay that the server names. `attempt`: number of tries so far. `random`: from 0 (included) to 1 (excluded).
 */
export function retryDelay(attempt: number, random: number, named?: number): number {
  const ceiling = Math.min(highestCeilingMs, firstCeilingMs * 2 ** (attempt - 1));
  return named === undefined ? random * ceiling : named + random * Math.min(ceiling, spreadMs);
}

/**
 * The delay that a response names, in milliseconds: `Retry-After`, or for a 429 without it the reset of its rate limit.
 */
export function readNamedDelay(status: number, header: GetHeader, now: number): number | undefined {
  return readRetryAfter(header, now) ?? (status === 429 ? readSpentReset(header, now) : undefined);
}

/** `Retry-After`, in seconds or as a date, in milliseconds from now; undefined if it is missing or invalid. */
export function readRetryAfter(header: GetHeader, now: number): number | undefined {
  const text = header('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = readHttpDate(text, now);
  return date === undefined ? undefined : Math.max(0, date - serverTime(header, now));
}

/** The reset of the rate limit in milliseconds from now, from `RateLimit-Reset` or `RateLimit-ResetTime`. */
export function readReset(header: GetHeader, now: number): number | undefined {
  const text = header('ratelimit-reset')?.trim() ?? '';
  if (/^\d+$/.test(text)) {
    const seconds = Number(text);
    return seconds < earliestUnixTime ? seconds * 1000 : Math.max(0, seconds * 1000 - serverTime(header, now));
  }
  const date = readHttpDate(header('ratelimit-resettime') ?? '', now);
  return date === undefined ? undefined : Math.max(0, date - serverTime(header, now));
}

/** Application limits have no headers: a 429 with requests remaining is not about this window. */
function readSpentReset(header: GetHeader, now: number): number | undefined {
  return Number(header('ratelimit-remaining') ?? 0) > 0 ? undefined : readReset(header, now);
}

/** The server's own clock if it sends a date, because its times refer to it. */
function serverTime(header: GetHeader, now: number): number {
  return readHttpDate(header('date') ?? '', now) ?? now;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

/** The current form, and the two obsolete ones that recipients must accept (RFC 9110, 5.6.7). */
const forms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]+day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/**
 * A date of an HTTP header in epoch milliseconds; undefined if it is invalid. `now` decides the century of a two-digit
 * year.
 */
export function readHttpDate(text: string, now: number): number | undefined {
  const parts = forms.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const [day, hour, minute, second] = [
    Number(parts['day']),
    Number(parts['hour']),
    Number(parts['minute']),
    Number(parts['second']),
  ];
  const written = Number(parts['year']);
  const year = parts['year']!.length === 4 ? written : nearestCentury(written, now);
  const start = Date.UTC(year, months.indexOf(parts['month']!), day);
  // Date.UTC accepts days beyond the month and carries them over. A leap second is valid.
  const isReal = new Date(start).getUTCDate() === day && hour < 24 && minute < 60 && second <= 60;
  return isReal ? start + ((hour * 60 + minute) * 60 + second) * 1000 : undefined;
}

/** More than fifty years ahead means the previous century (RFC 9110, 5.6.7). */
function nearestCentury(year: number, now: number): number {
  const present = new Date(now).getUTCFullYear();
  const whole = Math.floor(present / 100) * 100 + year;
  return whole > present + 50 ? whole - 100 : whole;
}

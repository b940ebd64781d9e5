const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

/** The form of today and the two that a recipient must still accept (RFC 9110, 5.6.7). */
const forms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]+day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/** A date of an HTTP header as epoch milliseconds; undefined where it is none. `now` settles the century of a year of two digits. */
export function readHttpDate(text: string, now: number): number | undefined {
  const parts = forms.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const [day, hour, minute, second] = [Number(parts['day']), Number(parts['hour']), Number(parts['minute']), Number(parts['second'])];
  const written = Number(parts['year']);
  const year = parts['year']!.length === 4 ? written : nearestCentury(written, now);
  const start = Date.UTC(year, months.indexOf(parts['month']!), day);
  // Date.UTC carries over what no month has; a leap second is one that there is.
  const isReal = new Date(start).getUTCDate() === day && hour < 24 && minute < 60 && second <= 60;
  return isReal ? start + ((hour * 60 + minute) * 60 + second) * 1000 : undefined;
}

/** More than fifty years ahead means the century before (RFC 9110, 5.6.7). */
function nearestCentury(year: number, now: number): number {
  const present = new Date(now).getUTCFullYear();
  const whole = Math.floor(present / 100) * 100 + year;
  return whole > present + 50 ? whole - 100 : whole;
}

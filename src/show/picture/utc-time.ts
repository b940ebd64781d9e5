type Part = { readonly [key: string]: unknown };

// Where a Vega specification holds expressions.
const expressionKeys = new Set(['signal', 'expr', 'test', 'init', 'update', 'react']);

const utcNames: Readonly<Record<string, string>> = {
  year: 'utcyear', quarter: 'utcquarter', month: 'utcmonth', date: 'utcdate', day: 'utcday', dayofyear: 'utcdayofyear', week: 'utcweek',
  hours: 'utchours', minutes: 'utcminutes', seconds: 'utcseconds', milliseconds: 'utcmilliseconds', datetime: 'utc',
  timeFormat: 'utcFormat', timeParse: 'utcParse', timeOffset: 'utcOffset', timeSequence: 'utcSequence',
};

// Texts in quotes are read over; a name behind a dot is a field.
const quotedOrCall = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![.\w$])([A-Za-z]+)(?=\s*\()/g;

/**
 * A Vega specification whose local time is UTC, so that the zone of the machine is nowhere in the picture. Times that are
 * to be shown in another zone come shifted by its offset. The given specification, its rows too, stays as it is.
 */
export function toUtcTime(spec: object): object {
  return convert(spec, undefined) as object;
}

function convert(value: unknown, key: string | undefined): unknown {
  // Rows hold no times but numbers and texts that a transform reads. Vega writes into them, so it gets its own.
  if (key === 'values') return copyRows(value);
  if (typeof value === 'string') return key !== undefined && expressionKeys.has(key) ? toUtcExpression(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, undefined));
  if (typeof value !== 'object' || value === null) return value;
  const part: Record<string, unknown> = { ...value };
  for (const name of Object.keys(part)) {
    const child = part[name];
    // Numbers and truths stay; `__proto__` is the name of nothing in Vega.
    if ((typeof child === 'object' || typeof child === 'string') && name !== '__proto__') part[name] = convert(child, name);
  }
  return mend(part);
}

function copyRows(rows: unknown): unknown {
  return Array.isArray(rows) ? rows.map((row: unknown) => (typeof row === 'object' && row !== null && !Array.isArray(row) ? { ...row } : row)) : rows;
}

function mend(part: Record<string, unknown>): Part {
  if (part['type'] === 'time' && 'domain' in part) part['type'] = 'utc';
  if (part['type'] === 'timeunit') part['timezone'] = 'utc';
  if (part['formatType'] === 'time') part['formatType'] = 'utc';
  return part;
}

function toUtcExpression(expression: string): string {
  return expression.replace(quotedOrCall, (all, name: string | undefined) => (name !== undefined && Object.hasOwn(utcNames, name) ? (utcNames[name] ?? all) : all));
}

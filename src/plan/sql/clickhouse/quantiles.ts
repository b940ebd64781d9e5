const call = 'quantile_cont(CAST(';
const rest = /^ AS DOUBLE\), ([\d.]+)\)/;
/** Texts and names in quotes, brackets, and what is between them. */
const piece = /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[()]|[^'"`()]+/g;

/** Replaces the embedded engine's quantiles of numbers in a statement. */
export function withQuantiles(statement: string): string {
  let [done, left] = ['', statement];
  for (let at = left.indexOf(call); at >= 0; at = left.indexOf(call)) {
    const from = at + call.length;
    const length = lengthOfNumber(left.slice(from));
    const [whole, part] = rest.exec(left.slice(from + length)) ?? [];
    if (whole === undefined || part === undefined) {
      done += left.slice(0, from);
      left = left.slice(from);
      continue;
    }
    done += left.slice(0, at);
    // The number may have a quantile within, in a subquery.
    done += quantile(`toFloat64(${withQuantiles(left.slice(from, from + length))})`, part);
    left = left.slice(from + length + whole.length);
  }
  return done + left;
}

/** The length of the SQL up to ` AS DOUBLE)`, outside of brackets and quotes. */
function lengthOfNumber(text: string): number {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(piece)) {
    if (found === '(') depth += 1;
    else if (found === ')' && depth > 0) depth -= 1;
    else if (found === ')') return Math.max(0, index - ' AS DOUBLE'.length);
  }
  return 0;
}

/** SQL for a quantile that interpolates as DuckDB does. ClickHouse's own functions differ in the last digit. */
function quantile(value: string, part: string): string {
  const place = `(length(v) - 1) * ${part}`;
  const [below, above] = ['floor', 'ceil'].map((to) => `v[toUInt64(${to}(${place})) + 1]`);
  const weight = `(${place} - floor(${place}))`;
  const between = `if(${weight} = 0, ${below}, ${below} * (1 - ${weight}) + ${above} * ${weight})`;
  return `arrayMap(v -> if(empty(v), NULL, ${between}), [arraySort(groupArray(${value}))])[1]`;
}

/** Whether a text is a SELECT statement of SQL, which people paste from elsewhere. */
export function looksLikeSql(text: string): boolean {
  return text.length <= longest && /^\s*(?:select\b|with\s[^]*?\bselect\b)[^]*\bfrom\b/i.test(text);
}

/** Longer statements are not read, in UTF-16 units: patterns would take long. */
const longest = 4000;

/**
 * A plain SELECT statement over one table as a line of notation: figures, groups, conditions, order and limit. Undefined
 * if it has other parts, such as joins. Names are taken as they are: the line may still be wrong.
 */
export function questionOfSql(sql: string): string | undefined {
  const text = sql
    .replace(/--.*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[\s;]+$/, '')
    .trim();
  const parts = statement.exec(text)?.groups;
  if (!parts || others.test(withoutTexts(text))) return undefined;
  const items = splitItems(parts['items'] ?? '').map(readItem);
  const figures = items.filter(({ isFigure }) => isFigure).map(({ asked }) => asked);
  const groups = items.filter(({ isFigure }) => !isFigure).map(({ asked }) => asked);
  const names = groups.filter((name) => name !== '*');
  const what =
    figures.length === 0 && parts['groups'] === undefined && parts['distinct'] === undefined
      ? ['raw events', ...(names.length > 0 ? [names.join(', ')] : [])]
      : [figures.length > 0 ? figures.join(', ') : 'count', ...(names.length > 0 ? [`by ${names.join(', ')}`] : [])];
  const orders = splitItems(parts['orders'] ?? '').map((order) => writeOrder(order, items));
  return [
    ...what,
    ...(parts['where'] === undefined ? [] : [`where ${writeCondition(parts['where'])}`]),
    ...(orders.length === 0 ? [] : [`order by ${orders.join(', ')}`]),
    ...(parts['limit'] === undefined ? [] : [`limit ${parts['limit']}`]),
  ].join(' ');
}

const statement =
  /^select (?<distinct>distinct )?(?<items>.+?) from (?<table>[\w."`]+)(?: (?:as )?(?!where\b|group\b|order\b|limit\b)\w+)?(?: where (?<where>.+?))?(?: group by (?<groups>.+?))?(?: order by (?<orders>.+?))?(?: limit (?<limit>\d+))?$/i;

/**
 * Parts that no line of notation has, or that mean something else there: LIKE knows the case of letters, and NOT leaves out
 * missing values.
 */
const others = /\b(?:select\b.*\bselect|join|having|union|over|case|offset|exists|ilike|like|not(?! null))\b/i;

interface Item {
  /** In notation. */
  readonly asked: string;
  readonly isFigure: boolean;
  /** Its name in ORDER BY. */
  readonly alias: string | undefined;
}

function readItem(text: string): Item {
  const [, expression = text, alias] = /^(.+?) (?:as )?("[^"]+"|\w+)$/i.exec(text) ?? [];
  const asked = writeExpression(expression);
  return { asked, isFigure: /^count$|\(/.test(asked), alias: alias?.replaceAll('"', '').toLowerCase() };
}

function writeExpression(text: string): string {
  const bucket = /^date_trunc\(\s*'(\w+)'\s*,.+\)$/i.exec(text)?.[1] ?? (/^date\(.+\)$|::date$/i.test(text) && 'day');
  if (bucket) return bucket.toLowerCase();
  return text
    .replace(/\bcount\s*\(\s*(?:\*|1)\s*\)/gi, 'count')
    .replace(/\bcount\s*\(\s*distinct\s+([^()]+)\)/gi, 'distinct($1)')
    .replace(/\b(sum|avg|min|max|median)\s*\(/gi, (_, name: string) => `${name.toLowerCase()}(`);
}

/** ORDER BY names a column by its alias, by its place or as it is selected. */
function writeOrder(text: string, items: readonly Item[]): string {
  const [, name = text, direction] = /^(.+?)(?: (asc|desc))?$/i.exec(text) ?? [];
  const item = items.find(({ alias }) => alias === name.toLowerCase()) ?? items[Number(name) - 1];
  return `${item?.asked ?? writeExpression(name)}${direction === undefined ? '' : ` ${direction.toLowerCase()}`}`;
}

/** In SQL, a missing value is not unequal to another. */
function writeCondition(text: string): string {
  return text
    .replace(/([\w."]+) ?(?:<>|!=) ?('(?:[^']|'')*'|[\w.]+)/g, '($1 is set and $1 != $2)')
    .split(/('(?:[^']|'')*')/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/\b(?:AND|OR|NOT|IN|IS|NULL|BETWEEN)\b/g, (word) => word.toLowerCase()),
    )
    .join('');
}

function withoutTexts(text: string): string {
  return text.replace(/'(?:[^']|'')*'|"[^"]*"/g, "''");
}

/** Splits at commas outside brackets and quotes. */
function splitItems(text: string): readonly string[] {
  return (text.match(/(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|'[^']*'|"[^"]*"|[^,])+/g) ?? []).flatMap((part) => {
    const item = part.trim();
    return item === '' ? [] : [item];
  });
}

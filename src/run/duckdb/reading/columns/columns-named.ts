import { eventFields, userKeyColumn } from '../../../../plan/model/event-fields.ts';

const columns = [...eventFields.map(({ column }) => column), userKeyColumn];

/** Keywords that can follow a relation without an alias. */
const keywords = new Set(
  'where group order limit offset having qualify window union except intersect join inner left right full cross asof positional semi anti on using as select set sample pivot unpivot tablesample'.split(
    ' ',
  ),
);

/**
 * The columns of `events` that a statement names; undefined if it may read others through a star, a position, a natural
 * join, or a whole row. Names that only look like columns do no harm.
 */
export function columnsNamed(statement: string): ReadonlySet<string> | undefined {
  const text = statement.toLowerCase().replaceAll('count(*)', '');
  if (
    /[*#]|\b(?:natural|positional|columns|table|describe|summarize|show|pivot|unpivot)\b|(?:^|[(;])\s*from\b/.test(text)
  )
    return undefined;
  const names = new Set(['events']);
  for (const [, quoted, bare] of text.matchAll(
    /(?<![\w."])"?events"?(?![\w"])\s*(?:as\s+)?(?:"([^"]+)"|([a-z_]\w*))/g,
  )) {
    const name = quoted ?? bare;
    if (name !== undefined && !(quoted === undefined && keywords.has(name))) names.add(name);
  }
  for (const name of names) if (!isOnlyQualifier(text, name)) return undefined;
  return new Set(columns.filter((column) => new RegExp(String.raw`(?<!\w)${column}(?!\w)`).test(text)));
}

/** Whether the name only occurs before a dot or in its declaration. Elsewhere it means a row with all its columns. */
function isOnlyQualifier(text: string, name: string): boolean {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return [...text.matchAll(new RegExp(String.raw`(?<![\w"])"?${escaped}"?(?!\w)`, 'g'))].every(
    ({ index, 0: found }) =>
      /^\s*\./.test(text.slice(index + found.length)) || /\b(?:from|join|as|events"?)\s*$/.test(text.slice(0, index)),
  );
}

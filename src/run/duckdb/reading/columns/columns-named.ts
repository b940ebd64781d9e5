import { eventFields, userKeyColumn } from '../../../../plan/model/event-fields.ts';

const columns = [...eventFields.map(({ column }) => column), userKeyColumn];

const wordsOf = (words: string) => new Set(words.split(' '));

/** Keywords that can follow a relation without an alias. */
const afterRelation = wordsOf(
  'where group order limit offset having qualify window union except intersect join inner left right full cross ' +
    'asof positional semi anti on using as select set sample pivot unpivot tablesample',
);
const afterStar = wordsOf(
  'from exclude replace rename like ilike similar glob where order limit union except intersect',
);
const beforeStar = wordsOf('select distinct all');
/** What can stand before the name of a view and a dot. */
const schemas = wordsOf('main memory temp');
const wholeRows = wordsOf('# natural positional columns table describe summarize show pivot unpivot');

/** A word, a quoted name, or a sign. Texts and comments of the statement have none. */
interface Token {
  /** A quoted name begins with its quotation mark. */
  readonly text: string;
  /** The number of the parentheses that it is in. */
  readonly within: number;
}

const tokenForms =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\$\$[\s\S]*?\$\$|e'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|("(?:[^"]|"")*)"|([\p{L}_][\p{L}\p{N}_]*|\d[\w.]*|\S)/gu;

function tokensOf(statement: string): readonly Token[] {
  const open = [0];
  let opened = 0;
  const tokens: Token[] = [];
  for (const [, quoted, bare] of statement.matchAll(tokenForms)) {
    const text = quoted ?? bare;
    if (text === undefined) continue;
    if (text === ')' && open.length > 1) open.pop();
    tokens.push({ text, within: open.at(-1)! });
    if (text === '(') open.push((opened += 1));
  }
  return tokens;
}

/** The name that a token may be; undefined for signs and numbers. */
function nameOf(token: Token | undefined): string | undefined {
  return token && /^["\p{L}_]/u.test(token.text) ? token.text.replace(/^"/, '') : undefined;
}

/**
 * The columns of `events` that a statement names; undefined if it may read others through a star, a position, a natural
 * join, or a whole row. Names that only look like columns do no harm. A star over another relation has the columns that
 * this one names.
 */
export function columnsNamed(statement: string): ReadonlySet<string> | undefined {
  const text = statement.toLowerCase();
  const tokens = tokensOf(text);
  const places = tokens.flatMap((token, index) => (nameOf(token) === 'events' ? [index] : []));
  const names = new Set(['events', ...places.flatMap((index) => aliasAfter(tokens, index))]);
  const reading = new Set(places.map((index) => tokens[index]!.within));
  const selecting = new Set(tokens.filter((token) => token.text === 'select').map(({ within }) => within));
  const mayReadOthers = (token: Token, index: number): boolean => {
    const [before, after] = [tokens[index - 1]?.text ?? '', tokens[index + 1]?.text ?? ''];
    if (wholeRows.has(token.text)) return true;
    if (token.text === 'from') return before === '' || before === '(' || before === ';';
    if (token.text === '*') {
      if (!isStar(tokens, index)) return false;
      if (before === '.') return names.has(nameOf(tokens[index - 2]) ?? 'events');
      return reading.has(token.within) || !selecting.has(token.within);
    }
    const name = nameOf(token);
    if (name === undefined || !names.has(name)) return false;
    if (before === '.') return schemas.has(nameOf(tokens[index - 2]) ?? 'main');
    // Elsewhere than before a dot or in its declaration, the name of a relation means a row with all its columns.
    return after === '(' || (after !== '.' && !/^(?:from|join|as|"?events)$/.test(before));
  };
  if (places.length > 0 && tokens.some(mayReadOthers)) return undefined;
  const words = new Set(text.match(/\w+/g));
  return new Set(columns.filter((column) => words.has(column)));
}

/** The alias of the relation at this place, if it has one. */
function aliasAfter(tokens: readonly Token[], index: number): readonly string[] {
  const alias = tokens[index + (tokens[index + 1]?.text === 'as' ? 2 : 1)];
  const name = nameOf(alias);
  return name === undefined || afterRelation.has(alias!.text) ? [] : [name];
}

/** Whether an asterisk stands for columns, and is neither a product nor `count(*)`. */
function isStar(tokens: readonly Token[], index: number): boolean {
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (before?.text === '(' && after?.text === ')') return tokens[index - 2]?.text !== 'count';
  const follows = before !== undefined && !beforeStar.has(before.text) && /^["\p{L}\p{N}_)\]]/u.test(before.text);
  const leads = after !== undefined && !afterStar.has(after.text) && /^["\p{L}\p{N}_([+-]/u.test(after.text);
  return !(follows && leads);
}

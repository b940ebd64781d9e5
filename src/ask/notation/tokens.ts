import { toSpan } from '../document/located.ts';
import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { columnProperty, propertyFunctions, writePropertyName } from '../query/property-name.ts';
import { readWrittenSpan, writeTimeSpan } from '../query/time-span.ts';
import { quote } from '../text.ts';
import { isClauseWord } from './words.ts';

export interface Token {
  /** `text` was quoted; `end` follows the last token. */
  readonly kind: 'word' | 'text' | 'sign' | 'end';
  /** The text without quotes and escapes. */
  readonly text: string;
  readonly span: Span;
}

/** Splits a line, from `offset` on, into words, quoted texts and signs. The last token is `end`. */
export function tokenize(
  source: string,
  offset = 0,
): { readonly tokens: readonly Token[]; readonly issues: readonly Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  for (const match of source.slice(offset).matchAll(pattern)) {
    const [whole] = match;
    const span = toSpan(source, offset + match.index, offset + match.index + whole.length);
    const { quoted, sign, call } = match.groups ?? {};
    if (quoted !== undefined) {
      const closed = whole.length > 1 && /^(['"])(?:[^\\]|\\[^])*\1$/.test(whole);
      if (!closed)
        issues.push(
          errorIssue('unclosed-quote', 'This quote is not closed.', {
            span,
            hint: `Write \`${whole[0]}\` after the value.`,
          }),
        );
      const { text, wrong } = unescape(whole.slice(1, closed ? -1 : undefined));
      if (wrong !== undefined) {
        issues.push(
          errorIssue('unknown-escape', `"${wrong}" is not a valid escape in quoted text.`, {
            span,
            hint: 'Write a literal backslash as `\\\\`.',
          }),
        );
      }
      tokens.push({ kind: 'text', text, span });
    } else
      tokens.push({
        kind: sign === undefined ? 'word' : 'sign',
        text: aliases.get(whole) ?? (call === undefined ? whole : plainCall(whole)),
        span,
      });
  }
  const end = Math.max(offset, source.trimEnd().length);
  tokens.push({ kind: 'end', text: '', span: toSpan(source, end, end) });
  return { tokens, issues };
}

/** Functions of properties by the words for them, in lower case. */
export const functionNames: ReadonlyMap<string, string> = new Map([
  ...propertyFunctions.map((name) => [name, name] as const),
  ['countdistinct', 'distinct'],
  ['count_distinct', 'distinct'],
  ['average', 'avg'],
  ['mean', 'avg'],
  ['total', 'sum'],
  ['p50', 'median'],
]);

/** The function that a word names: `avg` for `average`; undefined for other words. */
export function functionOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  return functionNames.get(lower) ?? (/^p[1-9]\d?$/.test(lower) ? lower : undefined);
}

const closedText = String.raw`'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"`;

/**
 * Words of a column's own name, with dots and signs, and in brackets at its end: `Größe`, `Price ($)`, `cart.total`.
 */
const columnWord = String.raw`(?![-+*/](?:\s|$))[^\s,()=<>~'"]+`;
const columnWords = String.raw`${columnWord}(?: +${columnWord})*(?: *\([^()'"]*\))?`;

const calls = [...functionNames.keys(), 'countDistinct']
  .flatMap((name) => [name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)])
  .join('|');
const ownName = `(?:${columnWords}|${closedText})`;

/**
 * A function of a column by its own name, of one word, several words or quoted, or of two columns. Other words
 * before a bracket are operators, such as `in(a, b)`.
 */
const bareCall = String.raw`(?:${calls}|[pP][1-9]\d?)\(\s*(?:\w+\s+(?:between|from)\s+(?=['"]))?${ownName}(?:\s+(?:[*-]|and|to)\s+${ownName}(?:\s+in\s+\w+)?)?\s*\)`;

const pattern = new RegExp(
  String.raw`(?<quoted>'(?:[^'\\]|\\[^])*(?:'|\\?$)|"(?:[^"\\]|\\[^])*(?:"|\\?$))` +
    String.raw`|(?<call>(?:\w+\.)?(?:\w+\(\s*(?:\w+\.)?props\.[^\s,()=<>~]+\s*\)|${bareCall}))` +
    String.raw`|(?<sign>!=|!~|\^=|\$=|>=|<=|<>|==|[,()=<>~])|(?:(?!!=|!~|\^=|\$=)[^\s,()=<>~])+`,
  'g',
);

/**
 * Writes `countDistinct( TrackedEvents.props.plan )` as `TrackedEvents.distinct(props.plan)`, and adds `props.`, except
 * where a dimension may be meant: `distinct(docPath)`. Factors of a product have blanks around the sign, which is part
 * of a column's name otherwise.
 */
function plainCall(text: string): string {
  const [called = '', before = '', written = ''] = /^(\w+\.)?(\w+)\(/.exec(text) ?? [];
  const inner = text.slice(called.length, -1).trim();
  const compute = functionNames.get(written.toLowerCase()) ?? written.toLowerCase();
  if (/^\w+$/.test(inner)) return `${before}${compute}(${inner})`;
  const span = readWrittenSpan(inner, (quoted) => unescape(quoted.slice(1, -1)).text);
  if (span) return before + writeTimeSpan({ cube: undefined, compute, ...span });
  let cube = before;
  const factors = (product.exec(inner) ?? []).slice(1).flatMap((written: string | undefined) => {
    if (written === undefined) return [];
    const [, owner = '', path, column = ''] = /^(?:((?!props\.)\w+\.)?(props\.[^]*)|([^]*))$/.exec(written)!;
    cube ||= owner;
    const key = /^['"]/.test(column) ? unescape(column.slice(1, -1)).text : column.replace(/ +/g, ' ');
    return path ?? columnProperty(key) ?? writePropertyName([key]);
  });
  return `${cube}${compute}(${factors.join('*')})`;
}

const spanCall = /^(?:\w+\.)?\w+\([^]*(?:\s-\s|\s(?:and|to)\s)[^]*\)$/;

/** The name of the time between two times that are written as in a line; other text as it is. */
export function asTimeSpan(text: string): string {
  return spanCall.test(text) ? plainCall(text) : text;
}

/** A call of a function by a column in words: `avg(price)` for `average of price`. */
export function callInWords(
  functionName: string,
  { text, quoted }: { readonly text: string; readonly quoted?: boolean | undefined },
): string {
  return plainCall(`${functionName}(${quoted ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text})`);
}

// The sign is looked for only at the beginning of blanks, so that many blanks take no longer.
const product = new RegExp(String.raw`^(${closedText}|[^]+?)(?:(?<!\s)\s+\*\s+(${closedText}|[^]+))?$`);

const aliases: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['<>', '!='],
]);

const escapes: ReadonlyMap<string | undefined, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);

function unescape(inner: string): { readonly text: string; readonly wrong: string | undefined } {
  let wrong: string | undefined;
  const text = inner.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|([^]?))/gu,
    (whole, code: string | undefined, character: string | undefined) => {
      const meant = code === undefined ? escapes.get(character) : toCharacter(code);
      if (meant === undefined) wrong ??= whole;
      return meant ?? whole;
    },
  );
  return { text, wrong };
}

function toCharacter(code: string): string | undefined {
  const point = Number.parseInt(code, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

/** Walks over tokens, and collects issues. */
export interface TokenReader {
  readonly issues: readonly Issue[];
  /** Number of tokens taken. */
  readonly position: () => number;
  /** The next token, or one further ahead. After the last one always `end`. */
  readonly peek: (ahead?: number) => Token;
  readonly take: () => Token;
  readonly takeSeveral: (count: number) => readonly Token[];
  /** Splits the next token into the matches of a pattern, which must cover it. */
  readonly split: (pattern: RegExp) => void;
  /** Whether the next token is one of these unquoted words, in any letter case. */
  readonly isWord: (...words: readonly string[]) => boolean;
  readonly isSign: (sign: string) => boolean;
  /** Takes the token if it is this word or sign. */
  readonly skip: (wordOrSign: string) => boolean;
  readonly complain: (code: string, message: string, hint?: string, span?: Span, name?: string) => undefined;
  /** Reports the next token in place of an expected one: `A measure`. */
  readonly miss: (code: string, what: string, hint?: string, name?: string) => undefined;
  /** Skips tokens up to the start of the next clause. */
  readonly recover: () => void;
  /** The source from a token to the last one taken, with single blanks. */
  readonly textFrom: (first: Token) => string;
  /** The span from a token to the last one taken. */
  readonly spanFrom: (first: Token) => Span;
}

export function readTokens(source: string, given: readonly Token[], found: readonly Issue[]): TokenReader {
  let tokens = [...given];
  const issues: Issue[] = [...found];
  let next = 0;
  const peek = (ahead = 0): Token => tokens[Math.min(next + ahead, tokens.length - 1)] as Token;
  const isWord = (...words: readonly string[]): boolean =>
    peek().kind === 'word' && words.includes(peek().text.toLowerCase());
  const isSign = (sign: string): boolean => peek().kind === 'sign' && peek().text === sign;
  const take = (): Token => {
    const token = peek();
    if (next < tokens.length - 1) next += 1;
    return token;
  };
  const complain: TokenReader['complain'] = (code, message, hint, span = peek().span, name) => {
    issues.push(errorIssue(code, message, { hint, span, name }));
    return undefined;
  };
  return {
    issues,
    position: () => next,
    peek,
    take,
    takeSeveral: (count) => Array.from({ length: count }, take),
    split: (pattern) => {
      const { kind, text, span } = peek();
      const parts = [...text.matchAll(pattern)].map((match): Token => {
        const start = span.start + match.index;
        return { kind, text: match[0], span: toSpan(source, start, start + match[0].length) };
      });
      // A call takes fewer arguments than a line may have parts.
      if (parts.length < 1000) tokens.splice(next, 1, ...parts);
      else tokens = [...tokens.slice(0, next), ...parts, ...tokens.slice(next + 1)];
    },
    isWord,
    isSign,
    skip: (wanted) => (isWord(wanted) || isSign(wanted) ? (take(), true) : false),
    complain,
    miss: (code, what, hint, name) =>
      complain(code, `${what} is expected here, not ${describeToken(peek())}.`, hint, undefined, name),
    recover: () => {
      while (peek().kind !== 'end' && !(peek().kind === 'word' && isClauseWord(peek().text))) take();
    },
    textFrom: (first) => source.slice(first.span.start, (tokens[next - 1] ?? first).span.end).replace(/\s+/g, ' '),
    spanFrom: (first) => toSpan(source, first.span.start, (tokens[next - 1] ?? first).span.end),
  };
}

/** The name of an unexpected token in messages. */
export function describeToken(token: Token): string {
  return token.kind === 'end' ? 'the end' : quote(token.text);
}

import { toSpan } from '../../document/span.ts';
import { errorIssue, type Issue, type Span } from '../../outcome.ts';

export interface Token {
  /** `text` stood in quotes; `end` stands behind the last one. */
  readonly kind: 'word' | 'text' | 'sign' | 'end';
  /** Without quotes and escapes. */
  readonly text: string;
  readonly span: Span;
}

/** Cuts a line, from `offset` on, into words, quoted texts and signs. The last token is `end`. */
export function tokenize(source: string, offset = 0): { readonly tokens: readonly Token[]; readonly issues: readonly Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  for (const match of source.slice(offset).matchAll(pattern)) {
    const [whole] = match;
    const span = toSpan(source, offset + match.index, offset + match.index + whole.length);
    const { quoted, sign } = match.groups ?? {};
    if (quoted !== undefined) {
      const closed = whole.length > 1 && /^(['"])(?:[^\\]|\\[^])*\1$/.test(whole);
      if (!closed) issues.push(errorIssue('unclosed-quote', 'This quote is not closed.', { span, hint: `Write \`${whole[0]}\` behind the value.` }));
      const { text, wrong } = unescape(whole.slice(1, closed ? -1 : undefined));
      if (wrong !== undefined) {
        issues.push(errorIssue('unknown-escape', `"${wrong}" means nothing in a quoted text.`, { span, hint: 'A backslash itself is written twice: `\\\\`.' }));
      }
      tokens.push({ kind: 'text', text, span });
    } else tokens.push({ kind: sign === undefined ? 'word' : 'sign', text: aliases.get(whole) ?? whole, span });
  }
  const end = Math.max(offset, source.trimEnd().length);
  tokens.push({ kind: 'end', text: '', span: toSpan(source, end, end) });
  return { tokens, issues };
}

const pattern = /(?<quoted>'(?:[^'\\]|\\[^])*(?:'|\\?$)|"(?:[^"\\]|\\[^])*(?:"|\\?$))|(?<sign>!=|!~|\^=|\$=|>=|<=|<>|==|[,()=<>~])|(?:(?!!=|!~|\^=|\$=)[^\s,()=<>~])+/g;

const aliases: ReadonlyMap<string, string> = new Map([['==', '='], ['<>', '!=']]);

const escapes: ReadonlyMap<string | undefined, string> = new Map([['n', '\n'], ['r', '\r'], ['t', '\t'], ['\\', '\\'], ["'", "'"], ['"', '"']]);

function unescape(inner: string): { readonly text: string; readonly wrong: string | undefined } {
  let wrong: string | undefined;
  const text = inner.replace(/\\(?:u\{([0-9a-fA-F]{1,6})\}|([^]?))/gu, (whole, code: string | undefined, character: string | undefined) => {
    const meant = code === undefined ? escapes.get(character) : toCharacter(code);
    if (meant === undefined) wrong ??= whole;
    return meant ?? whole;
  });
  return { text, wrong };
}

function toCharacter(code: string): string | undefined {
  const point = Number.parseInt(code, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

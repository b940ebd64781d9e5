import { toSpan } from '../../document/span.ts';
import { errorIssue, type Issue, type Span } from '../../outcome.ts';
import type { Token } from './tokenize.ts';
import { isClauseWord } from './words.ts';
import { quote } from '../../quote.ts';

/** Walks over tokens, and collects what is wrong with them. */
export interface TokenReader {
  readonly issues: readonly Issue[];
  /** How many tokens were taken. */
  readonly position: () => number;
  /** The token that comes next, or one further on. Behind the last one always `end`. */
  readonly peek: (ahead?: number) => Token;
  readonly take: () => Token;
  /** Whether the next token is one of these bare words (in any case of letters). */
  readonly isWord: (...words: readonly string[]) => boolean;
  readonly isSign: (sign: string) => boolean;
  /** Takes the token if it is this word or sign. */
  readonly skip: (wordOrSign: string) => boolean;
  readonly complain: (code: string, message: string, hint?: string, span?: Span) => undefined;
  /** Leaves out what cannot be understood, up to where a clause begins. */
  readonly recover: () => void;
  /** From one token to the one taken last. */
  readonly spanFrom: (first: Token) => Span;
}

export function readTokens(source: string, tokens: readonly Token[], found: readonly Issue[]): TokenReader {
  const issues: Issue[] = [...found];
  let next = 0;
  const peek = (ahead = 0): Token => tokens[Math.min(next + ahead, tokens.length - 1)] as Token;
  const isWord = (...words: readonly string[]): boolean => peek().kind === 'word' && words.includes(peek().text.toLowerCase());
  const isSign = (sign: string): boolean => peek().kind === 'sign' && peek().text === sign;
  const take = (): Token => {
    const token = peek();
    if (next < tokens.length - 1) next += 1;
    return token;
  };
  return {
    issues, position: () => next, peek, take, isWord, isSign,
    skip: (wanted) => (isWord(wanted) || isSign(wanted) ? (take(), true) : false),
    complain: (code, message, hint, span = peek().span) => {
      issues.push(errorIssue(code, message, { hint, span }));
      return undefined;
    },
    recover: () => {
      while (peek().kind !== 'end' && !(peek().kind === 'word' && isClauseWord(peek().text))) take();
    },
    spanFrom: (first) => toSpan(source, first.span.start, (tokens[next - 1] ?? first).span.end),
  };
}

/** How messages speak of a token that should not be there. */
export function describeToken(token: Token): string {
  return token.kind === 'end' ? 'the end' : quote(token.text);
}

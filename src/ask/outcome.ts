/** A stretch of source text. Offsets are UTF-16 units from 0, `end` exclusive; line and column count from 1. */
export interface Span {
  /** Offset of the first character. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
  /** Line of the first character. */
  readonly line: number;
  /** Column of the first character. */
  readonly column: number;
}

/** The path of an issue inside its value, such as `['filters', 0, 'operator']`. */
export type IssuePath = readonly (string | number)[];

/** An error or warning about text that a person wrote. */
export interface Issue {
  /** Stable, in kebab-case, for programs: `unknown-member`. Not one of the codes of errors. */
  readonly code: string;
  /** What is wrong, in one sentence, without the position. */
  readonly message: string;
  /** Path into the value: `['filters', 0, 'operator']`. */
  readonly path: IssuePath;
  /** Place in the text, if it was read from text. */
  readonly span?: Span | undefined;
  /** What to do. */
  readonly hint?: string | undefined;
  /** An error makes the value unusable; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** The unknown name, if the issue is about one. */
  readonly name?: string | undefined;
}

/** The result of reading text: a `value` with at most warnings in `issues`, or all `issues`. Reading never throws. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly issues: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A successful outcome, with its warnings. */
export function good<T>(value: T, warnings: readonly Issue[] = []): Outcome<T> {
  return { ok: true, value, issues: warnings };
}

/** A failed outcome. At least one issue is an error. */
export function bad(issues: readonly Issue[]): { readonly ok: false; readonly issues: readonly Issue[] } {
  return { ok: false, issues };
}

/** A failed outcome with one error. */
export function badWith(code: string, message: string, details?: IssueDetails): ReturnType<typeof bad> {
  return bad([errorIssue(code, message, details)]);
}

/** Successful if no issue is an error; otherwise failed with all issues. */
export function settle<T>(value: T, issues: readonly Issue[]): Outcome<T> {
  return issues.some((issue) => issue.severity === 'error') ? bad(issues) : good(value, issues);
}

interface IssueDetails {
  readonly path?: IssuePath | undefined;
  readonly hint?: string | undefined;
  readonly span?: Span | undefined;
  readonly name?: string | undefined;
}

export function errorIssue(code: string, message: string, details: IssueDetails = {}): Issue {
  const { path = [], span, hint, name } = details;
  return { code, message, path, span, hint, severity: 'error', ...(name !== undefined && { name }) };
}

export function warningIssue(code: string, message: string, details: IssueDetails = {}): Issue {
  return { ...errorIssue(code, message, details), severity: 'warning' };
}

/** The number of errors among issues, without warnings. */
export function errorCount(issues: readonly Issue[]): number {
  return issues.filter(({ severity }) => severity === 'error').length;
}

/** An issue in words: its message and its hint. */
export function sayIssue({ message, hint }: Pick<Issue, 'message' | 'hint'>): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

import type { Locate } from '../../../ask/document/located.ts';
import type { TemplateValues } from '../context-call.ts';
import { errorIssue, warningIssue, type Issue, type IssuePath } from '../../../ask/outcome.ts';

/** A place in one of the files of a model. */
export interface Site {
  /** Index of the file. */
  readonly file: number;
  readonly path: IssuePath;
  readonly locate: Locate;
}

/** An issue in one of the files. */
export interface Finding {
  readonly file: number;
  readonly issue: Issue;
}

/** Collects all issues, so that they are reported together. */
export interface Findings {
  readonly all: Finding[];
  /** Cubes, members and joins that are valid in Cube but not supported here, by `partKey`, with reasons. */
  readonly leftOut: Map<string, string>;
  /** Values for the text from outside. */
  readonly values?: TemplateValues | undefined;
}

/** The key of a cube, of a member, or of the join to another cube. */
export function partKey(cube: string, member?: string, join?: string): string {
  return join === undefined ? (member === undefined ? cube : `${cube}.${member}`) : `${cube} joins ${join}`;
}

/** A part of the text with its place. */
export interface Sited<T> {
  readonly value: T;
  readonly site: Site;
}

export function below(site: Site, ...steps: IssuePath): Site {
  return { ...site, path: [...site.path, ...steps] };
}

export function reportError(findings: Findings, site: Site, code: string, message: string, hint?: string): void {
  add(findings, site, errorIssue(code, message, { path: site.path, hint, span: site.locate(site.path) }));
}

export function reportWarning(findings: Findings, site: Site, code: string, message: string, hint?: string): void {
  add(findings, site, warningIssue(code, message, { path: site.path, hint, span: site.locate(site.path) }));
}

/** Leaves out one part of the model and keeps the rest. `what` names the part: `The measure "total"`. */
export function leaveOut(
  findings: Findings,
  site: Site,
  key: string,
  what: string,
  reason: string,
  hint?: string,
): void {
  if (!findings.leftOut.has(key)) findings.leftOut.set(key, reason);
  reportWarning(findings, site, 'not-supported', `${what} is left out. ${reason}`, hint);
}

/** Adds issues from a reader that does not know the file. */
export function report(findings: Findings, site: Site, issues: readonly Issue[]): void {
  for (const issue of issues) add(findings, site, { ...issue, span: issue.span ?? site.locate(issue.path) });
}

/** Inherited parts are read once for each cube that extends them, so drop repeated issues. */
function add(findings: Findings, site: Site, issue: Issue): void {
  const isKnown = findings.all.some(
    (known) =>
      known.file === site.file &&
      known.issue.code === issue.code &&
      known.issue.message === issue.message &&
      known.issue.span?.start === issue.span?.start,
  );
  if (!isKnown) findings.all.push({ file: site.file, issue });
}

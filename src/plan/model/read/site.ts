import type { Locate } from '../../../ask/document/located.ts';
import type { TemplateValues } from '../context-call.ts';
import { errorIssue, warningIssue, type Issue, type IssuePath } from '../../../ask/outcome.ts';

/** A place in one of the files that a model is read from. */
export interface Site {
  /** Index of the file. */
  readonly file: number;
  readonly path: IssuePath;
  readonly locate: Locate;
}

/** Something found in one of the files. */
export interface Finding {
  readonly file: number;
  readonly issue: Issue;
}

/** Collects what is wrong, so that all of it is told at once. */
export interface Findings {
  readonly all: Finding[];
  /** Cubes, members and joins that are valid in Cube but not supported here, by `partKey`, with the reason. */
  readonly leftOut: Map<string, string>;
  /** What the text may be given from outside. */
  readonly values?: TemplateValues | undefined;
}

/** The key of a cube, of a member, or of the join to another cube. */
export function partKey(cube: string, member?: string, join?: string): string {
  return join === undefined ? (member === undefined ? cube : `${cube}.${member}`) : `${cube} joins ${join}`;
}

/** A part of the text, with the place where it stands. */
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

/** Takes over issues that were found without knowledge of the file. */
export function report(findings: Findings, site: Site, issues: readonly Issue[]): void {
  for (const issue of issues) add(findings, site, { ...issue, span: issue.span ?? site.locate(issue.path) });
}

/** What a cube inherits is read again for each heir: one mistake is still told once. */
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

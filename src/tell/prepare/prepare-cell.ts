import type { Annotation } from '../../ask/chart/annotation.ts';
import { markNames } from '../../plan/platform/synced-cubes.ts';
import type { NotationOptions } from '../../ask/notation/read-notation.ts';
import { type Located, toSpan, valueAt } from '../../ask/document/located.ts';
import {
  bad,
  badWith,
  errorIssue,
  good,
  type Issue,
  type IssuePath,
  type Outcome,
  type Span,
} from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { guessCell } from '../notebook/guess-cell.ts';
import type { AnnotationsCell, Block, CellContent, FunnelCell, Notebook, UsageCell } from '../notebook/notebook.ts';
import type { ParamValues } from '../notebook/params.ts';
import { readCell } from '../notebook/read-cell.ts';
import type { CellFunnel, NotebookSurroundings } from '../ports.ts';
import { bindCellQuestion } from './bind-question.ts';
import type { PreparedFunnel, PreparedQuestion, PreparedUsage } from './prepared.ts';

/** A bound cell. */
interface PreparedCell {
  /** Undefined if it asks nothing, or cannot be asked. */
  readonly block?: PreparedQuestion | PreparedFunnel | PreparedUsage | undefined;
  readonly marks?: readonly Annotation[] | undefined;
  /** With paths into the cell. Spans are places in its line. */
  readonly issues: readonly Issue[];
}

export async function prepareCell(
  content: CellContent,
  time: TimeContext,
  surroundings: NotebookSurroundings,
): Promise<PreparedCell> {
  switch (content.cell) {
    case 'query':
    case 'compare':
      return asBlock(await bindCellQuestion(content, time, surroundings));
    case 'funnel':
      return asBlock(await bindCellFunnel(content, time, surroundings));
    case 'usage':
      return { block: { kind: 'usage', content }, issues: unknownGroups(content, surroundings) };
    case 'annotations': {
      const marks = await readMarks(content, surroundings);
      return { marks: marks.ok ? marks.value : undefined, issues: marks.issues };
    }
    case 'check':
      return { issues: [] };
  }
}

function asBlock(outcome: Outcome<PreparedQuestion | PreparedFunnel>): PreparedCell {
  return { block: outcome.ok ? outcome.value : undefined, issues: outcome.issues };
}

function unknownGroups({ groups = [] }: UsageCell, { usageGroups }: NotebookSurroundings): readonly Issue[] {
  const known = usageGroups?.();
  if (!known) return [];
  return groups.flatMap((group, index) =>
    known.includes(group)
      ? []
      : [
          errorIssue('unknown-group', `There is no group ${quote(group)}.`, {
            path: ['groups', index],
            hint:
              didYouMean(group, known) ?? 'Define groups in the configuration: `usage: {groups: [{name, projects}]}`.',
          }),
        ],
  );
}

/** Codes of issues about names outside the report. */
const elsewhere = new Set(['unknown-funnel', 'no-such-query', 'broken-query']);

/** True if all errors of a cell are outside the report, so its own text may be correct. */
export function failsElsewhere({ block, issues }: PreparedCell): boolean {
  return (
    block === undefined &&
    issues.length > 0 &&
    issues.every((issue) => issue.severity === 'warning' || elsewhere.has(issue.code) || isGoneColumn(issue))
  );
}

/** Later data may lack a column. A name that is near another one is rather a mistake of the report. */
function isGoneColumn({ code, hint }: Issue): boolean {
  return code === 'unknown-member' && !hint?.includes('Did you mean');
}

/** A cell of a notebook, read. */
interface BlockCell {
  /** Undefined if its question is unclear. */
  readonly content: CellContent | undefined;
  /** Figures can be looked up in the cell. */
  readonly isCertain: boolean;
  /** Moves issues with paths in the content to paths in the notebook. */
  readonly place: (issues: readonly Issue[]) => readonly Issue[];
}

interface ReadingCells {
  readonly params: ParamValues;
  readonly names: NotationOptions | undefined;
  readonly located: Located<Notebook>;
  readonly issues: Issue[];
}

/** The place in the notebook of a place in the line of a cell. Undefined if the line is not written as it is asked. */
function placeLine(
  { start, end }: Span,
  line: unknown,
  path: IssuePath,
  { locate, source }: Located<Notebook>,
): Span | undefined {
  const written = locate(path);
  if (typeof line !== 'string' || line.includes('{{') || !written) return undefined;
  const at = source.slice(written.start, written.end).indexOf(line);
  return at === -1 ? undefined : toSpan(source, written.start + at + start, written.start + at + end);
}

/**
 * Reads a cell with its parameters filled in, and adds its issues. An invalid cell is read by its likely meaning, to
 * find further issues.
 */
export function readBlockCell(
  { cell, data }: Extract<Block, { readonly kind: 'cell' }>,
  index: number,
  { params, names, located, issues }: ReadingCells,
): BlockCell {
  const toPath = (path: IssuePath) => ['blocks', index, ...path];
  const place = (found: readonly Issue[]) =>
    found.map((issue) => ({
      ...issue,
      path: toPath(issue.path),
      span: issue.span && placeLine(issue.span, valueAt(data, ['query']), toPath(['query']), located),
    }));
  const read = readCell(cell, data, params, names);
  issues.push(...place(read.issues));
  if (read.ok) return { content: read.value, isCertain: true, place };
  const guessed = guessCell(cell, data, params, names);
  if (!guessed) return { content: undefined, isCertain: false, place };
  const { content, isCertain, issues: later, toWritten } = guessed;
  issues.push(...place(later));
  return {
    content,
    isCertain,
    place: (found) =>
      place(
        found
          .filter((issue) => isCertain || pointsInto(issue))
          .map((issue) => ({ ...issue, path: toWritten(issue.path) })),
      ),
  };
}

/** True if an issue is about existing content, not about parts that may be missing because they were ignored. */
function pointsInto({ path, code }: Issue): boolean {
  return path.length > 0 && code !== 'no-range';
}

/** The marks of an annotations cell: its own, and those of its file. Issues have paths into the cell. */
async function readMarks(
  { marks = [], from }: AnnotationsCell,
  { marksBeside }: NotebookSurroundings,
): Promise<Outcome<readonly Annotation[]>> {
  if (from === undefined) return good(marks);
  const read = await marksBeside?.(from);
  if (!read)
    return badWith('file-unreadable', `There is no file ${quote(from)} in the folder of the report.`, {
      path: ['from'],
      hint:
        `Write the path relative to the folder of the report, or one of ${markNames.join(', ')}, ` +
        'which `sluice sync` fetches.',
    });
  if (!read.ok)
    return bad(
      read.issues.map((issue) => ({
        ...errorIssue('broken-marks', `${quote(from)} cannot be used${lineOf(issue)}: ${issue.message}`, {
          path: ['from'],
          hint: issue.hint,
        }),
        severity: issue.severity,
      })),
    );
  return good([...marks, ...read.value]);
}

/** The line of an issue in its own file. */
function lineOf({ span }: Issue): string {
  return span ? `, line ${span.line}` : '';
}

/** Binds the question of a funnel cell. Issues have paths into the cell. */
async function bindCellFunnel(
  content: FunnelCell,
  time: TimeContext,
  surroundings: NotebookSurroundings,
): Promise<Outcome<PreparedFunnel>> {
  const { funnel: name, range, timezone, byEntry, trend, interval } = content;
  const asked: CellFunnel = {
    name,
    range: typeof range === 'object' ? range.join('..') : range,
    timezone: timezone ?? time.zone,
    byEntry,
    trend,
    interval,
  };
  const bound = await surroundings.bindFunnel(asked);
  const issues = bound.issues.map((issue) => ({
    ...issue,
    span: undefined,
    path: issue.code === 'unknown-funnel' || range === undefined ? ['funnel'] : ['range'],
  }));
  if (!bound.ok) return { ok: false, issues };
  return good({ kind: 'funnel', content, funnel: { ...asked, name: bound.value.name }, facts: bound.value }, issues);
}

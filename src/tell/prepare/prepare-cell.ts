import type { Annotation } from '../../ask/annotation.ts';
import { didYouMean } from '../../ask/did-you-mean.ts';
import { errorIssue, type Issue, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import type { CellContent, UsageCell } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../notebook/ports.ts';
import { bindCellFunnel } from './bind-funnel.ts';
import { bindCellQuestion } from './bind-question.ts';
import type { PreparedFunnel, PreparedQuestion, PreparedUsage } from './prepared.ts';
import { readMarks } from './read-marks.ts';

/** A cell, looked up. */
export interface PreparedCell {
  /** Undefined where it asks nothing, or cannot be asked. */
  readonly block?: PreparedQuestion | PreparedFunnel | PreparedUsage | undefined;
  readonly marks?: readonly Annotation[] | undefined;
  /** With paths into the cell. */
  readonly issues: readonly Issue[];
}

export async function prepareCell(content: CellContent, time: TimeContext, surroundings: NotebookSurroundings): Promise<PreparedCell> {
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
  return groups.flatMap((group, index) => (known.includes(group) ? [] : [errorIssue('unknown-group', `There is no group ${quote(group)}.`, {
    path: ['groups', index], hint: didYouMean(group, known) ?? 'Groups stand in the configuration: `usage: {groups: [{name, projects}]}`.',
  })]));
}

/** A cell names something beside the report that is not there, or cannot be used. */
const elsewhere = new Set(['unknown-funnel', 'no-such-query', 'broken-query']);

/** Whether nothing else is wrong with a cell than what lies beside the report: then its own text may well be right. */
export function failsElsewhere({ block, issues }: PreparedCell): boolean {
  return block === undefined && issues.length > 0 && issues.every(({ code, severity }) => severity === 'warning' || elsewhere.has(code));
}

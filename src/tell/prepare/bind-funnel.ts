import { good, type Outcome } from '../../ask/outcome.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import type { FunnelCell } from '../notebook/notebook.ts';
import type { CellFunnel, NotebookSurroundings } from '../notebook/ports.ts';
import type { PreparedFunnel } from './prepared.ts';

/** What a funnel cell asks. Issues carry paths into the cell. */
export async function bindCellFunnel(content: FunnelCell, time: TimeContext, surroundings: NotebookSurroundings): Promise<Outcome<PreparedFunnel>> {
  const { funnel: name, range, timezone, byEntry, trend } = content;
  const asked: CellFunnel = { name, range: typeof range === 'object' ? range.join('..') : range, timezone: timezone ?? time.zone, byEntry, trend };
  const bound = await surroundings.bindFunnel(asked);
  const issues = bound.issues.map((issue) => ({ ...issue, span: undefined, path: issue.code === 'unknown-funnel' || range === undefined ? ['funnel'] : ['range'] }));
  if (!bound.ok) return { ok: false, issues };
  return good({ kind: 'funnel', content, funnel: { ...asked, name: bound.value.name }, facts: bound.value }, issues);
}

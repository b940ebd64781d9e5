import { settle, type Outcome } from '../../../ask/outcome.ts';
import { writeNotation } from '../../../ask/query/notation/write-notation.ts';
import { toCanonicalQuery } from '../../../ask/query/canonical-query.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { TimeContext } from '../../../ask/time/range.ts';
import { readZone } from '../../../ask/time/zone.ts';
import type { Block, Notebook, QueryCell } from '../../../tell/notebook/notebook.ts';
import { readCell } from '../../../tell/notebook/read-cell.ts';
import { readParamValues } from '../../../tell/notebook/read-param-values.ts';
import type { ParamValues } from '../../../tell/notebook/param.ts';
import type { OpenedCell } from '../message.ts';
import type { Ask, OpenWorkspace } from '../state.ts';

/**
 * A notebook as cells, each with its text. Parameters have their defaults. What the explorer does not ask (prose, funnels,
 * usage, checks, and questions that are laid over others) is carried along as it is.
 */
export function readCells({ frontMatter, blocks }: Notebook, names: Pick<OpenWorkspace, 'catalog' | 'home'>, timeIn: (zone?: string) => TimeContext): Outcome<readonly OpenedCell[]> {
  const zone = frontMatter.timezone === undefined ? undefined : readZone(frontMatter.timezone);
  const own = zone?.ok ? zone.value : undefined;
  const params = readParamValues(frontMatter.params, new Map(), timeIn(own));
  const values: ParamValues = params.ok ? params.value : new Map();
  return settle(blocks.map((block) => toOpened(block, values, names, own)), params.issues.map((issue) => ({ ...issue, severity: 'warning' as const })));
}

function toOpened(block: Block, values: ParamValues, names: Pick<OpenWorkspace, 'catalog' | 'home'>, zone: string | undefined): OpenedCell {
  const carried: OpenedCell = { ask: { kind: 'text', source: block.source }, source: block.source, shows: 'table' };
  if (block.kind === 'prose' || block.cell !== 'query') return carried;
  const read = readCell('query', block.data, values);
  if (!read.ok || read.value.cell !== 'query') return carried;
  const ask = toAsk(read.value, names, zone);
  return ask ? { ask, source: block.source, shows: read.value.show === 'chart' ? 'chart' : 'table' } : carried;
}

/** A question that names no zone is asked in the notebook's, as the report asks it. */
function toAsk(cell: QueryCell, { catalog, home }: Pick<OpenWorkspace, 'catalog' | 'home'>, zone: string | undefined): Ask | undefined {
  const { query: own, from, range, filters, limit, timezone, title, description, fill, fillWith, chart } = cell;
  if ([range, filters, limit, timezone].some((part) => part !== undefined)) return undefined;
  const further = { title, description, fill, fillWith, chart };
  const isPlain = Object.values(further).every((part) => part === undefined);
  if (from !== undefined) return own === undefined && isPlain && zone === undefined ? { kind: 'line', line: from } : undefined;
  if (!own) return undefined;
  const query = zone === undefined || own.timezone !== undefined ? own : { ...own, timezone: zone };
  const line = isPlain ? writeNotation(query, { members: catalog, defaultCube: home }) : undefined;
  if (line !== undefined) return { kind: 'line', line };
  const saved = Object.fromEntries(Object.entries({ ...further, query: toCanonicalQuery(query) }).filter(([, part]) => part !== undefined));
  return { kind: 'query', saved: saved as unknown as SavedQuery };
}

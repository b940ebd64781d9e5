import { type Funnel, type TrendUnit, trendUnits } from '../../ask/funnel/funnel.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { usageError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { toBuckets } from '../../ask/time/buckets.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import type { Plan } from '../../plan/plan.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import { stepFigures } from '../../shape/funnel-result.ts';
import { noMarks } from '../../shape/result/marks.ts';
import { type Result, toResult } from '../../shape/result/result.ts';
import type { Definition } from '../analysis/analysis-question.ts';
import type { Cell } from '../users/list-users.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Session } from '../workspace/session.ts';
import { type FunnelUsersOptions, listFunnelUsers, type WantedUsers } from './funnel-users.ts';

/** Whether a cell is a row of a funnel's trend. */
export function isOfTrend(cell: Cell): boolean {
  return Object.keys(cell).some((key) => entryKey.test(key));
}

const entryKey = /(?:^|\.)entry(?:\.(\w+))?$/;

/**
 * Lists the users behind a row of a funnel that only following the funnel can tell: of a trend, or by entry. Has one
 * row per user, by name. Throws as `runFunnel`.
 */
export async function listFunnelCellUsers(
  session: Session,
  definition: Definition,
  cell: Cell,
  options: FunnelUsersOptions,
): Promise<Result> {
  const users = await listFunnelUsers(session, definition, (funnel, plan) => toWanted(cell, funnel, plan), options);
  const types = users.types() ?? [];
  const rows: unknown[][] = [];
  for await (const { rowCount, columns } of users.batches())
    for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((values) => values[row] ?? null));
  rows.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return toResult({
    columns: users.columns,
    data: users.columns.map((_, index) => rows.map((row) => row[index] as string | number | null)),
    marks: noMarks,
    provenance: { ...users.provenance(), rows: rows.length },
    types: new Map(users.columns.map(({ key }, index) => [key, types[index]!])),
  });
}

function toWanted(cell: Cell, { name, steps }: Funnel, plan: Plan): WantedUsers {
  const breakdown = funnelOf(plan)?.bound?.breakdown;
  const group = breakdown && `${breakdown.cube.name}.${breakdown.dimension.name}`;
  const known = ['step', 'entry', ...(breakdown ? ['breakdown'] : [])];
  const wanted: { -readonly [Key in keyof WantedUsers]: WantedUsers[Key] } = { least: 1, most: steps.length };
  for (const [key, value] of Object.entries(cell)) {
    const short = key.startsWith(`${name}.`) ? key.slice(name.length + 1) : key;
    const unit = entryKey.exec(short);
    if (value === undefined || stepFigures.includes(short)) continue;
    if (unit) wanted.began = toBegan(String(value), unit[1], plan);
    else if (short === 'step') wanted.least = toStep(value, name, steps.length);
    else if (breakdown && (short === 'breakdown' || key === group))
      wanted.value = value === null ? null : String(value);
    else {
      const message = `The cells of ${quote(name)} have no ${quote(key)}.`;
      const hint = didYouMean(short, known) ?? `Use ${known.join(', ')}.`;
      unwrap({ ok: false, issues: [errorIssue('unknown-member', message, { path: [key], hint })] }, 'The cell');
    }
  }
  return wanted;
}

function toStep(value: unknown, name: string, last: number): number {
  const step = Number(value);
  if (Number.isInteger(step) && step >= 1 && step <= last) return step;
  throw usageError(`The funnel ${quote(name)} has no step ${String(value)}.`, `Its steps are 1 to ${last}.`);
}

/** The bucket that begins at a time, or the range that a phrase names. */
function toBegan(written: string, unit: string | undefined, { now, zone, weekStart }: Plan): TimeRange {
  const range = unwrap(readDateRange(written, { now, zone, weekStart }), `The time ${quote(written)}`);
  if (!(trendUnits as readonly (string | undefined)[]).includes(unit)) return range;
  const [bucket] = toBuckets({ start: range.start, end: range.start + 1 }, unit as TrendUnit, zone, weekStart);
  return bucket ?? range;
}

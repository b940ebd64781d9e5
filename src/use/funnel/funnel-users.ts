import { spellDimension } from '../../ask/analysis/followed.ts';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import { usageError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { TimeContext, TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import type { Column, Value } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { askedDates } from '../../plan/computed/asked-dates.ts';
import type { Batch } from '../../run/backend.ts';
import { followedFunnels, type FunnelUsers } from '../../run/followed-funnel.ts';
import { describeDates, describeFunnel } from '../../shape/funnel-result.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import { toProvenance } from '../../shape/to-provenance.ts';
import type { RowSource } from '../../show/text/row-source.ts';
import type { AnalysisAsked, Definition } from '../analysis/analysis-question.ts';
import type { Session } from '../workspace/session.ts';
import { unwrap } from '../workspace/refuse.ts';
import { planFunnel } from './funnel-question.ts';
import { notLocal } from './run-funnel.ts';

export interface FunnelUsersOptions extends AnalysisAsked {
  readonly byEntry?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Rows that can be read once. Their provenance is complete after the last row. */
type UserRows = Omit<RowSource, 'provenance'> & { readonly provenance: () => Provenance };

/**
 * Lists the users of a funnel who reached the steps in `who`: `converted`, `converted:N` or `dropped:N`, where N is the
 * number or name of a step. A start time and a breakdown value may follow: `,began=2024-W09`, `,agentName=Firefox`.
 * Returns one row per user in no particular order. The rows are read in batches, once. Throws as `runFunnel`.
 */
export async function listFunnelUsers(
  session: Session,
  definition: Definition,
  who: string | ((funnel: Funnel, plan: Plan) => WantedUsers),
  options: FunnelUsersOptions,
): Promise<UserRows> {
  const { byEntry = false, signal } = options;
  const { plan, funnel, notes } = await planFunnel(session, definition, options);
  const wantedUsers = typeof who === 'string' ? readWho(who, funnel, plan) : who(funnel, plan);
  const { backend, facts } = await session.openedBackend();
  const follower = backend.reach === 'local' ? await backend.further(followedFunnels) : undefined;
  if (!follower) throw notLocal(funnel.name, '--users');
  const { batches, facts: found } = await follower.streamUsers(plan, { byEntry, signal });
  const told = await facts(plan);
  const isSession = funnel.by === 'session';
  const isUser = !isSession && funnel.follow === undefined;
  const own = session.settings.user.value === 'known' ? 'known' : 'anonymous';
  let rows = 0;

  async function* wanted(): AsyncGenerator<Batch, void, undefined> {
    for await (const users of batches) {
      const batch = toBatch(users, wantedUsers, (key) =>
        isUser ? toIdentity(key, own) : [isSession ? toSessionName(key) : key],
      );
      rows += batch.rowCount;
      if (batch.rowCount > 0) yield batch;
    }
  }

  return {
    columns: columnsOf(funnel),
    types: () => [
      ...(isUser ? [{ kind: 'text' } as const] : []),
      { kind: 'text' },
      { kind: 'integer' },
      { kind: 'time', utc: false },
    ],
    batches: () => wanted(),
    distinctTexts: () => Promise.resolve(undefined),
    provenance: () => {
      const said = [
        ...notes,
        ...describeFunnel(funnel, 'here'),
        ...describeDates(funnel, { ...askedDates(plan), byEntry, zone: plan.zone, now: plan.now }),
      ];
      return {
        ...toProvenance({ ...plan, times: [] }, { rows, partialBuckets: 0 }, found(), { ...told, notes: said }),
        truncated: null,
      };
    },
  };
}

/** The users to list: those who reached between `least` and `most` steps. */
export interface WantedUsers {
  readonly least: number;
  readonly most: number;
  /** Only users who started in this range. */
  readonly began?: TimeRange | undefined;
  /** Only users with this breakdown value; null means no value. */
  readonly value?: string | null | undefined;
}

/** Reads which users to list. Throws `InvalidInputError`. */
function readWho(who: string, funnel: Pick<Funnel, 'name' | 'steps' | 'breakdown'>, time: TimeContext): WantedUsers {
  const own = funnel.breakdown && shortNameOf(funnel.breakdown.dimension);
  const names = ['began', ...(own === undefined ? [] : ['breakdown', own])];
  const cells = new Map<string, string>();
  let steps = '';
  let into: string | undefined;
  // Names of steps and breakdown values may contain commas.
  for (const part of who.split(',')) {
    const at = part.indexOf('=');
    const named = names.find((name) => at >= 0 && part.slice(0, at).trim() === name);
    if (named !== undefined) {
      into = named === 'began' ? 'began' : 'breakdown';
      cells.set(into, part.slice(at + 1).trim());
    } else if (into !== undefined) cells.set(into, `${cells.get(into)},${part}`);
    else steps += steps === '' ? part : `,${part}`;
  }
  const began = cells.get('began');
  const value = cells.get('breakdown');
  return {
    ...readSteps(steps, funnel),
    ...(began !== undefined && { began: unwrap(readDateRange(began, time), `The time ${quote(began)}`) }),
    ...(value !== undefined && { value: value === '' ? null : value }),
  };
}

/** Reads the range of steps. Throws `InvalidInputError`. */
function readSteps(
  who: string,
  { name, steps }: Pick<Funnel, 'name' | 'steps'>,
): { readonly least: number; readonly most: number } {
  const [kind = '', ...rest] = who.split(':');
  const written = rest.length === 0 ? undefined : rest.join(':').trim();
  const example = 'Write converted, converted:2 or dropped:2: the number or the name of a step.';
  if (kind !== 'converted' && kind !== 'dropped')
    throw usageError(
      `Users can be converted or dropped, not ${quote(kind)}.`,
      didYouMean(kind, ['converted', 'dropped']) ?? example,
    );
  const names = steps.map((step) => step.name);
  if (written === undefined) {
    if (kind === 'dropped') throw usageError('Specify the step after which users dropped off.', example);
    return { least: steps.length, most: steps.length };
  }
  const step = names.includes(written) ? names.indexOf(written) + 1 : /^[1-9]\d*$/.test(written) ? Number(written) : 0;
  if (step < 1 || step > steps.length)
    throw usageError(
      `The funnel ${quote(name)} has no step ${quote(written)}.`,
      didYouMean(written, names) ?? `Its steps are ${names.map((each, index) => `${index + 1} ${each}`).join(', ')}.`,
    );
  if (kind === 'converted') return { least: step, most: steps.length };
  if (step === steps.length)
    throw usageError(
      `Users cannot drop off after ${quote(names[step - 1] ?? '')}: it is the last step.`,
      'Use converted for users who reached it.',
    );
  return { least: step, most: step };
}

/** Returns a user's ID and its kind. A control character marks IDs of the second kind, see `userKey`. */
function toIdentity(key: string, own: 'anonymous' | 'known'): readonly [id: string, kind: string] {
  if (!key.startsWith('\x1f')) return [key, own];
  return key.startsWith('\x1fu') ? [key.slice(2), own === 'known' ? 'anonymous' : 'known'] : [key.slice(1), own];
}

/** Shows the separator, because text formats drop control characters and distinct sessions would look the same. */
function toSessionName(key: string): string {
  return key.replaceAll('\x1f', '␟');
}

function toBatch(
  { count, depth, entry, keys, values }: FunnelUsers,
  { least, most, began, value }: WantedUsers,
  toKey: (key: string) => readonly Value[],
): Batch {
  const rows: (readonly Value[])[] = [];
  for (let user = 0; user < count; user++) {
    const [steps, at] = [depth[user] ?? 0, entry[user] ?? 0];
    if (steps < least || steps > most) continue;
    if (began && (at < began.start || at >= began.end)) continue;
    if (value !== undefined && (values?.[user] ?? null) !== value) continue;
    rows.push([...toKey(keys[user] ?? ''), steps, writeUtc(at).replace('Z', '')]);
  }
  return { rowCount: rows.length, columns: (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null)) };
}

function columnsOf({ name, by, follow }: Funnel): readonly Column[] {
  const column = (short: string, type: Column['type'], shortTitle: string): Column => ({
    key: `${name}.${short}`,
    member: `${name}.${short}`,
    kind: 'dimension',
    type,
    title: shortTitle,
    shortTitle,
    additive: false,
    whenAbsent: null,
  });
  const who =
    by === 'session'
      ? [column('session', 'string', 'Session')]
      : follow === undefined
        ? [column('user', 'string', 'User'), column('userKind', 'string', 'Known by')]
        : [column('followed', 'string', spellDimension(follow))];
  return [...who, column('reached', 'number', 'Steps reached'), column('began', 'time', 'Began')];
}

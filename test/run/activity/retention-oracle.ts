import type { CohortRule } from '../../../src/ask/activity/retention.ts';
import type { Happened, Scene } from './some-activity.ts';
import { labelOf, spansOf } from './some-activity.ts';

export interface RetentionAsked {
  readonly scene: Scene;
  readonly starts: (event: Happened) => boolean;
  /** True if an event has the type of start events. */
  readonly mayStart: (event: Happened) => boolean;
  readonly returns: (event: Happened) => boolean;
  readonly cohorts: CohortRule;
  readonly periods: number;
  readonly rolling: boolean;
  readonly least: number;
  readonly cumulative: boolean;
  /** How many values to keep; undefined: no breakdown. */
  readonly values: number | undefined;
  /** The amount of an event to add up, if any. */
  readonly amountOf?: (event: Happened) => number;
}

const day = 24 * 3_600_000;
const nameOf = (value: string | null) => value ?? 'null';

function remembered<T>(find: (user: string) => T): (user: string) => T {
  const known = new Map<string, T>();
  return (user) => {
    if (!known.has(user)) known.set(user, find(user));
    return known.get(user) as T;
  };
}

/** Figures by `cohort period value`: users, size, partial or not. Slow, user by user and cell by cell. */
export function retentionByDefinition(events: readonly Happened[], asked: RetentionAsked): ReadonlyMap<string, string> {
  const { amountOf, scene, starts, mayStart, returns, cohorts, periods, rolling, least, cumulative, values } = asked;
  const rows = spansOf(scene);
  const window = { start: rows[0]!.start, end: rows.at(-1)!.end };
  const rowByLabel = new Map(rows.map(({ label }, row) => [label, row]));
  const rowOf = (at: number) =>
    at >= window.start && at < window.end ? (rowByLabel.get(labelOf(at, scene)) ?? -1) : -1;
  const users = [...new Set(events.flatMap(({ user }) => user ?? []))];
  const ofUser = remembered((user) => events.filter((event) => event.user === user).toSorted((a, b) => a.at - b.at));

  /** Events that put a user into a cohort. */
  const startsOf = remembered((user): readonly Happened[] => {
    const own = ofUser(user);
    const inWindow = (event: Happened) => rowOf(event.at) >= 0;
    if (cohorts === 'recurring') return own.filter((event) => starts(event) && inWindow(event));
    const among = own.filter(cohorts === 'first_time' ? starts : mayStart);
    const tied = among.filter(({ at }) => at === among[0]?.at && at < window.end).filter(starts);
    const texts = tied
      .map(({ agent }) => agent)
      .toSorted((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1));
    return tied
      .filter(inWindow)
      .filter(({ agent }) => agent === texts[0])
      .slice(0, 1);
  });

  const popularity = new Map<string | null, Set<string>>();
  for (const user of users)
    for (const { agent } of startsOf(user)) popularity.set(agent, (popularity.get(agent) ?? new Set()).add(user));
  const order = (a: string | null, b: string | null) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1);
  const kept = [...popularity.keys()]
    .filter((value) => value !== '(other)')
    .toSorted((a, b) => popularity.get(b)!.size - popularity.get(a)!.size || order(a, b))
    .slice(0, values);
  const keyOf = ({ agent }: Happened) =>
    values === undefined ? 'all' : kept.includes(agent) ? nameOf(agent) : '(other)';

  const keys = values === undefined ? ['all'] : [...new Set(users.flatMap((user) => startsOf(user).map(keyOf)))];
  const figures = new Map<string, string>();
  for (const key of keys)
    for (const [row, span] of rows.entries()) {
      const inCohort = users.filter((user) =>
        startsOf(user).some((event) => keyOf(event) === key && rowOf(event.at) === row),
      );
      const returnsOf = remembered((user) => {
        const first = startsOf(user).find((event) => keyOf(event) === key && rowOf(event.at) === row)!;
        const own = ofUser(user).filter((event) => returns(event) && keyOf(event) === key && rowOf(event.at) >= 0);
        return Map.groupBy(own, ({ at }) => (rolling ? Math.floor((at - first.at) / day) : rowOf(at) - row));
      });
      const returnsIn = (user: string, period: number): readonly Happened[] => returnsOf(user).get(period) ?? [];
      const isSeen = (user: string, period: number) => returnsIn(user, period).length >= least;
      const startsIn = (user: string) =>
        ofUser(user).filter((event) => starts(event) && keyOf(event) === key && rowOf(event.at) === row);
      for (let period = 0; period < periods; period++) {
        const most = Math.max(rows.length, Math.ceil((window.end - window.start) / day));
        const later = Array.from({ length: cumulative ? most : 1 }, (_, more) => period + more).filter((each) =>
          rolling ? each * day < window.end - window.start : row + each < rows.length,
        );
        const seen = period === 0 ? inCohort : inCohort.filter((user) => later.some((each) => isSeen(user, each)));
        const over = rolling
          ? period === 0
            ? span.end
            : span.end + (period + 1) * day
          : (rows[row + period]?.end ?? Infinity);
        const isPartial = over > scene.now || (period > 0 && over > window.end);
        const spent =
          amountOf &&
          seen
            .flatMap((user) => (period === 0 ? startsIn(user) : returnsIn(user, period)))
            .reduce((sum, event) => sum + amountOf(event), 0);
        const told = `${seen.length} of ${inCohort.length}${isPartial ? ' ~' : ''}`;
        figures.set(`${span.label} ${period} ${key}`, spent === undefined ? told : `${told} ${spent}`);
      }
    }
  return figures;
}

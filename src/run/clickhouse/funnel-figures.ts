import { type Expression, sql, trusted } from '../../plan/sql/expression.ts';
import { byText, type FunnelAnswer } from '../analysis/funnel/sum-up-users.ts';
import type { Spread } from '../analysis/funnel/quantiles.ts';
import type { FollowFunnelOptions, FunnelFigures } from '../followed-funnel.ts';
import type { ServerStatement } from './connection.ts';
import type { RawValue } from './native-reader.ts';
import type { ServerSession } from './server-session.ts';
import { entryOf, type Gathering, type Options } from './gather-funnel.ts';

export type Wanted = Options & Pick<FollowFunnelOptions, 'bucketOf'> & { readonly times?: boolean };

/**
 * Milliseconds. In today's time zones, clocks only change on the quarter hour, so all users who start within the same
 * quarter hour belong to the same bucket.
 */
export const mostTogether = 900_000;

/** A row of `figuresStatement`. */
interface FigureRow {
  readonly kind: number;
  readonly step: number;
  readonly users: number;
  readonly value: string | null;
  /** Epoch milliseconds of the first and the last entry. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds from the first step, summed over all users. */
  readonly elapsed: number;
  /** Microseconds: for each of `shares`, the two times between which the quantile lies. */
  readonly between: readonly number[];
}

function toFigures([kind, step, users, value, from, to, elapsed, ...between]: readonly RawValue[]): FigureRow {
  return {
    kind: Number(kind),
    step: Number(step),
    users: Number(users),
    value: value as string | null,
    from: Number(from),
    to: Number(to),
    elapsed: Number(elapsed),
    between: between.map(Number),
  };
}

const shares = [0.5, 0.9] as const;

/**
 * One row for each step: of all users (`kind` 1), of the users with each value (2), and of the users who start in the
 * same stretch of time (3). Step 0 counts users spoiled by exclusions, step -1 users who are hard. Each user is
 * followed once.
 */
export function figuresStatement(
  { program, print, ...walks }: Gathering,
  {
    times = false,
    together,
    walk = walks.walk,
  }: {
    readonly times?: boolean | undefined;
    readonly together?: number | undefined;
    readonly walk?: Expression | undefined;
  },
): ServerStatement {
  const kinds = [1, ...(program.breakdown ? [2] : []), ...(together === undefined ? [] : [3])];
  const spread = [
    // Avoids overflow of the sum, and keeps milliseconds whole.
    'toFloat64(intDiv(sum(toInt128(elapsed)), 1000)) + toFloat64(sum(toInt128(elapsed)) % 1000) / 1000',
    ...shares.flatMap((share) => {
      const below = `toInt64(floor((count() - 1) * ${share}))`;
      return [`${below} + 1`, `least(${below} + 2, toInt64(count()))`].map(
        (place) => `arraySort(groupArrayIf(elapsed, kind < 3))[${place}]`,
      );
    }),
  ];
  const stretch = together === undefined ? '0' : `intDiv(entry - positiveModulo(entry, ${together}), ${together})`;
  return print(sql`SELECT kind, step, count(), value, min(entry), max(entry)${trusted(times ? `, ${spread.join(', ')}` : '')} FROM (
  SELECT kind, step, if(kind = 2, step_value, NULL) AS value, if(kind = 3, ${trusted(stretch)}, 0) AS stretch, entry,
  if(step > 0, chain[step] - chain[1], 0) AS elapsed FROM (
    SELECT step_value, chain, if(depth > 0, ${trusted(entryOf)}, 0) AS entry, arrayJoin(${trusted(`[${kinds.join(', ')}]`)}) AS kind,
      arrayJoin(multiIf(hard, [toInt64(-1)], depth = 0, [toInt64(0)], arrayMap(place -> toInt64(place), arrayEnumerate(chain)))) AS step
    FROM (${walk})
  )
) GROUP BY kind, step, value, stretch`);
}

/** undefined if some users are hard in every walk. `walk`: replaces the first walk. */
export async function readFigures(
  session: ServerSession,
  gathering: Gathering,
  options: Wanted,
  together: number | undefined,
  walk?: Expression,
): Promise<FunnelAnswer | undefined> {
  const { bucketOf, times = false, signal } = options;
  const { program, tiedWalk } = gathering;
  const { text, parameters, settings } = figuresStatement(gathering, { times, together, walk });
  const rows = (await session.connection.rows(text, parameters, signal, settings)).map(toFigures);
  const of = (kind: number) => rows.filter((row) => row.kind === kind && row.step > 0);
  const beside = (step: number) => rows.find((row) => row.kind === 1 && row.step === step)?.users ?? 0;
  if (beside(-1) > 0) {
    if (walk || !tiedWalk) return undefined;
    const all = sql`SELECT * FROM (${gathering.walk}) WHERE NOT hard UNION ALL SELECT * FROM (${tiedWalk})`;
    return readFigures(session, gathering, options, together, all);
  }
  const byEntry = new Map<number, number[]>();
  for (const { step, users, from, to } of of(3)) {
    const bucket = bucketOf!(from);
    // The stretch spans two buckets: a clock change off the quarter hour, or shorter buckets. Ask again with stretches
    // of 1 ms.
    if (bucket !== bucketOf!(to)) return readFigures(session, gathering, options, 1, walk);
    const reached = byEntry.get(bucket) ?? program.steps.map(() => 0);
    reached[step - 1]! += users;
    byEntry.set(bucket, reached);
  }
  const seriesOf = (found: readonly FigureRow[]): FunnelFigures => {
    const byStep = program.steps.map((_, index) => found.find(({ step }) => step === index + 1));
    return {
      reached: byStep.map((row) => row?.users ?? 0),
      toConvert: byStep.map((row) => (row && times ? toSpread(row) : undefined)),
    };
  };
  const byValue = Map.groupBy(of(2), ({ value }) => value);
  return {
    all: seriesOf(of(1)),
    byValue: program.breakdown && [...byValue].sort(byText).map(([value, found]) => ({ value, ...seriesOf(found) })),
    byEntry: bucketOf && [...byEntry].sort(([a], [b]) => a - b).map(([bucket, reached]) => ({ bucket, reached })),
    spoiled: beside(0),
    withoutUser: 0,
    unheld: 0,
  };
}

function toSpread({ users, elapsed, between }: FigureRow): Spread {
  const [median = 0, p90 = 0] = shares.map((share, index) => {
    const [low, high] = [between[index * 2]! / 1000, between[index * 2 + 1]! / 1000];
    return low + (high - low) * (((users - 1) * share) % 1);
  });
  return { mean: elapsed / users, median, p90 };
}

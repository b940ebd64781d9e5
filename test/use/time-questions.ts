import fc from 'fast-check';
import { wallByIntl } from '../ask/time/zones.ts';

/**
 * A text, and the instant that it names in epoch milliseconds. A date names a day of the question's zone. `wall`: a
 * time of the zone of its source, as if it were UTC.
 */
export type Written =
  | { readonly text: string; readonly instant: number }
  | { readonly text: string; readonly wall: number }
  | { readonly text: string; readonly day: number }
  | { readonly text: string | null };

const daysOf = (from: number, count: number) =>
  fc.integer({ min: 0, max: count - 1 }).map((index) => from + index * 86_400_000);

/** Days on which clocks of `sourceZones` change. */
const changes = fc.constantFrom(Date.UTC(2024, 2, 10), Date.UTC(2024, 2, 31), Date.UTC(2024, 3, 7));

const instants = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: daysOf(Date.UTC(2024, 1, 20), 60) }, changes),
    fc.oneof(fc.integer({ min: 0, max: 86_399 }), fc.integer({ min: 3600, max: 4 * 3600 })),
    fc.constantFrom(0, 0, 500, 125),
  )
  .map(([day, seconds, milliseconds]) => day + seconds * 1000 + milliseconds);

/** Ways to write an instant. */
const forms: readonly ((instant: number) => string)[] = [
  (instant) => new Date(instant).toISOString(),
  (instant) => new Date(instant).toISOString().replace('.000', ''),
  (instant) => new Date(instant).toISOString().replace('T', ' ').replace('.', ',').replace('Z', ' UTC'),
  (instant) => `${wallAt(instant, 330)}+05:30`,
  (instant) => `${wallAt(instant, -300)}-0500`,
  (instant) => `${wallAt(instant, 120).replace('T', ' ')} +02`,
];

/** Ways to write a time without a zone. */
const localForms: readonly ((wall: number) => string)[] = [
  (wall) => wallAt(wall, 0),
  (wall) =>
    wallAt(wall, 0)
      .replace('T', ' ')
      .replace(/\.000$/, ''),
];

function wallAt(instant: number, minutes: number): string {
  return new Date(instant + minutes * 60_000).toISOString().slice(0, -1);
}

const toMinute = (instant: number) => instant - (instant % 60_000);

export const written: fc.Arbitrary<Written> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(instants, fc.constantFrom(...forms))
      .map(([instant, form]) => ({ text: form(instant), instant })),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(instants, fc.constantFrom(...localForms)).map(([wall, form]) => ({ text: form(wall), wall })),
  },
  {
    weight: 2,
    arbitrary: instants
      .map(toMinute)
      .map((instant) => ({ text: `${wallAt(instant, 60).slice(0, 16)}+01:00`, instant })),
  },
  {
    weight: 3,
    arbitrary: daysOf(Date.UTC(2024, 1, 20), 60).map((day) => ({
      text: new Date(day).toISOString().slice(0, 10),
      day,
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(null, '', 'never', '2024-02-30', '2024-03-08T25:00:00Z', '0001-01-01')
      .map((text) => ({ text })),
  },
);

export const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Europe/Berlin'] as const;

/** Zones that sources may declare; undefined for none. */
export const sourceZones = [undefined, 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'] as const;

/** The instant of a text in a zone; undefined if it is no time. */
export function instantOf(one: Written, zone: string, source = 'UTC'): number | undefined {
  if ('instant' in one) return one.instant;
  if ('wall' in one) return instantOfWall(one.wall, source);
  if (!('day' in one)) return undefined;
  return instantOfWall(one.day, zone);
}

/** The first instant at which clocks show a time; if they skip it, that of the jump. */
function instantOfWall(wall: number, zone: string): number {
  const shown = (instant: number) => Date.parse(`${wallByIntl(instant, zone)}Z`);
  const second = wall - (wall % 1000);
  const quarter = 900_000;
  for (let instant = second - 15 * 4 * quarter; instant <= second + 15 * 4 * quarter; instant += quarter)
    if (shown(instant) === second) return instant + (wall - second);
  let instant = Math.floor(second / quarter) * quarter - 15 * 4 * quarter;
  while (shown(instant) < second) instant += quarter;
  return instant;
}

/** The first day of the unit with an instant, as answers write it. */
export function bucketOf(instant: number, unit: 'day' | 'week' | 'month', zone: string): string {
  const day = Date.parse(`${wallByIntl(instant, zone).slice(0, 10)}T00:00:00Z`);
  const start =
    unit === 'day'
      ? day
      : unit === 'week'
        ? day - ((new Date(day).getUTCDay() + 6) % 7) * 86_400_000
        : Date.UTC(new Date(day).getUTCFullYear(), new Date(day).getUTCMonth(), 1);
  return new Date(start).toISOString().slice(0, -1);
}

export interface Timed {
  /** The zone that its source declares. */
  readonly source?: string | undefined;
  readonly plan: string;
  readonly begun: Written;
  readonly due: Written;
}

export const timedEvents = fc.array(fc.record({ plan: fc.constantFrom('free', 'pro'), begun: written, due: written }), {
  minLength: 1,
  maxLength: 15,
});

export const columnsOfTimed = ['utcTime', 'eventType', 'userAnonymousId', 'plan', 'begun', 'due'];

/** The events as written; the last one makes sure that both properties have a time. */
export function toRows(events: readonly Timed[]) {
  return [...events, usual].map(({ plan, begun, due }, index) => ({
    utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString(),
    eventType: 'job',
    userAnonymousId: `u${index}`,
    plan,
    begun: begun.text,
    due: due.text,
  }));
}

export const usual: Timed = {
  plan: 'pro',
  begun: { text: '2024-03-01T00:00:00Z', instant: Date.UTC(2024, 2, 1) },
  due: { text: '2024-03-02T00:00:00Z', instant: Date.UTC(2024, 2, 2) },
};

type Row = readonly (string | number | null)[];

/** Lines with their answers, found one event at a time. The rows are in no order. */
export function timeQuestions(events: readonly Timed[], zone: string): readonly (readonly [string, readonly Row[]])[] {
  const all = [...events, usual].map(({ source, plan, begun, due }) => ({
    plan,
    begun: instantOf(begun, zone, source),
    due: instantOf(due, zone, source),
    // Two dates are whole days apart, whatever the clocks do.
    apart: 'day' in begun && 'day' in due ? due.day - begun.day : undefined,
  }));
  const plans = [...new Set(all.map(({ plan }) => plan))];
  const ofPlan = (plan: string) => all.filter((one) => one.plan === plan).flatMap(({ due }) => due ?? []);
  const end = (of: readonly number[], pick: (...of: number[]) => number) =>
    of.length === 0 ? null : new Date(pick(...of)).toISOString();
  const bucketed = (unit: 'day' | 'week' | 'month', some = all): readonly Row[] =>
    [...Map.groupBy(some, ({ due }) => (due === undefined ? null : bucketOf(due, unit, zone)))].map(([key, group]) => [
      key,
      group.length,
    ]);
  const lengths = (of: typeof all, unit: number) =>
    of
      .flatMap(({ begun, due, apart }) => (begun === undefined || due === undefined ? [] : (apart ?? due - begun)))
      .map((length) => length / unit)
      .toSorted((a, b) => a - b);
  const mean = (of: readonly number[]) => (of.length === 0 ? null : of.reduce((sum, one) => sum + one, 0) / of.length);
  const median = (of: readonly number[]) =>
    of.length === 0 ? null : (of[Math.floor((of.length - 1) / 2)]! + of[Math.ceil((of.length - 1) / 2)]!) / 2;
  const from = bucketStart('2024-03-05', zone);
  const to = bucketStart('2024-03-20', zone);
  const count = (holds: (due: number) => boolean): readonly Row[] => [
    [all.filter(({ due }) => due !== undefined && holds(due)).length],
  ];
  return [
    [
      'min(due), max(due) by plan',
      plans.map((plan) => [plan, end(ofPlan(plan), Math.min), end(ofPlan(plan), Math.max)]),
    ],
    [
      'avg(due - begun in hours), median(due - begun) by plan',
      plans.map((plan) => {
        const some = all.filter((one) => one.plan === plan);
        return [plan, mean(lengths(some, 3_600_000)), median(lengths(some, 1000))];
      }),
    ],
    ['max(days between begun and due)', [[lengths(all, 86_400_000).at(-1) ?? null]]],
    ['count by due day', bucketed('day')],
    ['count by due by week', bucketed('week')],
    ['count by month of due', bucketed('month')],
    [
      'count by due day from 2024-03-05 to 2024-03-19',
      bucketed(
        'day',
        all.filter(({ due }) => due !== undefined && due >= from && due < to),
      ),
    ],
    ['count where due >= 2024-03-05', count((due) => due >= from)],
    ['count where due before 2024-03-05', count((due) => due < from)],
    ['count where due between 2024-03-05 and 2024-03-19', count((due) => due >= from && due < to)],
    ['count where due = 2024-03-10', count((due) => bucketOf(due, 'day', zone) === '2024-03-10T00:00:00.000')],
    [
      'count where due != 2024-03-10',
      [[all.filter(({ due }) => due === undefined || bucketOf(due, 'day', zone) !== '2024-03-10T00:00:00.000').length]],
    ],
    [
      'count where due in (2024-03-10, 2024-03-31)',
      count((due) => ['2024-03-10', '2024-03-31'].includes(bucketOf(due, 'day', zone).slice(0, 10))),
    ],
    ['count where due not in 2024-03', count((due) => bucketOf(due, 'month', zone) !== '2024-03-01T00:00:00.000')],
  ];
}

function bucketStart(day: string, zone: string): number {
  return instantOf({ text: day, day: Date.parse(`${day}T00:00:00Z`) }, zone)!;
}

export const sorted = (rows: readonly Row[]) =>
  rows
    .map((row) =>
      JSON.stringify(row.map((value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value))),
    )
    .toSorted();

import type { Annotation } from '../../../src/ask/chart/annotation.ts';
import type { ChartPreference } from '../../../src/ask/chart/chart-preference.ts';
import type { Funnel } from '../../../src/ask/funnel/funnel.ts';
import type { Column, Value } from '../../../src/plan/column.ts';
import { toFunnelResult } from '../../../src/shape/funnel-result.ts';
import { filled, filledOrZero, partialByPresent, partialByRange } from '../../../src/shape/result/marks.ts';
import type { Result } from '../../../src/shape/result/result.ts';
import { emptyProvenance, exampleResult, numberColumn, textColumn } from '../example-result.ts';

/** A result to draw, with the options of the drawing. */
export interface Specimen {
  readonly result: Result;
  readonly title?: string;
  readonly preference?: ChartPreference;
  readonly annotations?: readonly Annotation[];
}

const dayLength = 86_400_000;

/** Pseudo-random numbers, the same every time. */
export function wobble(index: number, seed = 1): number {
  const x = Math.sin(index * 12.9898 + seed * 78.233) * 43758.5453;
  return x - Math.floor(x);
}

export function days(count: number, first = '2024-01-01'): readonly string[] {
  const start = Date.parse(`${first}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) => new Date(start + index * dayLength).toISOString().slice(0, -1));
}

export function timeColumn(
  granularity: NonNullable<Column['granularity']>,
  name = 'utcTime',
  shortTitle = 'Utc Time',
): Column {
  const member = `TrackedEvents.${name}`;
  return {
    key: `${member}.${granularity}`,
    member,
    kind: 'time',
    type: 'time',
    granularity,
    title: `Tracked Events ${shortTitle}`,
    shortTitle,
    additive: false,
    whenAbsent: null,
  };
}

const day = timeColumn('day');
const week = timeColumn('week');
const count = numberColumn('count', 'Count', { whenAbsent: 0 });
const users = numberColumn('uniqueUsersCount', 'Unique Users Count', { additive: false, whenAbsent: 0 });
const minutes = numberColumn('averageDurationMinutes', 'Average Duration Minutes', { additive: false });
const share = numberColumn('returningUserPercentage', 'Returning User Percentage', {
  additive: false,
  format: 'percent',
});
const path = textColumn('docPath', 'Doc Path');
const browser = textColumn('agentName', 'Agent Name');
const number = (name: string, title: string): Column => ({ ...textColumn(name, title), type: 'number' });

const wave = (length: number, size: number, seed = 1) =>
  Array.from({ length }, (_, index) =>
    Math.round(
      size *
        (0.6 +
          0.3 * Math.sin((index / 7) * 2 * Math.PI) +
          0.25 * wobble(index, seed) +
          (0.3 * index) / Math.max(1, length)),
    ),
  );
const range = (first: string, end: string) => ({
  range: { start: `${first}T00:00:00.000Z`, end: `${end}T00:00:00.000Z` },
});

/** Rows of every combination. */
function crossed(
  places: readonly Value[],
  names: readonly Value[],
  value: (place: number, name: number) => Value,
): readonly [readonly Value[], readonly Value[], readonly Value[]] {
  const rows = places.flatMap((place, at) => names.map((name, index) => [place, name, value(at, index)] as const));
  return [rows.map(([place]) => place), rows.map(([, name]) => name), rows.map(([, , one]) => one)];
}

function series(names: readonly Value[], dayCount: number, measure: Column): Result {
  const [at, name, value] = crossed(days(dayCount), names, (place, index) =>
    Math.round((900 / (index + 1)) * (0.7 + 0.5 * wobble(place, index + 2))),
  );
  return exampleResult(
    [
      [day, at],
      [browser, name],
      [measure, value],
    ],
    {
      provenance: range(
        '2024-01-01',
        days(dayCount + 1)
          .at(-1)!
          .slice(0, 10),
      ),
    },
  );
}

const steps = ['landing', 'pricing', 'sign-up', 'paid'];

function funnel(reached: readonly number[]): Result {
  const result: Funnel = { name: 'checkout', steps: steps.map((name) => ({ name, targets: [] })) } as never;
  return toFunnelResult({
    funnel: result,
    leading: [],
    groups: [
      {
        key: [],
        reached,
        toConvert: reached.map((_, step) => ({ median: step * 95_000, mean: step * 130_000, p90: step * 400_000 })),
      },
    ],
    provenance: { ...emptyProvenance, ...range('2024-02-01', '2024-03-01') },
  });
}

/** Sizes, users and rates of cohorts as a retention returns them; the last period of each is partial. */
function retention(): Result {
  const rows = Array.from({ length: 6 }, (_, cohort) =>
    Array.from({ length: 6 }, (__, period) => {
      const size = 800 + Math.round(400 * wobble(cohort, 4));
      const isInside = cohort + period < 6;
      const part = period === 0 ? 1 : 0.3 / (period + 0.6) + 0.03 * wobble(cohort * 9 + period);
      const back = isInside ? Math.round(size * part) : 0;
      const isOver = cohort + period < 5;
      return { at: days(60)[cohort * 7]!, period, size, back, rate: isInside ? (100 * back) / size : null, isOver };
    }),
  ).flat();
  const flags = rows.map(({ isOver }) => (isOver ? 0 : partialByPresent));
  return exampleResult(
    [
      [timeColumn('week', 'cohort', 'Cohort'), rows.map(({ at }) => at)],
      [number('period', 'Period'), rows.map(({ period }) => period)],
      [numberColumn('size', 'Size', { additive: false }), rows.map(({ size }) => size)],
      [numberColumn('users', 'Users', { additive: false }), rows.map(({ back }) => back)],
      [numberColumn('rate', 'Rate', { additive: false, format: 'percent' }), rows.map(({ rate }) => rate)],
    ],
    { marks: { 'TrackedEvents.users': flags, 'TrackedEvents.rate': flags } },
  );
}

const browsers = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Opera', 'Samsung Internet'];
const manyBrowsers = Array.from({ length: 200 }, (_, index) => `Agent ${index + 1}`);

const compared = (column: Column, suffix: string, label: string): Column => ({
  ...column,
  key: `${column.key}.${suffix}`,
  title: `${column.title} (${label})`,
  shortTitle: `${column.shortTitle} (${label})`,
  whenAbsent: null,
});

/** Results of every chart kind, and difficult cases. */
export const specimens: Readonly<Record<string, Specimen>> = {
  line: {
    result: exampleResult(
      [
        [day, days(30)],
        [users, wave(30, 400)],
      ],
      { provenance: range('2024-01-01', '2024-01-31') },
    ),
    title: 'Daily active users',
  },
  'line-of-series': { result: series(browsers.slice(0, 4), 30, users), title: 'Users by browser' },
  'line-partial-and-filled': {
    result: exampleResult(
      [
        [day, days(30)],
        [users, wave(30, 400).map((value, index) => (index === 9 || index === 10 || index === 20 ? 0 : value))],
      ],
      {
        provenance: { ...range('2024-01-01', '2024-01-31'), zone: 'Europe/Berlin', partialBuckets: 1, filledCells: 3 },
        marks: {
          'TrackedEvents.utcTime.day': days(30).map((_, index) => (index === 29 ? partialByPresent : 0)),
          'TrackedEvents.uniqueUsersCount': days(30).map((_, index) =>
            index === 9 || index === 10 ? filled : index === 20 ? filledOrZero : index === 29 ? partialByPresent : 0,
          ),
        },
      },
    ),
  },
  'line-with-gaps': {
    result: exampleResult([
      [day, days(30).filter((_, index) => index !== 5 && index !== 6)],
      [
        minutes,
        wave(30, 5)
          .filter((_, index) => index !== 5 && index !== 6)
          .map((value, index) =>
            index > 12 && index < 16 ? null : index === 20 ? null : index === 22 ? null : value + 0.25,
          ),
      ],
    ]),
  },
  'line-annotated': {
    result: exampleResult(
      [
        [day, days(60)],
        [users, wave(60, 900)],
      ],
      { provenance: range('2024-01-01', '2024-03-01') },
    ),
    title: 'Daily active users',
    annotations: [
      { date: '2024-01-10', title: 'Release 2.0', kind: 'release' },
      { date: '2024-02-02', title: 'Spring campaign begins', kind: 'campaign' },
      { date: '2024-02-02', title: 'Search was down', kind: 'incident' },
      { date: '2024-02-20T14:30', title: 'Hotfix 2.0.1' },
      { date: '2023-01-01', title: 'Long before' },
    ],
  },
  area: {
    result: exampleResult(
      [
        [day, days(30)],
        [count, wave(30, 4000)],
      ],
      { provenance: range('2024-01-01', '2024-01-31') },
    ),
    title: 'Page views over time',
  },
  'area-stacked': { result: series(browsers.slice(0, 4), 30, count), preference: 'area' },
  column: {
    result: exampleResult(
      [
        [week, Array.from({ length: 12 }, (_, index) => days(85)[index * 7]!)],
        [count, wave(12, 800)],
      ],
      { provenance: range('2024-01-01', '2024-03-25') },
    ),
    title: 'New users by week',
  },
  'column-partial': {
    result: exampleResult(
      [
        [week, Array.from({ length: 6 }, (_, index) => days(85)[index * 7]!)],
        [count, [300, 420, 0, 510, 480, 130]],
      ],
      {
        marks: {
          'TrackedEvents.utcTime.week': [partialByRange, 0, 0, 0, 0, partialByPresent],
          'TrackedEvents.count': [partialByRange, 0, filled, 0, 0, partialByPresent],
        },
      },
    ),
    annotations: [{ date: '2024-01-24', title: 'Release 2.1', kind: 'release' }],
  },
  'column-stacked': {
    result: (() => {
      const [at, name, value] = crossed(
        Array.from({ length: 8 }, (_, index) => days(60)[index * 7]!),
        browsers.slice(0, 4),
        (place, index) => Math.round((500 / (index + 1)) * (0.7 + 0.5 * wobble(place, index))),
      );
      return exampleResult([
        [week, at],
        [browser, name],
        [count, value],
      ]);
    })(),
  },
  'column-of-months': {
    result: exampleResult([
      [
        timeColumn('month'),
        ['2023-11-01T00:00:00.000', '2023-12-01T00:00:00.000', '2024-01-01T00:00:00.000', '2024-02-01T00:00:00.000'],
      ],
      [count, [1200, 1800, 1500, 2100]],
    ]),
  },
  'column-distribution': {
    result: exampleResult([
      [number('pagesPerSession', 'Pages Per Session'), [1, 2, 3, 4, 5, 6, 8, 10]],
      [count, [900, 610, 420, 300, 180, 120, 60, 20]],
    ]),
  },
  bar: {
    result: exampleResult(
      [
        [
          path,
          [
            '/pricing',
            '/',
            '/docs/getting-started',
            '/blog',
            '/docs/reference/configuration/environment-variables',
            '/contact',
          ],
        ],
        [count, [812, 2310, 640, 433, 98, 12]],
      ],
      { provenance: range('2024-02-01', '2024-03-01') },
    ),
    title: 'Top pages',
  },
  'bar-of-averages': {
    result: exampleResult([
      [path, ['/a', '/b', '/c']],
      [minutes, [1.5, 4.25, null]],
    ]),
  },
  'bar-panels': {
    result: exampleResult([
      [path, ['/', '/pricing', '/docs']],
      [count, [2310, 812, 640]],
      [minutes, [1.25, 4.5, 7.75]],
    ]),
    title: 'Entry pages',
  },
  grouped: {
    result: exampleResult([
      [path, ['/', '/pricing', '/docs', '/blog']],
      [count, [2310, 812, 640, 433]],
      [users, [900, 411, 222, 199]],
    ]),
    title: 'Top pages',
  },
  stacked: {
    result: (() => {
      const [at, name, value] = crossed(
        ['/', '/pricing', '/docs', '/blog', '/about'],
        ['pageview', 'link_click', 'custom'],
        (place, index) => Math.round(900 / (place + 1) / (index + 1)),
      );
      return exampleResult([
        [path, at],
        [textColumn('eventType', 'Event Type'), name],
        [count, value],
      ]);
    })(),
  },
  stat: { result: exampleResult([[count, [40_812]]], { provenance: range('2024-02-01', '2024-03-01') }) },
  'stat-with-change': {
    result: exampleResult(
      [
        [compared(count, 'now', '2024-03'), [5020]],
        [users, [812]],
      ]
        .map(
          ([column, values]) =>
            [{ ...(column as Column), key: (column as Column).member }, values] as [Column, Value[]],
        )
        .concat([
          [compared(count, 'previous', '2024-02'), [4410]],
          [compared(count, 'change', 'change'), [610]],
          [compared(users, 'previous', '2024-02'), [903]],
        ]),
    ),
    title: 'This month beside last',
  },
  'stat-several': {
    result: exampleResult([
      [share, [37.5]],
      [count, [1_234_567]],
      [minutes, [null]],
    ]),
    title: 'Returning users',
  },
  compared: {
    result: exampleResult([
      [day, days(31, '2024-03-01')],
      [{ ...count, shortTitle: 'Count (2024-03)' }, wave(31, 500)],
      [compared(day, 'previous', '2024-02'), days(31, '2024-02-01').map((label, index) => (index < 29 ? label : null))],
      [compared(count, 'previous', '2024-02'), wave(31, 420, 3).map((value, index) => (index < 29 ? value : null))],
      [compared(count, 'change', 'change'), days(31).map(() => 1)],
    ]),
  },
  funnel: { result: funnel([4810, 2210, 905, 612]), title: 'Checkout' },
  'funnel-nobody': { result: funnel([120, 0, 0, 0]) },
  'funnel-by-week': {
    result: (() => {
      const labels = Array.from({ length: 8 }, (_, index) => days(60)[index * 7]!);
      return toFunnelResult({
        funnel: { name: 'checkout', steps: steps.map((name) => ({ name })) } as never,
        leading: [{ ...timeColumn('week', 'entry', 'Began'), key: 'checkout.entry.week', member: 'checkout.entry' }],
        groups: labels.map((label, index) => ({
          key: [label],
          reached: [
            1000,
            Math.round(500 + 80 * wobble(index)),
            Math.round(250 + 60 * wobble(index, 2)),
            Math.round(120 + 40 * wobble(index, 3)),
          ],
          toConvert: undefined,
          ...(index === 7 && { flags: partialByPresent }),
        })),
        provenance: emptyProvenance,
      });
    })(),
  },
  'heatmap-cohorts': {
    result: (() => {
      const rows = Array.from({ length: 8 }, (_, cohort) =>
        Array.from(
          { length: 8 - cohort },
          (__, period) =>
            [
              days(60)[cohort * 7]!,
              period,
              period === 0 ? 100 : Math.round(10 * (60 / (period + 0.6) + 6 * wobble(cohort * 9 + period))) / 10,
            ] as const,
        ),
      ).flat();
      return exampleResult([
        [timeColumn('week', 'first_timestamp', 'First Timestamp'), rows.map(([at]) => at)],
        [number('period', 'Week'), rows.map(([, period]) => period)],
        [share, rows.map(([, , value]) => value)],
      ]);
    })(),
    title: 'Retention by week',
  },
  'heatmap-retention': { result: retention() },
  'line-of-cohorts': { result: retention(), preference: 'line' },
  'stacked-lifecycle': {
    result: (() => {
      const statuses = ['dormant', 'new', 'resurrecting', 'returning'];
      const sizes = [-420, 500, 60, 230];
      const [at, name, value] = crossed(
        days(36).filter((_, index) => index % 7 === 0),
        statuses,
        (place, status) => Math.round(sizes[status]! * (0.7 + 0.5 * wobble(place, status + 3))),
      );
      const users = { ...numberColumn('users', 'Users', { additive: false }), disjoint: true };
      return exampleResult([
        [week, at],
        [textColumn('status', 'Status'), name],
        [users, value],
      ]);
    })(),
  },
  'heatmap-of-names': {
    result: (() => {
      const [at, name, value] = crossed(
        Array.from({ length: 14 }, (_, index) => `/page-${index}`),
        browsers,
        (place, index) => (wobble(place, index) < 0.15 ? null : Math.round(100 * wobble(place, index + 4))),
      );
      return exampleResult([
        [path, at],
        [browser, name],
        [users, value],
      ]);
    })(),
  },
  scatter: {
    result: exampleResult([
      [path, Array.from({ length: 60 }, (_, index) => `/page-${index}`)],
      [count, Array.from({ length: 60 }, (_, index) => Math.round(40 + 2000 * wobble(index) ** 3))],
      [minutes, Array.from({ length: 60 }, (_, index) => Math.round(100 * (1 + 8 * wobble(index, 5))) / 100)],
    ]),
    title: 'Views and time',
  },
  'scatter-named': {
    result: exampleResult([
      [path, ['/', '/pricing', '/docs', '/docs/install', '/blog', '</title><b>', '/far-out']],
      [count, [2310, 812, 640, 655, 433, 98, 2290]],
      [minutes, [1.2, 4.5, 7.75, 7.7, 3, 2.5, 1.25]],
    ]),
    preference: 'scatter',
  },
  histogram: {
    result: exampleResult([
      [path, Array.from({ length: 300 }, (_, index) => `/page-${index}`)],
      [
        minutes,
        Array.from({ length: 300 }, (_, index) =>
          index === 7 ? null : Math.round(100 * (1 + 4 * wobble(index) ** 2 + 4 * wobble(index, 5))) / 100,
        ),
      ],
    ]),
    preference: 'histogram',
  },
  'histogram-of-few': {
    result: exampleResult([
      [path, Array.from({ length: 40 }, (_, index) => `/page-${index}`)],
      [count, Array.from({ length: 40 }, (_, index) => Math.round(1 + 7 * wobble(index) ** 2))],
    ]),
    preference: 'histogram',
  },
  panels: {
    result: exampleResult([
      [week, Array.from({ length: 20 }, (_, index) => days(140)[index * 7]!)],
      [count, wave(20, 900)],
      [minutes, wave(20, 8, 4).map((value) => value + 0.5)],
      [share, wave(20, 40, 6)],
    ]),
    title: 'Average session duration',
  },
  'hours-of-the-long-day': {
    result: exampleResult(
      [
        [
          timeColumn('hour'),
          Array.from({ length: 25 }, (_, index) => {
            const instant = Date.parse('2024-10-26T22:00:00Z') + index * 3_600_000;
            const offset = instant < Date.parse('2024-10-27T01:00:00Z') ? 2 : 1;
            return `${new Date(instant + offset * 3_600_000).toISOString().slice(0, -1)}+0${offset}:00`;
          }),
        ],
        [count, wave(25, 60)],
      ],
      {
        provenance: {
          zone: 'Europe/Berlin',
          range: { start: '2024-10-26T22:00:00.000Z', end: '2024-10-27T23:00:00.000Z' },
        },
      },
    ),
  },
  'one-row': {
    result: exampleResult([
      [day, days(1)],
      [users, [17]],
    ]),
  },
  'one-row-line': {
    result: exampleResult([
      [day, days(1)],
      [minutes, [1.75]],
    ]),
  },
  'no-rows': {
    result: exampleResult(
      [
        [day, []],
        [count, []],
      ],
      { provenance: range('2024-02-01', '2024-03-01') },
    ),
  },
  'no-rows-of-names': {
    result: exampleResult([
      [path, []],
      [count, []],
    ]),
  },
  'all-zero': {
    result: exampleResult([
      [day, days(20)],
      [count, days(20).map(() => 0)],
    ]),
  },
  'all-zero-bars': {
    result: exampleResult([
      [path, ['/a', '/b']],
      [count, [0, 0]],
    ]),
  },
  'all-null': {
    result: exampleResult([
      [day, days(20)],
      [minutes, days(20).map(() => null)],
    ]),
  },
  negative: {
    result: exampleResult([
      [day, days(20)],
      [
        numberColumn('balance', 'Balance', { format: 'currency', whenAbsent: 0 }),
        days(20).map((_, index) => Math.round(1000 * Math.sin(index / 3)) / 10),
      ],
    ]),
  },
  'negative-bars': {
    result: exampleResult([
      [path, ['/a', '/b', '/c', '/d']],
      [numberColumn('balance', 'Balance', { whenAbsent: 0 }), [12, -30.5, 0, -4]],
    ]),
  },
  spike: {
    result: exampleResult([
      [day, days(30)],
      [count, days(30).map((_, index) => (index === 17 ? 1_000_000_000 : 12))],
    ]),
  },
  'days-366': {
    result: exampleResult(
      [
        [day, days(366)],
        [count, wave(366, 5000)],
      ],
      { provenance: range('2024-01-01', '2025-01-01') },
    ),
  },
  'series-200': { result: series(manyBrowsers, 14, count) },
  'series-200-not-additive': { result: series(manyBrowsers, 14, users) },
  'bars-200': {
    result: exampleResult(
      [
        [browser, manyBrowsers],
        [count, manyBrowsers.map((_, index) => Math.round(90_000 / (index + 1)))],
      ],
      { provenance: { truncated: { limit: 200 } } },
    ),
  },
  paths: {
    result: exampleResult([
      [textColumn('source'), ['1_/', '1_/', '1_/', '2_/pricing', '2_/pricing', '1_/docs', '1_/docs', '2_/docs']],
      [
        textColumn('target'),
        ['2_/pricing', '2_/docs', '(drop-off)', '3_/signup', '(drop-off)', '2_/pricing', '(drop-off)', '(drop-off)'],
      ],
      [numberColumn('sessions', 'Sessions', { additive: false }), [700, 240, 400, 610, 210, 120, 80, 240]],
      [numberColumn('users', 'Users', { additive: false }), [650, 238, 399, 588, 209, 118, 80, 240]],
      [
        numberColumn('average_seconds', 'Mean time', { additive: false, format: 'seconds' }),
        [12.5, 95, null, 301, null, 44, null, null],
      ],
      [numberColumn('total', 'All sessions', { additive: false }), Array.from({ length: 8 }, () => 1600)],
    ]),
  },
  'paths-hostile': {
    result: exampleResult([
      [textColumn('source'), ['3___proto__', '4_</text><script>alert(1)</script>', '4_\u001b[31mred', '4_constructor']],
      [
        textColumn('target'),
        ['4_</text><script>alert(1)</script>', '(drop-off)', `5_${'長'.repeat(90)}`, `5_${'long/'.repeat(60)}`],
      ],
      [numberColumn('sessions', '=cmd()', { additive: false }), [9, 3, 2, null]],
    ]),
    title: '</title></svg><script>alert("title")</script>',
  },
  'labels-of-the-world': {
    result: exampleResult([
      [
        textColumn('docTitle', 'العنوان'),
        [
          'مرحبا بالعالم',
          '价格与套餐',
          '👩‍👩‍👧‍👦 familia 🇩🇪',
          'Ünïcödé',
          '',
          null,
          'क्षि त्र',
          'a'.repeat(300),
          `${'长'.repeat(80)}end`,
        ],
      ],
      [count, [500, 400, 300, 200, 150, 120, 100, 80, 60]],
    ]),
    title: '标题 عنوان 🎉',
  },
  'long-title': {
    result: exampleResult([
      [day, days(14)],
      [count, wave(14, 50)],
    ]),
    title: 'A title that goes on and on, as some people write them, '.repeat(6).slice(0, 300),
  },
  hostile: {
    result: exampleResult([
      [
        textColumn('a.b[c]"\\', '</script><script>alert(1)</script>'),
        [
          '__proto__',
          'constructor',
          '</script><img src=x onerror=alert(1)>',
          '\u001b[31mred',
          "'; alert(1); '",
          '${alert(1)}',
          'datum.x',
          '\u202eevil',
          '=HYPERLINK("https://evil.example")',
          'null',
          '–',
          null,
        ],
      ],
      [numberColumn('__proto__', 'javascript:alert(1)'), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ]),
    title: '</title></svg><script>alert("title")</script>',
  },
};

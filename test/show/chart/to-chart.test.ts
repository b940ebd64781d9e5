import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChartKind } from '../../../src/ask/chart/chart-preference.ts';
import { InvalidInputError } from '../../../src/ask/sluice-error.ts';
import { toFunnelResult } from '../../../src/shape/funnel-result.ts';
import { filled, others, partialByPresent } from '../../../src/shape/result/marks.ts';
import type { Chart, VegaLiteSpec } from '../../../src/show/chart/chart.ts';
import { toChart } from '../../../src/show/to-chart.ts';
import { toVegaLite } from '../../../src/show/chart/vega-lite/to-vega-lite.ts';
import { sanitize } from '../../../src/show/labels/sanitize.ts';
import { emptyProvenance, exampleResult, numberColumn, textColumn } from '../example-result.ts';
import { anyDrawable } from './arbitrary-drawable.ts';
import { days, specimens, timeColumn } from './specimens.ts';
import { runs } from '../../runs.ts';

const chartOf = (name: string): Chart => {
  const { result, ...options } = specimens[name]!;
  return toChart(result, options);
};
const day = timeColumn('day');
const count = numberColumn('count', 'Count', { whenAbsent: 0 });
const minutes = numberColumn('minutes', 'Minutes', { additive: false });
const path = textColumn('docPath', 'Doc Path');

describe('hours and weekdays', () => {
  const part = (name: 'hour' | 'weekday') => numberColumn(name, name, { kind: 'dimension', format: name });
  const hours = Array.from({ length: 24 }, (_, hour) => hour);

  it('are bars in order, with a place for those without events', () => {
    const chart = toChart(
      exampleResult([
        [part('weekday'), [1, 2, 5, 6]],
        [count, [9, 8, 2, 1]],
      ]),
    );
    expect([chart.kind, chart.x.labels, chart.panels[0]?.series[0]?.values]).toEqual([
      'column',
      ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
      [9, 8, null, null, 2, 1],
    ]);
  });

  it('together are a heat map with hours along the axis, in any order', () => {
    const cells = [1, 2, 6].flatMap((weekday) => hours.map((hour) => [weekday, hour] as const));
    const weekdays = cells.map(([weekday]) => weekday);
    for (const columns of [
      [[part('weekday'), weekdays] as const, [part('hour'), cells.map(([, hour]) => hour)] as const],
      [[part('hour'), cells.map(([, hour]) => hour)] as const, [part('weekday'), weekdays] as const],
    ]) {
      const chart = toChart(exampleResult([...columns, [count, cells.map((_, index) => index)]]));
      expect([chart.kind, chart.x.labels.length, chart.x.labels[9]]).toEqual(['heatmap', 24, '09:00']);
      expect(chart.panels[0]?.series.map(({ label }) => label)).toEqual(['Monday', 'Tuesday', 'Saturday']);
    }
  });
});

describe('the chart kind', () => {
  const kinds: Readonly<Record<string, ChartKind>> = {
    line: 'line',
    'line-of-series': 'line',
    area: 'area',
    column: 'column',
    'column-stacked': 'stacked',
    'column-of-months': 'column',
    'column-distribution': 'column',
    bar: 'bar',
    'bar-panels': 'bar',
    grouped: 'grouped',
    stacked: 'stacked',
    stat: 'stat',
    'stat-with-change': 'stat',
    compared: 'line',
    funnel: 'funnel',
    'funnel-by-week': 'line',
    'heatmap-cohorts': 'heatmap',
    'heatmap-of-names': 'heatmap',
    'heatmap-retention': 'heatmap',
    'line-of-cohorts': 'line',
    'stacked-lifecycle': 'stacked',
    scatter: 'scatter',
    histogram: 'histogram',
    paths: 'sankey',
    'paths-hostile': 'sankey',
    'one-row': 'line',
    'bars-200': 'bar',
  };

  it.each(Object.entries(kinds))('of %s is %s', (name, kind) => {
    expect(chartOf(name).kind).toBe(kind);
  });

  it('is the preferred one', () => {
    const { result } = specimens['area']!;
    expect(
      ['line', 'area', 'column', 'bar', 'stat', 'grouped'].map(
        (preference) => toChart(result, { preference: preference as ChartKind }).kind,
      ),
    ).toEqual(['line', 'area', 'column', 'column', 'stat', 'grouped']);
    expect(toChart(result, { preference: 'none' }).kind).toBe('area');
  });

  it('is refused if it does not fit, with a suitable kind', () => {
    const refused = (name: string, preference: string) => {
      try {
        toChart(specimens[name]!.result, { preference: preference as ChartKind });
        return 'drawn';
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidInputError);
        return `${(error as InvalidInputError).message} ${(error as InvalidInputError).hint}`;
      }
    };
    expect(refused('bar', 'line')).toBe(
      'This result cannot be drawn as line, which requires a time or numeric dimension. Omit the kind of chart: sluice would choose bar.',
    );
    expect(refused('line-of-series', 'stacked')).toMatch('a measure that adds up');
    expect(refused('grouped', 'stacked')).toMatch('adds up');
    expect(refused('bar', 'funnel')).toMatch('a funnel');
    expect(refused('grouped', 'histogram')).toMatch('one measure of many groups, over one range');
    expect(refused('compared', 'histogram')).toMatch('one measure of many groups, over one range');
    expect(refused('stat', 'histogram')).toMatch('one measure of many groups, over one range');
    expect(refused('stacked-lifecycle', 'area')).toMatch(
      'to stack several series, they must add up and never be below 0',
    );
    expect(refused('bar', 'pie')).toMatch('There is no chart "pie".');
    expect(refused('negative-bars', 'stacked')).toMatch('never below 0');
  });

  it('is none if no measure contains numbers', () => {
    expect(() => toChart(exampleResult([[path, ['/']]]))).toThrow('This result has nothing to draw');
  });
});

/** The values in the drawing's own rows for a place and a series. */
function listDrawn(spec: VegaLiteSpec): readonly (readonly [place: unknown, series: unknown, value: number])[] {
  const views = (spec['vconcat'] as readonly VegaLiteSpec[] | undefined) ?? [spec];
  return views.flatMap((view) =>
    (view['data'] as { readonly values: readonly Readonly<Record<string, number | string | null>>[] }).values.flatMap(
      (row) => {
        const height = (name: string) =>
          typeof row[`${name}_end`] === 'number'
            ? (row[`${name}_end`] as number) - (row[`${name}_start`] as number)
            : undefined;
        const value =
          row['y'] ?? row['pale'] ?? row['dashed'] ?? row['before'] ?? row['value'] ?? height('y') ?? height('pale');
        return typeof value === 'number' ? [[row['place'] ?? row['x'], row['series'], value] as const] : [];
      },
    ),
  );
}

const plainNumbers = (values: Iterable<unknown>): boolean =>
  [...values].every(
    (value) => value === null || (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e12),
  );

describe('a time axis with gaps', () => {
  const sparse = (times: readonly string[], ...more: readonly Parameters<typeof exampleResult>[0][number][]) =>
    exampleResult([[day, times.map((time) => `${time}T00:00:00.000`)], [count, times.map((_, at) => at + 1)], ...more]);
  const dates = ['2022-01-01', '2024-01-01', '2024-01-02', '2024-03-20'];

  it('is drawn to scale: columns only if there is room for the empty buckets too', () => {
    expect(toChart(sparse(['2024-01-01', '2024-01-02', '2024-01-05'])).kind).toBe('column');
    expect(toChart(sparse(['2024-01-01', '2024-01-02', '2024-03-20', '2024-04-21'])).kind).toBe('area');
    expect(JSON.stringify(toVegaLite(toChart(sparse(dates), { preference: 'column' })))).toContain('labelSeparation');
    const chart = toChart(sparse(dates));
    expect([chart.kind, chart.notes]).toEqual(['area', []]);
    // The line of two days would be too short to be seen.
    const rows = (toVegaLite(chart)['data'] as { values: readonly VegaLiteSpec[] }).values;
    expect(rows.flatMap(({ alone }) => alone ?? [])).toEqual([1, 2, 3, 4]);
  });

  it('names the year of each date if few dates begin one', () => {
    const weeks = ['2023-12-18', '2023-12-25', '2024-01-01', '2024-01-08'].map((date) => `${date}T00:00:00.000`);
    const chart = toChart(
      exampleResult([
        [timeColumn('week'), weeks],
        [count, [1, 2, 3, 4]],
      ]),
      { preference: 'line' },
    );
    expect(JSON.stringify(toVegaLite(chart))).toContain('"format":"%Y-%m-%d"');
    expect(JSON.stringify(toVegaLite(toChart(sparse(dates), { preference: 'line' })))).toContain('"tickCount":11');
  });

  it.each(['column', 'heatmap'] as const)('shows where the bands of a %s leave time out', (preference) => {
    const name = [path, dates.map((_, at) => (at % 2 === 0 ? '/' : '/a'))] as const;
    const chart = toChart(preference === 'column' ? sparse(dates) : sparse(dates, name), { preference });
    expect(chart.x.labels.map((label) => label.trim())).toEqual([
      '2022-01-01',
      '…',
      '2024-01-01',
      '2024-01-02',
      '…',
      '2024-03-20',
    ]);
    expect(new Set(chart.x.labels).size).toBe(6);
    expect(chart.notes).toEqual(['… stands for a longer time without rows, which is not drawn to scale.']);
    if (preference === 'column') expect(JSON.stringify(toVegaLite(chart)).match(/"sign":"…"/g)).toHaveLength(2);
  });
});

describe('the values of a chart', () => {
  it('add up to the answer if they are additive, and else are single values of it', () => {
    let added = 0;
    fc.assert(
      fc.property(anyDrawable, ({ result, measures, time }) => {
        fc.pre(measures.every(({ key }) => plainNumbers(result.values(key))));
        const chart = toChart(result);
        fc.pre(
          chart.kind !== 'stat' && chart.kind !== 'scatter' && !chart.notes.some((note) => note.includes('left out')),
        );
        for (const panel of chart.panels) {
          const drawn = panel.series.flatMap(({ values }) => values).filter((value) => value !== null);
          // Titles that are equal after sanitizing do not identify the panel.
          const own = measures.filter(
            ({ shortTitle, key, title }) =>
              panel.series.length > 0 &&
              ((chart.panels.length === 1 && measures.length === 1) ||
                [shortTitle, title, key].map(sanitize).includes(panel.title)),
          );
          if (own.length !== 1) continue;
          const values = [...result.values(own[0]!.key)].map((value) => (value === null ? null : Number(value)));
          if (!own[0]!.additive) {
            for (const value of drawn) expect(values).toContain(value);
            continue;
          }
          const rows = time ? [...result.values(time.key)] : values.map(() => '');
          const whole = values.reduce<number>((sum, value, row) => (rows[row] === null ? sum : sum + (value ?? 0)), 0);
          const size = values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 1);
          expect(Math.abs(drawn.reduce((sum, value) => sum + value, 0) - whole) / size).toBeLessThan(1e-9);
          added += 1;
        }
      }),
      { numRuns: runs(400) },
    );
    expect(added).toBeGreaterThan(20);
  });

  it('are unchanged in the drawing', () => {
    fc.assert(
      fc.property(anyDrawable, ({ result }) => {
        const chart = toChart(result);
        fc.pre(chart.kind !== 'stat' && chart.kind !== 'scatter');
        const drawn = listDrawn(toVegaLite(chart));
        const expected = chart.panels.flatMap(({ series }) =>
          series.flatMap(({ label, values }) =>
            values.flatMap((value) => (value === null ? [] : [[label, value] as const])),
          ),
        );
        if (expected.length === 0) return;
        expect(drawn.length).toBe(expected.length);
        drawn.forEach(([, series, value], index) => {
          const [label, wanted] = expected[index]!;
          expect(series).toBe(label);
          expect(Math.abs(value - wanted)).toBeLessThanOrEqual(
            1e-9 * Math.max(1, ...expected.map(([, each]) => Math.abs(each))),
          );
        });
      }),
      { numRuns: runs(150) },
    );
  });

  it('are stacked from 0 up without a gap', () => {
    for (const name of ['column-stacked', 'area-stacked', 'stacked']) {
      const tops = new Map<unknown, number>();
      for (const row of (
        toVegaLite(chartOf(name))['data'] as { readonly values: readonly Readonly<Record<string, number | string>>[] }
      ).values) {
        const place = row['place'] ?? row['x'];
        expect(row['y_start']).toBe(tops.get(place) ?? 0);
        tops.set(place, row['y_end'] as number);
      }
      expect(Math.max(...tops.values())).toBeGreaterThan(700);
    }
  });

  it('that are not finite are left out with a note', () => {
    const chart = toChart(
      exampleResult([
        [path, ['/a', '/b', '/c', '/d']],
        [count, [1, '1e400', 'no number', 12345678901234567890n]],
      ]),
    );
    expect(chart.panels[0]?.series[0]?.values.filter((value) => value !== null)).toEqual([12345678901234567000, 1]);
    expect(chart.notes).toEqual(['Count: 2 of the values cannot be drawn, because they are not finite numbers.']);
  });
});

describe('a chart over time', () => {
  const linesOf = (spec: VegaLiteSpec) =>
    (spec['data'] as { readonly values: readonly Readonly<Record<string, unknown>>[] }).values;

  it('has a place for each missing bucket, and breaks there', () => {
    const chart = toChart(
      exampleResult([
        [day, [...days(3), ...days(2, '2024-01-06')]],
        [minutes, [1, 2, 3, 6, 7]],
      ]),
    );
    expect(chart.panels[0]?.series[0]?.values).toEqual([1, 2, 3, null, null, 6, 7]);
    expect(linesOf(toVegaLite(chart)).map((row) => row['y'])).toEqual([1, 2, 3, null, null, 6, 7]);
  });

  it('breaks once if the gap is wider than a picture', () => {
    const chart = toChart(
      exampleResult([
        [day, [...days(2), ...days(2, '2034-01-06')]],
        [minutes, [1, 2, 3, 4]],
      ]),
    );
    expect(chart.panels[0]?.series[0]?.values).toEqual([1, 2, null, 3, 4]);
  });

  it('shows a single value as a point', () => {
    const chart = toChart(
      exampleResult([
        [day, days(5)],
        [minutes, [1, null, 3, null, 5]],
      ]),
    );
    expect(linesOf(toVegaLite(chart)).map((row) => row['alone'])).toEqual([1, undefined, 3, undefined, 5]);
  });

  it('dashes the line to and from a partial bucket, and draws it only once', () => {
    const flags = days(5).map((_, index) => (index === 4 ? partialByPresent : 0));
    const chart = toChart(
      exampleResult(
        [
          [day, days(5)],
          [minutes, [1, 2, 3, 4, 5]],
        ],
        { marks: { [day.key]: flags } },
      ),
    );
    const rows = linesOf(toVegaLite(chart));
    expect(rows.map((row) => row['y'])).toEqual([1, 2, 3, 4, null]);
    expect(rows.map((row) => row['dashed'])).toEqual([null, null, null, 4, 5]);
    expect(chart.notes).toEqual(['Dashed: partial, cut by the present.']);
  });

  it('marks filled values', () => {
    const chart = toChart(
      exampleResult(
        [
          [day, days(14)],
          [count, days(14).map((_, index) => (index === 2 ? 0 : 5))],
        ],
        { marks: { [count.key]: days(14).map((_, index) => (index === 2 ? filled : 0)) } },
      ),
    );
    expect(
      linesOf(toVegaLite(chart)).flatMap((row) => (row['filled'] === undefined ? [] : [[row['x'], row['filled']]])),
    ).toEqual([[Date.UTC(2024, 0, 3), 0]]);
    expect(chart.notes).toEqual(['○ filled: there were no rows.']);
  });

  it('keeps all 25 hours of the long day apart, each an hour wide, with local labels', () => {
    const { x } = chartOf('hours-of-the-long-day');
    expect(x.positions.map((position, place) => position - x.positions[0]! - place * 3_600_000)).toEqual(
      x.positions.map(() => 0),
    );
    expect(x.labels.slice(2, 4)).toEqual(['2024-10-27 02:00+02:00', '2024-10-27 02:00+01:00']);
    expect(x.ticks?.map(({ position, label }) => [(position - x.positions[0]!) / 3_600_000, label])).toEqual([
      [0, 'Oct 27'],
      [4, '03:00'],
      [7, '06:00'],
      [10, '09:00'],
      [13, '12:00'],
      [16, '15:00'],
      [19, '18:00'],
      [22, '21:00'],
    ]);
  });

  it('uses local time of the zone if its offset is constant', () => {
    const hours = ['2024-07-01T22:00:00.000+05:30', '2024-07-01T23:00:00.000+05:30'];
    const { x } = toChart(
      exampleResult(
        [
          [timeColumn('hour'), hours],
          [minutes, [1, 2]],
        ],
        { provenance: { zone: 'Asia/Kolkata' } },
      ),
    );
    expect(x.positions).toEqual([Date.UTC(2024, 6, 1, 22), Date.UTC(2024, 6, 1, 23)]);
    expect(x.ticks).toBeUndefined();
  });

  it('draws times without a granularity, which come in UTC, in local time', () => {
    const time = {
      ...timeColumn('day'),
      kind: 'dimension' as const,
      granularity: undefined,
      key: 'TrackedEvents.utcTime',
    };
    const { x } = toChart(
      exampleResult(
        [
          [time, ['2024-07-01T22:30:00.000']],
          [minutes, [1]],
        ],
        { provenance: { zone: 'Europe/Berlin' } },
      ),
    );
    expect([x.positions, x.labels]).toEqual([[Date.UTC(2024, 6, 2, 0, 30)], ['2024-07-02 00:30:00']]);
  });

  it('shows the annotations within its range, in order, in local time', () => {
    const annotations = [
      { date: '2024-01-03T23:30:00Z', title: 'late' },
      { date: '2024-01-02', title: 'day', kind: 'release' },
      { date: '2023-12-31', title: 'before' },
      { date: '2024-01-06', title: 'after' },
      { date: 'no date', title: 'never' },
    ];
    const chart = toChart(
      exampleResult(
        [
          [day, days(5)],
          [minutes, [1, 2, 3, 4, 5]],
        ],
        { provenance: { zone: 'Europe/Berlin' } },
      ),
      { annotations },
    );
    expect(chart.annotations).toEqual([
      { position: Date.UTC(2024, 0, 2), date: '2024-01-02', title: 'day', kind: 'release' },
      { position: Date.UTC(2024, 0, 4, 0, 30), date: '2024-01-04 00:30', title: 'late', kind: undefined },
    ]);
    expect(JSON.stringify(toVegaLite(chart))).toContain('1  2024-01-02  day (release)');
  });

  it('names its range in the zone, including the last day', () => {
    const at = (start: string, end: string) =>
      toChart(
        exampleResult(
          [
            [day, days(2)],
            [minutes, [1, 2]],
          ],
          { provenance: { zone: 'Europe/Berlin', range: { start, end } } },
        ),
      ).subtitle;
    expect(at('2023-12-31T23:00:00.000Z', '2024-01-31T23:00:00.000Z')).toBe('2024-01-01 to 2024-01-31 · Europe/Berlin');
    expect(at('2023-12-31T23:00:00.000Z', '2024-01-01T23:00:00.000Z')).toBe('2024-01-01 · Europe/Berlin');
    expect(at('2024-01-01T09:30:00.000Z', '2024-01-01T12:00:00.000Z')).toBe(
      '2024-01-01 10:30 to 2024-01-01 13:00 · Europe/Berlin',
    );
  });
});

describe('a chart of many series', () => {
  it('draws ten series, and sums all others if they are additive', () => {
    const chart = chartOf('series-200');
    const { series } = chart.panels[0]!;
    expect(series.map(({ label, role }) => `${label} ${role}`)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `Agent ${index + 1} plain`),
      'Other other',
    ]);
    expect(chart.notes).toEqual(['Agent Name: the largest 10 of 200; the other 190 together are Other.']);
  });

  it('leaves the others out with a note if they are not additive', () => {
    const chart = chartOf('series-200-not-additive');
    expect(chart.panels[0]?.series.length).toBe(10);
    expect(chart.notes).toEqual([
      'Agent Name: the largest 10 of 200; 190 are left out, because this measure cannot be added up.',
    ]);
  });

  it('keeps the groups farthest from 0 if some are negative, in the order of their values', () => {
    const balances = Array.from({ length: 30 }, (_, index) => 5 - index * 10);
    const names = balances.map(String);
    const { x, panels, notes } = toChart(
      exampleResult([
        [path, names],
        [count, balances],
      ]),
    );
    // Those nearest to 0 are Other: 5, -5, ... -85.
    expect(x.labels).toEqual([...names.slice(10), 'Other']);
    const near = balances.slice(0, 10).reduce((sum, each) => sum + each);
    expect(panels[0]?.series[0]?.values).toEqual([...balances.slice(10), near]);
    expect(notes).toEqual(['Doc Path: the largest 20 of 30 by absolute value; the other 10 together are Other.']);

    const [lines] = toChart(
      exampleResult([
        [day, balances.map(() => '2024-03-01')],
        [path, names],
        [count, balances],
      ]),
      { preference: 'line' },
    ).panels;
    expect(lines?.series.map(({ label }) => label)).toEqual([...names.slice(20), 'Other']);
  });

  it('gives no figure of others for a measure that is not additive next to one that is', () => {
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
    const chart = toChart(
      exampleResult([
        [path, names],
        [count, names.map((_, index) => 100 - index)],
        [minutes, names.map(() => 2)],
      ]),
      { preference: 'bar' },
    );
    expect(chart.panels.map(({ series }) => series[0]?.values.at(-1))).toEqual([755, null]);
    expect(chart.notes).toContain('Other has no Minutes: it cannot be added up.');
  });

  describe('of an answer that has a row for all others', () => {
    const plan = textColumn('plan', 'Plan');
    const withOthers = (size: number) => {
      const names = [...Array.from({ length: size }, (_, index) => `n${index}`), 'Other'];
      return exampleResult(
        [
          [path, names],
          [count, names.map((_, index) => (index === size ? 5000 : 100 - index))],
        ],
        { marks: { [path.key]: names.map((_, index) => (index === size ? others : 0)) } },
      );
    };

    it('shows them last, not as the largest group', () => {
      const { x } = toChart(withOthers(3));
      expect([x.labels, x.other]).toEqual([['n0', 'n1', 'n2', 'Other'], 3]);
    });

    it('adds the groups without room to them', () => {
      const { x, panels, notes } = toChart(withOthers(30));
      expect([x.labels.length, x.labels.at(-1), x.other]).toEqual([21, 'Other', 20]);
      const rest = Array.from({ length: 10 }, (_, index) => 80 - index).reduce((sum, each) => sum + each);
      expect(panels[0]?.series[0]?.values.at(-1)).toBe(5000 + rest);
      expect(notes).toEqual(['Doc Path: the largest 20 of 30; the other 10 are added to Other.']);
    });

    it('draws them as the series of all others', () => {
      const series = toChart(
        exampleResult(
          [
            [day, days(2).flatMap((each) => [each, each])],
            [path, ['/', 'Other', '/', 'Other']],
            [count, [1, 9, 2, 8]],
          ],
          { marks: { [path.key]: [0, others, 0, others] } },
        ),
      ).panels[0]?.series;
      expect(series?.map(({ label, role, values }) => [label, role, values])).toEqual([
        ['/', 'plain', [1, 2]],
        ['Other', 'other', [9, 8]],
      ]);
    });

    it('keeps them apart from the group without a name', () => {
      const chart = toChart(
        exampleResult(
          [
            [path, ['/', '/', 'Other']],
            [plan, [null, 'free', null]],
            [count, [3, 2, 5000]],
          ],
          { marks: { [path.key]: [0, 0, others], [plan.key]: [0, 0, others] } },
        ),
        { preference: 'stacked' },
      );
      const names = chart.panels[0]?.series.map(({ label, values }) => [label, values]);
      expect([chart.x.labels, names]).toEqual([
        ['/', 'Other'],
        [
          ['–', [3, null]],
          ['free', [2, null]],
          ['Other', [null, 5000]],
        ],
      ]);
    });
  });

  it('does not group a single series', () => {
    const names = Array.from({ length: 21 }, (_, index) => `n${index}`);
    expect(
      toChart(
        exampleResult([
          [path, names],
          [count, names.map((_, index) => index)],
        ]),
      ).x.labels,
    ).toEqual([...names].reverse());
  });

  it('sorts bars by size, unless the query sorts them by name', () => {
    const result = exampleResult([
      [path, ['/c', '/a', '/b']],
      [count, [2, 3, 1]],
    ]);
    const ordered = exampleResult(
      [
        [path, ['/c', '/a', '/b']],
        [count, [2, 3, 1]],
      ],
      { provenance: { query: { measures: [count.key], dimensions: [path.key], order: [[path.key, 'desc']] } } },
    );
    expect(toChart(result).x.labels).toEqual(['/a', '/c', '/b']);
    expect(toChart(ordered).x.labels).toEqual(['/c', '/a', '/b']);
  });

  it('distinguishes names that look the same', () => {
    const { x } = toChart(
      exampleResult([
        [path, ['–', null, 'a\u202e', 'a', '__proto__']],
        [count, [5, 4, 3, 2, 1]],
      ]),
    );
    expect(x.labels).toEqual(['–', '– (2)', 'a', 'a (2)', '"__proto__"']);
  });

  it('puts measures on one scale only if they have the same unit and size', () => {
    const titles = (measures: readonly (readonly [string, number, Partial<typeof count>?])[]) =>
      toChart(
        exampleResult([
          [day, days(20)],
          ...measures.map(
            ([name, size, more]) =>
              [numberColumn(name, name, { whenAbsent: 0, ...more }), days(20).map(() => size)] as const,
          ),
        ]),
      ).panels.map(({ title }) => title);
    expect(
      titles([
        ['a', 10],
        ['b', 100],
      ]),
    ).toEqual(['a, b']);
    expect(
      titles([
        ['a', 10],
        ['b', 1000],
      ]),
    ).toEqual(['a', 'b']);
    expect(
      titles([
        ['a', 10],
        ['b', 10, { format: 'percent' }],
      ]),
    ).toEqual(['a', 'b']);
    expect(
      titles([
        ['a', 10],
        ['b', 10, { additive: false, whenAbsent: null }],
      ]),
    ).toEqual(['a', 'b']);
    expect(
      titles([
        ['a', 1],
        ['b', 100],
        ['c', 10_000],
        ['d', 1e6],
        ['e', 1e8],
      ]),
    ).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a comparison', () => {
  it('draws the earlier range next to the current one', () => {
    const { panels, title } = chartOf('compared');
    expect(title).toBe('Count by day');
    expect(panels.map(({ series }) => series.map(({ label, role }) => [label, role]))).toEqual([
      [
        ['2024-03', 'plain'],
        ['2024-02', 'previous'],
      ],
    ]);
  });

  it('shows how a figure changed', () => {
    expect(JSON.stringify(toVegaLite(chartOf('stat-with-change')))).toContain('Count: +13.8% from 4,410 (2024-02)');
  });

  it('shows no change if the comparison has none, because a range is incomplete', () => {
    const chart = toChart(
      exampleResult([
        [{ ...count, shortTitle: 'Count (2024-03)' }, [50]],
        [{ ...count, key: `${count.key}.previous`, shortTitle: 'Count (2024-02)' }, [0]],
        [{ ...count, key: `${count.key}.change` }, [null]],
      ]),
      { preference: 'stat' },
    );
    expect(JSON.stringify(toVegaLite(chart))).toContain('before: 0 (2024-02)');
  });

  it('names the range or bucket that a figure covers, not the whole range of the answer', () => {
    const whole = { range: { start: '2024-02-01T00:00:00.000Z', end: '2024-04-01T00:00:00.000Z' } };
    const drawn = (result: Parameters<typeof toChart>[0]) => {
      const chart = toChart(result, { preference: 'stat' });
      return [chart.subtitle, ...chart.panels.flatMap(({ series }) => series.map((one) => [one.label, ...one.values]))];
    };
    const now = { ...count, shortTitle: 'Count (2024-03)' };
    const before = { ...count, key: `${count.key}.previous`, shortTitle: 'Count (2024-02)' };
    expect(
      drawn(
        exampleResult(
          [
            [now, [50]],
            [before, [40]],
          ],
          { provenance: whole },
        ),
      ),
    ).toEqual(['2024-03 · UTC', ['Count', 50], ['2024-02', 40]]);
    const dayBefore = { ...day, key: `${day.key}.previous` };
    const lasting = days(3, '2024-03-01');
    expect(
      drawn(
        exampleResult(
          [
            [day, lasting],
            [count, [7, 8, 9]],
          ],
          { provenance: whole },
        ),
      ),
    ).toEqual(['2024-03-03 · UTC', ['2024-03-03', 9], ['2024-03-02', 8]]);
    // Over time, the last day is compared with the day that stands beside it.
    expect(
      drawn(
        exampleResult([
          [day, lasting],
          [now, [7, 8, 9]],
          [dayBefore, days(3, '2024-02-01')],
          [before, [1, 2, 3]],
        ]),
      ),
    ).toEqual(['2024-03-03 · UTC', ['2024-03-03', 9], ['2024-02-03', 3]]);
  });

  it('of ranges in separate rows is read from its rows', () => {
    const range = { ...path, key: 'compareDateRange', member: 'compareDateRange', kind: 'compare' as const };
    const chart = toChart(
      exampleResult([
        [
          range,
          ['2024-03-01T00:00:00.000 - 2024-03-31T23:59:59.999', '2024-02-01T00:00:00.000 - 2024-02-29T23:59:59.999'],
        ],
        [count, [50, 40]],
      ]),
    );
    expect(chart.kind).toBe('stat');
    expect(JSON.stringify(toVegaLite(chart))).toContain('+25% from 40 (2024-02)');
  });
});

describe('a histogram', () => {
  it('counts every group once, in the bin that its label names, or reports it as not numeric', () => {
    fc.assert(
      fc.property(anyDrawable, ({ result, measures, time, names }) => {
        fc.pre(measures.length === 1 && (time !== undefined || names.length > 0));
        const chart = toChart(result, { preference: 'histogram' });
        const told = (words: RegExp) =>
          Number((chart.notes.find((note) => words.test(note)) ?? '0').split(' ')[0]!.replaceAll(',', ''));
        const counts = chart.panels[0]?.series[0]?.values ?? [];
        expect(
          counts.reduce<number>((sum, each) => sum + (each ?? 0), 0) +
            told(/^\S+ groups? (?:has|have) no .* not in any bar\.$/) +
            told(/^\S+ groups? (?:is|are) not in any bar, because/),
        ).toBe(result.rowCount);
        expect(new Set(chart.x.labels).size).toBe(chart.x.labels.length);
      }),
      { numRuns: runs(300) },
    );
  });

  it('names the measure, the width of its bins, and what it leaves out', () => {
    const chart = toChart(
      exampleResult(
        [
          [path, ['/', '/a', '/b', '/c', '/d', '/e']],
          [minutes, [1.1, 1.2, 2.7, 3.1, null, Number.NaN]],
        ],
        { marks: { 'TrackedEvents.minutes': [partialByPresent, 0, 0, 0, 0, 0] } },
      ),
      { preference: 'histogram' },
    );
    expect([chart.title, chart.x.title, chart.x.labels, chart.panels[0]?.series[0]?.values]).toEqual([
      'Distribution of Minutes by Doc Path',
      'Minutes, in bins of 0.5',
      ['1.0–1.5', '1.5–2.0', '2.0–2.5', '2.5–3.0', '3.0–3.5'],
      [2, 0, 0, 1, 1],
    ]);
    expect(chart.notes).toEqual([
      'Each bar counts the groups in its bin (4 in total). Values range from 1.1 to 3.1; half are at most 1.95.',
      '1 group has no Minutes and is not in any bar.',
      '1 group is not in any bar, because its value is not finite.',
      '1 group is a time that is cut by the range or the present.',
    ]);
  });

  it('of few tiny numbers has several bins, and labels without noise', () => {
    const values = [5e-10, 1e-9, 1.999999999999981e-8, 3.3e-7, 4.4e-7];
    const chart = toChart(
      exampleResult([
        [path, ['/', '/a', '/b', '/c', '/d']],
        [numberColumn('weight', 'Weight'), values],
      ]),
      { preference: 'histogram' },
    );
    expect(chart.panels[0]?.series[0]?.values).toEqual([3, 0, 0, 1, 1]);
    expect(chart.notes).toEqual([
      'Each bar counts the groups in its bin (5 in total). Values range from 5e-10 to 4.4e-7; half are at most 2e-8.',
    ]);
    expect(JSON.stringify(toVegaLite(chart))).toContain(`"labelExpr":"datum.value == 0 ? '0' : datum.label"`);
  });

  it('of whole numbers has bins of whole numbers', () => {
    expect(chartOf('histogram-of-few').x).toMatchObject({
      title: 'Count',
      ends: [],
      labels: ['1', '2', '3', '4', '5', '6', '7', '8'],
    });
    const values = Array.from({ length: 100 }, (_, index) => index * 10);
    expect(
      toChart(
        exampleResult([
          [path, values.map((each) => `/${each}`)],
          [count, values],
        ]),
        { preference: 'histogram' },
      ).x,
    ).toMatchObject({ title: 'Count, in bins of 200', labels: ['0–199', '200–399', '400–599', '600–799', '800–999'] });
  });

  it('drops a number format with too few decimals', () => {
    const { x, notes } = toChart(
      exampleResult([
        [path, ['/', '/a']],
        [{ ...minutes, format: 'currency' }, [0.001, 0.004]],
      ]),
      { preference: 'histogram' },
    );
    expect(new Set(x.labels).size).toBe(x.labels.length);
    expect([x.format, notes[0]]).toEqual([undefined, expect.stringContaining('from 0.001 to 0.004') as string]);
  });

  it('of no values has no bars', () => {
    const { x, notes } = toChart(
      exampleResult([
        [path, ['/']],
        [minutes, [null]],
      ]),
      { preference: 'histogram' },
    );
    expect([x.labels, notes]).toEqual([[], ['1 group has no Minutes and is not in any bar.']]);
  });
});

describe('the chart of a funnel', () => {
  it('shows who continued and who dropped off', () => {
    const { x, panels } = chartOf('funnel');
    expect(panels[0]?.series[0]?.values).toEqual([4810, 2210, 905, 612]);
    expect(x.asides).toEqual([
      '',
      '45.9% continued, 2,600 dropped off, median 1 min 35 s since step 1',
      '41.0% continued, 1,305 dropped off, median 3 min 10 s since step 1',
      '67.6% continued, 293 dropped off, median 4 min 45 s since step 1',
    ]);
  });

  it('over time shows the share that reached each step', () => {
    const { kind, panels, x, title, subtitle } = chartOf('funnel-by-week');
    expect([kind, x.labels.length, panels[0]?.format]).toEqual(['line', 8, 'percent']);
    expect([title, panels[0]?.title, panels[0]?.series.map(({ label }) => label)]).toEqual([
      'checkout: conversion from landing by week of entry',
      'Conversion from landing',
      ['2 pricing', '3 sign-up', '4 paid'],
    ]);
    expect(toChart(specimens['funnel-by-week']!.result, { title: 'Sales' })).toMatchObject({
      title: 'Sales',
      subtitle: `${title} · ${subtitle}`,
    });
    for (const { values } of panels[0]?.series ?? [])
      for (const value of values) expect(value).toSatisfy((share: number) => share > 0 && share < 60);
  });

  it('by a dimension has its values along the axis, and the steps in order', () => {
    const groups = [
      { key: ['Safari'], reached: [10, 7, 7, 7], toConvert: undefined },
      { key: ['Chrome'], reached: [20, 20, 4, 0], toConvert: undefined },
    ];
    const { title, x, panels } = toChart(
      toFunnelResult({
        funnel: { name: 'checkout', steps: ['a', 'b', 'c', 'b'].map((name) => ({ name })) } as never,
        leading: [textColumn('agentName', 'Browser')],
        groups,
        provenance: emptyProvenance,
      }),
    );
    expect([title, x.labels]).toEqual(['checkout: conversion from a by Browser', ['Chrome', 'Safari']]);
    expect(panels[0]?.series.map(({ label, values }) => [label, values])).toEqual([
      ['2 b', [100, 70]],
      ['3 c', [20, 70]],
      ['4 b', [0, 70]],
    ]);
  });
});

describe('a fragment of Vega-Lite', () => {
  const draw = (preference: Record<string, unknown>) => toVegaLite(toChart(specimens['line']!.result, { preference }));

  it('is merged over the drawing', () => {
    const spec = draw({
      mark: { type: 'area', interpolate: 'monotone' },
      encoding: { y: { scale: { type: 'log' } } },
      config: { axis: { grid: false } },
      height: 90,
    });
    const [area, line] = spec['layer'] as readonly VegaLiteSpec[];
    expect(spec['height']).toBe(90);
    expect(spec['config']).toMatchObject({ axis: { grid: false, labelFontSize: 11 } });
    expect(area).toMatchObject({
      mark: { type: 'area', interpolate: 'monotone' },
      encoding: { y: { field: 'area', scale: { type: 'log' } } },
    });
    expect(line).toMatchObject({ mark: { type: 'line', interpolate: 'monotone' } });
  });

  it('draws bars on a logarithmic scale, which has no 0', () => {
    const chart = toChart(specimens['bar']!.result, { preference: { encoding: { x: { scale: { type: 'log' } } } } });
    const { layer } = toVegaLite(chart) as { layer: readonly { encoding: { x: { scale: object } } }[] };
    for (const { encoding } of layer) expect(encoding.x.scale).toEqual({ type: 'log', nice: true });
  });

  it.each([
    { data: { url: 'https://example.org' } },
    { encoding: { x: { field: 'TrackedEvents.count' } } },
    { mark: { type: 'line', href: 'https://example.org' } },
    { transform: [] },
    { layer: [] },
    { mark: 'arc' },
  ])('may not contain %j', (preference) => {
    expect(() => draw(preference)).toThrow(InvalidInputError);
  });

  it.each([
    { width: 1e9 },
    { height: Infinity },
    { width: { step: 1e6 } },
    { encoding: { x: { axis: { tickCount: 1e9 } } } },
    { mark: { type: 'line', strokeWidth: NaN } },
    { encoding: { x: { axis: { tickCount: { interval: 'millisecond', step: 10 } } } } },
    { encoding: { x: { axis: { tickCount: 'second' } } } },
  ])('may not use unbounded memory: %j', (preference) => {
    expect(() => draw(preference)).toThrow(/is larger than 10,000|draws a tick every/);
  });

  it('may be large, and span any values', () => {
    const spec = draw({
      width: 4000,
      encoding: { y: { scale: { domain: [0, 1e12] } }, x: { axis: { tickCount: 'week' } } },
    });
    expect(spec['width']).toBe(4000);
  });
});

describe('retention charts', () => {
  it('show only the rates, with cohort sizes next to the labels', () => {
    const { panels, notes } = chartOf('heatmap-retention');
    expect(panels.map(({ series }) => series.length)).toEqual([6]);
    const { result } = specimens['heatmap-retention']!;
    const sizes = result.rows().filter((row) => row['TrackedEvents.period'] === 0);
    expect(panels[0]!.series.map(({ label }) => label)).toEqual(
      sizes.map((row, index) => `2024-W0${index + 1} (${Number(row['TrackedEvents.size']).toLocaleString('en-US')})`),
    );
    expect(notes).toContain('In brackets: Size.');
    expect(panels[0]!.series.at(-1)!.values.slice(0, 2)).toEqual([100, null]);
  });

  it('with a breakdown show each value, largest first, and name the omitted ones', () => {
    const browsers = ['Edge', 'Chrome', 'Opera', 'Safari', 'Firefox', null];
    const sizes = [30, 900, 20, 700, 400, 50];
    const rows = ['2024-01-01', '2024-01-08', '2024-01-15'].flatMap((week, cohort) =>
      [0, 1, 2].flatMap((period) =>
        // The last cohort has no user of the largest value.
        browsers.flatMap((browser, index) => {
          const size = sizes[index]! + cohort;
          const rate = period === 0 ? 100 : cohort + period < 3 ? index * 3 + cohort + period : null;
          return cohort === 2 && browser === 'Chrome' ? [] : [{ week, period, browser, size, rate }];
        }),
      ),
    );
    const result = exampleResult([
      [timeColumn('week', 'cohort', 'Cohort'), rows.map(({ week }) => week)],
      [
        { ...numberColumn('period', 'Period', { additive: false }), kind: 'dimension' },
        rows.map(({ period }) => period),
      ],
      [textColumn('breakdown', 'Browser'), rows.map(({ browser }) => browser)],
      [numberColumn('size', 'Size', { additive: false }), rows.map(({ size }) => size)],
      [numberColumn('rate', 'Rate', { additive: false, format: 'percent' }), rows.map(({ rate }) => rate)],
    ]);
    const chart = toChart(result);
    expect([chart.kind, chart.title]).toEqual(['heatmap', 'Rate by week, Period, Browser']);
    expect(chart.panels.map(({ title }) => title)).toEqual([
      'Rate: Chrome',
      'Rate: Safari',
      'Rate: Firefox',
      'Rate: –',
    ]);
    expect(chart.notes).toEqual(
      expect.arrayContaining(['In brackets: Size.', 'Not drawn for lack of space: Edge, Opera.']),
    );
    const cells = chart.panels.map(({ series }) => series.map(({ label, values }) => [label, ...values]));
    expect(cells[0]).toEqual([
      ['2024-01-01 (900)', 100, 4, 5],
      ['2024-01-08 (901)', 100, 5, null],
    ]);
    expect(cells[1]).toEqual([
      ['2024-01-01 (700)', 100, 10, 11],
      ['2024-01-08 (701)', 100, 11, null],
      ['2024-01-15 (702)', 100, null, null],
    ]);
    const curves = toChart(result, { preference: 'line' });
    expect(curves.panels.map(({ series }) => series.map(({ label }) => label))).toEqual(
      chart.panels.map(() => ['2024-01-01', '2024-01-08', '2024-01-15']),
    );
    expect(curves.panels.map(({ series }) => series[1]!.values)).toEqual(cells.map((panel) => panel[1]!.slice(1)));
    expect(curves.notes).not.toContain('In brackets: Size.');
    for (const each of [chart, curves]) expect(() => toVegaLite(each)).not.toThrow();
  });
});

it('leaves room for the numbers of annotations below the legend', () => {
  const { result } = specimens['column-stacked']!;
  const offsets = [[], [{ date: '2024-01-10', title: 'Release' }]].map((annotations) => {
    const chart = toChart(result, { annotations });
    return [chart.annotations.length, /"legend":\{[^}]*"offset":(\d+)/.exec(JSON.stringify(toVegaLite(chart)))?.[1]];
  });
  expect(offsets).toEqual([
    [0, '8'],
    [1, '16'],
  ]);
});

describe('the labels of annotations', () => {
  const labelsOf = (count_: number, dates: readonly string[], preference: 'line' | 'column') => {
    const result = exampleResult([
      [day, days(count_, '2024-03-01')],
      [count, Array.from({ length: count_ }, (_, index) => index + 1)],
    ]);
    const chart = toChart(result, { annotations: dates.map((date) => ({ date, title: 'Release' })), preference });
    const spec = JSON.stringify(toVegaLite(chart));
    return [[...spec.matchAll(/"mark":"([\d–]+)"/g)].map(([, mark]) => mark), spec.match(/"rule"/g)?.length ?? 0];
  };
  const dates = ['2024-03-05', '2024-03-06', '2024-03-07', '2024-03-07', '2024-03-30'];

  it.each([
    ['line', 60, ['1–4', '5'], 1],
    ['column', 60, ['1–4', '5'], 1],
    ['column', 31, ['1', '2–4', '5'], 4],
    ['line', 31, ['1', '2', '3–4', '5'], 1],
  ] as const)('share one if they would cover each other: %s of %d days', (kind, length, labels, rules) => {
    expect(labelsOf(length, dates, kind)).toEqual([labels, rules]);
  });
});

it('writes numbers of more digits than a float keeps with three of them', () => {
  const result = exampleResult([
    [path, ['/', '/docs']],
    [count, ['262098330959098138', '9007199254740991']],
  ]);
  const spec = JSON.stringify(toVegaLite(toChart(result, { preference: 'bar' })));
  expect(spec).toContain('"label":"2.62e+17"');
  expect(spec).toContain('"label":"9,007,199,254,740,991"');
  expect(spec).not.toContain('262,098');
});

it('names both axes of a scatter chart', () => {
  const { x, y } = toVegaLite(chartOf('scatter'))['encoding'] as Record<'x' | 'y', { axis: { title: string } }>;
  expect([x.axis.title, y.axis.title]).toEqual(['Count', 'Average Duration Minutes']);
});

describe('the scale of a line', () => {
  const scaleOf = (whenAbsent: 0 | null) => {
    const users = numberColumn('users', 'Users', { additive: false, whenAbsent });
    const chart = toChart(
      exampleResult([
        [day, days(3)],
        [users, [380, 386, 281]],
      ]),
    );
    const scales = [...JSON.stringify(toVegaLite(chart)).matchAll(/"scale":\{"zero":(true|false)/g)];
    return [chart.kind, ...new Set(scales.map(([, zero]) => zero))];
  };

  it('starts at 0 for amounts that do not add up, such as users', () => {
    expect(scaleOf(0)).toEqual(['line', 'true']);
  });

  it('may omit 0 for averages', () => {
    expect(scaleOf(null)).toEqual(['line', 'false']);
  });
});

describe('the figures of a heat map', () => {
  it('have contrast with their cell, also if it is partial and pale', () => {
    const week = timeColumn('week');
    const period = numberColumn('period', 'Period', { kind: 'dimension' });
    const rate = numberColumn('rate', 'Rate', { additive: false, format: 'percent' });
    const chart = toChart(
      exampleResult(
        [
          [week, ['2024-01-01T00:00:00.000', '2024-01-01T00:00:00.000', '2024-01-08T00:00:00.000']],
          [period, [0, 1, 0]],
          [rate, [90, 70, 85]],
        ],
        { marks: { [rate.key]: [0, partialByPresent, 0] } },
      ),
      { preference: 'heatmap' },
    );
    const inks = [...JSON.stringify(toVegaLite(chart)).matchAll(/"label":"([^"]*)","ink":"(#\w+)"/g)];
    expect(inks.map(([, label, ink]) => [label, ink])).toEqual([
      ['90%', '#ffffff'],
      ['85%', '#ffffff'],
      ['70%~', '#000000'],
    ]);
  });
});

describe('a stack of gains and losses', () => {
  it('has the statuses of a lifecycle in one order, whatever their sizes', () => {
    const labels = chartOf('stacked-lifecycle').panels[0]?.series.map(({ label }) => label);
    expect(labels).toEqual(['new', 'returning', 'resurrecting', 'dormant']);
  });

  it('extends to both sides of 0', () => {
    const [spec] = [toVegaLite(chartOf('stacked-lifecycle'))].map((whole) => JSON.stringify(whole));
    const rows = [...spec!.matchAll(/"series":"(\w+)","role":"plain","y_start":(-?\d+),"y_end":(-?\d+)/g)];
    expect(rows.length).toBe(24);
    for (const [, status, start, end] of rows) expect(status === 'dormant').toBe(Number(end) < Number(start));
    const ends = rows.filter(([, status]) => status === 'dormant').map(([, , start]) => Number(start));
    expect(new Set(ends)).toEqual(new Set([0]));
  });
});

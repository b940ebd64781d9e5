import { describe, expect, it } from 'vitest';
import { fillOnWire, tooManyDays } from '../../src/shape/envelope/wire-fill.ts';

const member = 'TrackedEvents.utcTime';
const at = (date: string) => ({ [`${member}.day`]: `${date}T00:00:00.000`, [member]: `${date}T00:00:00.000` });
const inRange = (...values: string[]) => ({ member, operator: 'inDateRange' as const, values });
const measures = ['TrackedEvents.count', 'TrackedEvents.share'];

describe('fillOnWire', () => {
  it('appends the missing days of the range, both ends in, with a zero for each measure and no other dimension', () => {
    const rows = [
      { ...at('2023-01-03'), 'TrackedEvents.count': '5', 'TrackedEvents.share': '1.5', 'TrackedEvents.docHost': 'a' },
    ];
    const zeros = { 'TrackedEvents.count': '0', 'TrackedEvents.share': '0' };
    expect(fillOnWire(rows, { measures, filters: [inRange('2023-01-01', '2023-01-04')] })).toEqual([
      ...rows,
      { ...at('2023-01-01'), ...zeros },
      { ...at('2023-01-02'), ...zeros },
      { ...at('2023-01-04'), ...zeros },
    ]);
  });

  it('fills half a year after three rows, as the platform is known to', () => {
    const rows = ['2023-05-30', '2023-01-01', '2023-03-01'].map((date) => ({
      ...at(date),
      'TrackedEvents.count': '1',
    }));
    const filled = fillOnWire(rows, { measures, filters: [inRange('2023-01-01', '2023-07-01')] });
    expect(filled).toHaveLength(182);
    expect(filled[0]?.[member]).toBe('2023-05-30T00:00:00.000');
    expect(filled[181]).toEqual({ ...at('2023-07-01'), 'TrackedEvents.count': '0', 'TrackedEvents.share': '0' });
  });

  it('looks at days over the whole answer, not series by series', () => {
    const rows = [
      { ...at('2023-01-01'), host: 'a' },
      { ...at('2023-01-02'), host: 'b' },
    ];
    expect(fillOnWire(rows, { measures, filters: [inRange('2023-01-01', '2023-01-02')] })).toEqual(rows);
  });

  it.each([
    ['an empty answer', [], { measures, filters: [inRange('2023-01-01', '2023-01-02')] }],
    [
      'an answer by week',
      [{ [`${member}.week`]: 'x', [member]: 'x' }],
      { measures, filters: [inRange('2023-01-01', '2023-01-02')] },
    ],
    ['a question without measures', [at('2023-01-01')], { filters: [inRange('2023-01-01', '2023-01-02')] }],
    [
      'a filter inside a group',
      [at('2023-01-01')],
      { measures, filters: [{ and: [inRange('2023-01-01', '2023-01-02')] }] },
    ],
    ['a filter with one day', [at('2023-01-01')], { measures, filters: [inRange('2023-01-02')] }],
    ['a filter with a phrase', [at('2023-01-01')], { measures, filters: [inRange('last 7 days', 'today')] }],
  ])('leaves %s alone', (_, rows, query) => {
    expect(fillOnWire(rows, query)).toBe(rows);
  });

  it('fills all days of an empty answer that is asked for by day, and of no other', () => {
    const filters = [inRange('2023-01-01', '2023-01-02')];
    const by = (granularity?: string, dimension = member) => ({
      measures,
      filters,
      timeDimensions: [{ dimension, granularity }],
    });
    const zeros = { 'TrackedEvents.count': '0', 'TrackedEvents.share': '0' };
    expect(fillOnWire([], by('day'))).toEqual([
      { ...at('2023-01-01'), ...zeros },
      { ...at('2023-01-02'), ...zeros },
    ]);
    for (const query of [by('week'), by(), by('day', 'Sessions.startAt'), { ...by('day'), measures: [] }])
      expect(fillOnWire([], query)).toEqual([]);
  });

  it('tells ranges of more days than can be filled', () => {
    expect(tooManyDays({ measures, filters: [inRange('1924-01-01', '2024-01-01')] })).toBeUndefined();
    expect(tooManyDays({ measures, filters: [inRange('0001-01-01', '9999-12-31')] })).toMatchObject({
      code: 'too-many-days',
    });
    expect(
      tooManyDays({ measures, filters: Array.from({ length: 200 }, () => inRange('2023-01-01', '2023-12-31')) }),
    ).toMatchObject({ code: 'too-many-days' });
  });

  it('cuts instants to their dates', () => {
    expect(
      fillOnWire([at('2023-01-01')], { measures, filters: [inRange('2023-01-01T10:00:00', '2023-01-02T09:00:00')] }),
    ).toHaveLength(2);
  });
});

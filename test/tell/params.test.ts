import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earlierRange } from '../../src/ask/query/earlier-range.ts';
import { addUnits, toDate } from '../../src/ask/time/calendar.ts';
import { day } from '../../src/ask/time/granularity.ts';
import { previousRange, writeRange, yearBefore } from '../../src/ask/time/previous-range.ts';
import { readDateRange } from '../../src/ask/time/read-date-range.ts';
import { toInstant } from '../../src/ask/time/zone.ts';
import {
  fillParams,
  fillTitle,
  type Param,
  type ParamType,
  type ParamValue,
  readParamValue,
  readParamValues,
} from '../../src/tell/notebook/params.ts';

const context = { now: Date.parse('2024-03-08T12:00:00Z'), zone: 'Europe/Berlin' };
const param = (type: ParamType, more: Partial<Param> = {}): Param => ({ name: 'p', type, ...more });

function valueOf(type: ParamType, given: string, more: Partial<Param> = {}): ParamValue {
  const read = readParamValue(param(type, more), given, context);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

describe('a parameter', () => {
  it('of a month is written in words in prose and titles, and as given elsewhere', () => {
    const month = valueOf('month', '2024-02');
    const values = new Map([['p', month]]);
    expect([month.words, month.parts['previous']?.words]).toEqual(['February 2024', 'January 2024']);
    expect(fillTitle('{{ p }}', values)).toBe('February 2024');
    expect(fillTitle('Of {{ p }}, not {{ p.previous }}; {{ p.iso }} from {{ p.start }}', values)).toBe(
      'Of February 2024, not January 2024; 2024-02 from 2024-02-01',
    );
    const cell = { title: 'Of {{ p }}', range: '{{ p }}', query: { title: '{{ p }}' }, filters: ['in {{ p }}'] };
    expect(fillParams(cell, values).data).toEqual({
      title: 'Of February 2024',
      range: '2024-02',
      query: { title: '2024-02' },
      filters: ['in 2024-02'],
    });
  });

  it.each<[ParamType, string, unknown, string]>([
    ['month', 'last closed month', '2024-02', '2024-02'],
    ['month', '2023-12', '2023-12', '2023-12'],
    ['month', 'this month', '2024-03', '2024-03'],
    ['month', '2024-02-01 to 2024-02-29', undefined, ''],
    ['week', 'last week', '2024-W09', '2024-W09'],
    ['week', '2024-W53', undefined, ''],
    ['date', 'yesterday', '2024-03-07', '2024-03-07'],
    ['date', '2024-03', undefined, ''],
    ['range', 'last 7 days', ['2024-03-01', '2024-03-07'], '2024-03-01 to 2024-03-07'],
    ['range', '2024-02', ['2024-02-01', '2024-02-29'], '2024-02'],
    [
      'range',
      'from 2024-03-07T10:00 to now',
      ['2024-03-07T09:00:00.000Z', '2024-03-08T12:00:00.000Z'],
      '2024-03-07 10:00:00.000 to 2024-03-08 13:00:00.000',
    ],
    ['range', 'from 2024-03-07 to 2024-03-01', undefined, ''],
    ['number', '1e3', 1000, '1,000'],
    ['number', 'ten', undefined, ''],
    ['number', '', undefined, ''],
    ['text', ' as it is ', ' as it is ', ' as it is '],
    ['choice', 'b', 'b', 'b'],
    ['choice', 'c', undefined, ''],
  ])('of type %s reads %j as %j', (type, given, value, text) => {
    const read = readParamValue(param(type, { options: ['a', 'b'] }), given, context);
    expect(read.ok ? read.value : undefined).toEqual(
      value === undefined ? undefined : expect.objectContaining({ value, text }),
    );
  });

  it.each<[ParamType, string, string, string, string, string]>([
    ['date', 'yesterday', 'Africa/Cairo', '2026-04-25T00:30:00Z', '2026-04-24', '2026-04-23'],
    ['date', 'yesterday', 'Africa/Cairo', '2026-04-24T00:30:00Z', '2026-04-23', '2026-04-22'],
    ['month', 'last closed month', 'America/Asuncion', '2023-11-01T10:00:00Z', '2023-10', '2023-09'],
    ['month', 'last closed month', 'America/Asuncion', '2023-10-01T10:00:00Z', '2023-09', '2023-08'],
  ])('of type %s reads %j in %s if the clock skips a midnight, at %s', (type, given, zone, now, value, previous) => {
    const read = readParamValue(param(type), given, { now: Date.parse(now), zone });
    expect(read.ok ? [read.value.value, read.value.parts['previous']?.value] : read.issues).toEqual([value, previous]);
  });

  it('of type range names whole days if the clock skips a midnight', () => {
    const read = readParamValue(param('range'), 'last 7 days', {
      now: Date.parse('2026-05-01T10:00:00Z'),
      zone: 'Africa/Cairo',
    });
    expect(read.ok ? [read.value.value, read.value.text] : read.issues).toEqual([
      ['2026-04-24', '2026-04-30'],
      '2026-04-24 to 2026-04-30',
    ]);
  });

  it('of time has its ends and the previous period', () => {
    const { start, end, previous } = valueOf('month', '2024-03').parts;
    expect([start?.value, end?.value, previous?.value]).toEqual(['2024-03-01', '2024-03-31', '2024-02']);
  });

  it('that is missing, unknown or wrong is an issue; all are reported at once', () => {
    const params = [param('month'), { name: 'n', type: 'number' as const }];
    const { issues } = readParamValues(
      params,
      new Map([
        ['n', 'x'],
        ['mm', '1'],
      ]),
      context,
    );
    expect(issues.map(({ code, path }) => [code, path])).toEqual([
      ['unknown-param', ['--param', 'mm']],
      ['missing-param', ['params', 'p']],
      ['invalid-param', ['--param', 'n']],
    ]);
  });
});

describe('parameters in cells', () => {
  const values = (value: string) => new Map([['p', valueOf('text', value)]]);

  it('become only values, whatever they contain', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('{{ p }}', '"\n- x: 1', ']}', '*', '!!js', '# ', '\\{{')),
        (text) => {
          const data = {
            query: { filters: [{ values: ['{{ p }}', 'a {{p}} b', '{{ p }}{{ p }}'] }] },
            title: '\\{{ p }}',
            '{{ p }}': 1,
          };
          expect(fillParams(data, values(text))).toEqual({
            data: {
              query: { filters: [{ values: [text, `a ${text} b`, text + text] }] },
              title: '{{ p }}',
              '{{ p }}': 1,
            },
            issues: [],
          });
        },
      ),
    );
  });

  it('keep their type if they stand alone', () => {
    const filled = fillParams(
      ['{{ r }}', '{{ n }}', 'in {{ r }}'],
      new Map([
        ['r', valueOf('range', '2024-02')],
        ['n', valueOf('number', '7')],
      ]),
    );
    expect(filled.data).toEqual([['2024-02-01', '2024-02-29'], 7, 'in 2024-02']);
    expect(fillTitle('{{ r }}', new Map([['r', valueOf('range', '2024-02')]]))).toBe('2024-02');
  });

  it('that are unknown are issues at their places', () => {
    expect(fillParams({ a: ['{{ q }}'] }, values('x')).issues).toMatchObject([
      { code: 'unknown-param', path: ['a', 0] },
    ]);
  });
});

describe('the previous period of a range', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia');
  const at = (local: number, zone: string) => toInstant(local, zone, 'first');

  it('has as many months for whole months, and ends where the range begins', () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 600 }), fc.integer({ min: 1, max: 14 }), zones, (from, months, zone) => {
        const month = (number: number) => at(toDate(1990, number, 1), zone);
        expect(previousRange({ start: month(from), end: month(from + months) }, zone)).toEqual({
          start: month(from - months),
          end: month(from),
        });
      }),
    );
  });

  it('has as many days for whole days, also across a clock change', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 20_000 }), fc.integer({ min: 1, max: 27 }), zones, (from, days, zone) => {
        const instant = (number: number) => at(number * day, zone);
        fc.pre(new Date(from * day).getUTCDate() !== 1);
        expect(previousRange({ start: instant(from), end: instant(from + days) }, zone)).toEqual({
          start: instant(from - days),
          end: instant(from),
        });
      }),
    );
  });

  it('has the same duration for other ranges', () => {
    expect(previousRange({ start: 10_000, end: 13_000 }, 'UTC')).toEqual({ start: 7000, end: 10_000 });
  });

  it.each([
    ['last month', 'previous', ['2024-01-01', '2024-01-31']],
    ['month to date', 'previous', ['2024-01-31T23:00:00.000Z', '2024-02-08T12:00:00.000Z']],
    ['last 7 days', 'previous', ['2024-02-23', '2024-02-29']],
    ['2024-02', 'a year before', ['2023-02-01', '2023-02-28']],
    ['2024-02', 'Previous ', ['2024-01-01', '2024-01-31']],
    ['2024-02', '2020-02', '2020-02'],
  ])('of %s with %s is %j', (range, preference, other) => {
    expect(earlierRange(range, preference, context)).toEqual(other);
  });

  it('of an explicit range reads as the same range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 400 }), zones, (from, days, zone) => {
        const range = { start: at(from * day, zone), end: at((from + days) * day, zone) };
        const read = readDateRange(writeRange(range, zone), { now: 0, zone });
        expect(read.ok && read.value).toEqual(range);
        expect(yearBefore(range, zone).start).toBe(at(addUnits(from * day, 'year', -1), zone));
      }),
    );
  });
});

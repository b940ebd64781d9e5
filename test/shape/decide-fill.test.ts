import { describe, expect, it } from 'vitest';
import { decideFill } from '../../src/shape/fill/decide-fill.ts';
import { days, makePlan } from './plans.ts';

const range = days('2024-03-01', '2024-03-31');
const daily = makePlan({ granularity: 'day', range, dimensions: { type: 'string' }, limit: 10, offset: 5 });

describe('decideFill', () => {
  it('asks a local engine for all groups', () => {
    expect(decideFill(daily, { mode: 'auto', completeness: 'local' })).toEqual({
      kind: 'fill',
      run: { ...daily, limit: undefined, offset: 0 },
    });
  });

  it('asks a remote engine what was asked, unless rows are passed over', () => {
    const plan = { ...daily, offset: 0 };
    expect(decideFill(plan, { mode: 'auto', completeness: 'remote' })).toEqual({ kind: 'fill', run: plan });
    expect(decideFill(daily, { mode: 'auto', completeness: 'remote' })).toEqual({
      kind: 'leave',
      why: expect.stringContaining('offset'),
    });
  });

  it('fills every size of bucket unless told not to', () => {
    const weekly = makePlan({ granularity: 'week', range });
    expect(decideFill(weekly, { mode: 'auto', completeness: 'local' }).kind).toBe('fill');
    expect(decideFill(weekly, { mode: 'none', completeness: 'local' })).toEqual({ kind: 'leave' });
    expect(decideFill(daily, { mode: 'none', completeness: 'local' })).toEqual({ kind: 'leave' });
  });

  it.each([
    ['the rows are not grouped', { ...daily, ungrouped: true }],
    ['a filter on a measure', { ...daily, groupConditions: [{ kind: 'and' as const, conditions: [] }] }],
    ['several time axes', { ...daily, times: [...daily.times, ...daily.times] }],
    [
      'a rolling window',
      {
        ...daily,
        measures: daily.measures.map((bound) => ({
          ...bound,
          measure: { ...bound.measure, rollingWindow: { offset: 'end' as const } },
        })),
      },
    ],
  ])('says why it leaves %s', (_, plan) => {
    expect(decideFill(plan, { mode: 'auto', completeness: 'local' })).toEqual({
      kind: 'leave',
      why: expect.stringMatching(/^Missing buckets are not filled: .+\.$/),
    });
  });

  it('says that several series without a range have no ends only where every series is to be filled', () => {
    const endless = makePlan({ granularity: 'day', dimensions: { type: 'string' } });
    expect(decideFill(endless, { mode: 'auto', completeness: 'local' })).toEqual({ kind: 'leave' });
    expect(decideFill(endless, { mode: 'all', completeness: 'local' })).toEqual({
      kind: 'leave',
      why: expect.stringContaining('range'),
    });
  });

  it('leaves a question without buckets or measures, or for no rows, without a word', () => {
    expect(decideFill(makePlan({ range }), { mode: 'all', completeness: 'local' })).toEqual({ kind: 'leave' });
    expect(
      decideFill(makePlan({ granularity: 'day', range, measures: {} }), { mode: 'all', completeness: 'local' }),
    ).toEqual({ kind: 'leave' });
    expect(decideFill({ ...daily, limit: 0 }, { mode: 'auto', completeness: 'local' })).toEqual({ kind: 'leave' });
  });

  it('refuses millions of seconds before anything is run', () => {
    const seconds = makePlan({ granularity: 'second', range: days('2024-01-01', '2024-12-31') });
    expect(decideFill(seconds, { mode: 'all', completeness: 'local' })).toEqual({
      kind: 'leave',
      why: expect.stringContaining('five million'),
    });
  });
});

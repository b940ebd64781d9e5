import { describe, expect, it } from 'vitest';
import { sumUsage } from '../../../src/tell/usage/sum-usage.ts';
import { planUsage } from '../../../src/tell/usage/usage-plan.ts';
import { describeAlerts, describeUsage } from '../../../src/tell/usage/usage-notes.ts';
import type { ProjectAnswer } from '../../../src/tell/usage/usage.ts';
import { unwrap } from '../../../src/use/workspace/refuse.ts';

/** 03:00 on 11 March in Berlin, 10 March in UTC. */
const now = Date.parse('2026-03-11T02:00:00Z');

/** What is said of usage whose last event is on a day, of a month in progress or of the one before it. */
function tell(lastDay: string, { zone = 'Europe/Berlin', month = 'last month', at = now } = {}) {
  const plan = unwrap(planUsage({ month, months: 2 }, { now: at, zone }), 'The month');
  const days = new Map([
    ['2026-02-01', 5],
    [lastDay, 5],
  ]);
  const answer: ProjectAnswer = { state: 'counted', days, provenance: undefined as never };
  const projects = [{ id: '1', name: 'one' }];
  const usage = sumUsage(plan, [{ name: 'all', projects }], new Map([['1', answer]]), { lastDay });
  const isOfEnd = (text: string) => text.includes('latest available');
  return { notes: describeUsage(usage).filter(isOfEnd), alerts: describeAlerts(usage).filter(isOfEnd) };
}

describe('data that end before yesterday does', () => {
  const end = (day: string) =>
    `The latest available events are from ${day}: March 2026 to date ends there, and its forecast begins there.`;

  it('are told of below the month before, and above the figures of the month in progress', () => {
    expect(tell('2026-03-09')).toEqual({ notes: [end('2026-03-09')], alerts: [] });
    expect(tell('2026-03-09', { month: 'this month' })).toEqual({ notes: [], alerts: [end('2026-03-09')] });
  });

  it('are not those that end yesterday or today, by the days of the zone', () => {
    for (const month of ['this month', 'last month']) {
      for (const day of ['2026-03-10', '2026-03-11']) expect(tell(day, { month })).toEqual({ notes: [], alerts: [] });
      expect(tell('2026-03-09', { month, zone: 'America/New_York' })).toEqual({ notes: [], alerts: [] });
    }
  });

  it('may have nothing of the month in progress', () => {
    const none = 'The latest available events are from 2026-02-28: none of March 2026.';
    expect(tell('2026-02-28').notes).toEqual([none]);
    expect(tell('2026-02-28', { at: Date.parse('2026-03-01T12:00Z') }).notes).toEqual([]);
  });
});

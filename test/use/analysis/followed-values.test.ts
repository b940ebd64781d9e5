import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, type Result } from '../../../src/use/index.ts';
import { askedActivity } from '../../contract/arbitrary-activity.ts';
import { askedFunnel } from '../../contract/arbitrary-funnel.ts';
import { world } from '../../contract/arbitrary-world.ts';
import { answerOf, settingsOf } from '../../contract/differential.ts';
import { type ExportedEvent, writeNdjson } from '../../contract/exported-events.ts';
import { whileAsking } from '../../contract/in-world.ts';
import { runs } from '../../runs.ts';
import { folderOf } from '../run-in-folder.ts';

const followable = ['pageTitle', 'localTzOffset', 'docPath'] as const;

/** The events of users who are the values of a field. */
function ofUsers(events: readonly ExportedEvent[], field: (typeof followable)[number]): readonly ExportedEvent[] {
  return events.map(({ userId: _, ...event }) => {
    const value = event[field];
    return { ...event, userAnonymousId: value === null || value === undefined ? '' : String(value) };
  });
}

/** The facts of an answer, in the words for users. */
async function factsOfUsers(asking: Promise<Result>, field: string): Promise<object> {
  const { told, ...facts } = (await answerOf(asking)) as { readonly told?: object };
  const text = JSON.stringify(told ?? {})
    .replaceAll(`a value of ${field}`, 'a user')
    .replaceAll(`values of ${field}`, 'users')
    .replaceAll(`Counted by ${field},`, 'Counted by user,');
  return { ...facts, told: JSON.parse(text) };
}

function byUser(definition: object): object {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'by' && key !== 'follow'));
}

const definition = fc.oneof(
  askedActivity.map(({ asked, range }) => ({
    analysis: asked.analysis,
    definition: byUser(asked.definition),
    options: { range } as object,
  })),
  askedFunnel.map(({ funnel, options }) => ({
    analysis: 'funnel' as const,
    definition: byUser(funnel),
    options: options as object,
  })),
);

describe('an analysis that follows values', () => {
  it('counts them as it counts users with these names', { timeout: 300_000 }, async () => {
    const worlds = fc.sample(world, { numRuns: runs(24) });
    const asked = fc.sample(definition, { numRuns: 12 * worlds.length });
    let answered = 0;
    for (const [number, one] of worlds.entries()) {
      const field = followable[number % followable.length]!;
      // The store keeps each ID once.
      const events = [...new Map(one.events.map((event) => [event.eventId, event])).values()];
      const folder = folderOf({
        'events.ndjson': writeNdjson(events),
        'users.ndjson': writeNdjson(ofUsers(events, field)),
      });
      const settings = { env: {}, workspace: folder.root, onNote: () => undefined, ...settingsOf(one) };
      const taken = await folder.sluice(['ingest', 'events.ndjson', '--store', 'kept']);
      expect(taken.code, taken.stderr).toBe(0);
      await using files = await open({ ...settings, events: 'events.ndjson' });
      await using store = await open({ ...settings, store: 'kept' });
      await using users = await open({ ...settings, events: 'users.ndjson', user: 'anonymous' });
      for (const { analysis, definition: own, options } of asked.splice(0, 12)) {
        const ask = (s: typeof users, given: object) =>
          (s[analysis as 'retention'] as (given: object, options: object) => Promise<Result>)(given, options);
        const expected = await factsOfUsers(ask(users, own), field);
        const got = await factsOfUsers(ask(files, { ...own, follow: field }), field);
        whileAsking({ analysis, own, options, field }, one, () => expect(got).toEqual(expected));
        const kept = await factsOfUsers(ask(store, { ...own, follow: field }), field);
        if ('refused' in got) expect(kept).toMatchObject({ refused: got.refused });
        else {
          const { rows, marks } = got as { readonly rows?: readonly object[]; readonly marks?: unknown };
          whileAsking({ analysis, own, options, field }, one, () => expect(kept).toMatchObject({ rows, marks }));
          if (rows?.some((row) => Object.values(row).some((value) => typeof value === 'number' && value > 1)))
            answered += 1;
        }
      }
    }
    expect(answered).toBeGreaterThan(worlds.length * 4);
  });
});

describe('values that are followed', () => {
  const visits = [
    ['2024-03-04T09:00:00Z', 'ann', 'pageview', 17],
    ['2024-03-05T09:00:00Z', 'bob', 'signup', 17],
    ['2024-03-06T09:00:00Z', 'bob', 'pageview', '\u001fu1'],
    ['2024-03-07T09:00:00Z', 'cho', 'signup', 'other'],
    ['2024-03-07T10:00:00Z', 'cho', 'pageview', ''],
    ['2024-03-07T11:00:00Z', null, 'pageview', 'nobody inc'],
  ] as const;
  const events = visits
    .map(([utcTime, userId, eventType, company]) => JSON.stringify({ utcTime, userId, eventType, company }))
    .join('\n');
  const source = ['--events', 'events.ndjson', '-f', 'json'];

  it('are listed in place of users', async () => {
    const folder = folderOf({ 'events.ndjson': events });
    const asked = ['funnel', '--step', 'pageview', '--step', 'signup', '--follow', 'company', ...source];
    const reached = await folder.sluice([...asked, '--users', 'converted:1']);
    expect(JSON.parse(reached.stdout)).toEqual(
      expect.arrayContaining([
        { 'funnel.followed': '17', 'funnel.reached': 2, 'funnel.began': '2024-03-04T09:00:00.000' },
        { 'funnel.followed': '\u001fu1', 'funnel.reached': 1, 'funnel.began': '2024-03-06T09:00:00.000' },
        { 'funnel.followed': 'nobody inc', 'funnel.reached': 1, 'funnel.began': '2024-03-07T11:00:00.000' },
      ]),
    );
    expect(JSON.parse(reached.stdout)).toHaveLength(3);
    expect(reached.stderr).toContain('1 event without a value of company is not counted.');
    const line = 'retention of any following company by day from 2024-03-04 to 2024-03-07';
    const behind = await folder.sluice(['query', line, '--users', ...source]);
    expect(JSON.parse(behind.stdout)).toEqual(
      ['\u001fu1', '17', 'nobody inc', 'other'].map((company) => ({ 'retention.followed': company })),
    );
  });

  it('are counted over the events of a cohort of users', async () => {
    const cohort = 'cohort: {did: {event: signup}}\n';
    const folder = folderOf({ 'events.ndjson': events, 'queries/signed.yaml': cohort });
    const line = 'stickiness of any following company by day where cohort = signed from 2024-03-04 to 2024-03-07';
    const { stdout } = await folder.sluice(['query', line, ...source]);
    // 17, the company of a control character, and other, on one day each.
    expect(JSON.parse(stdout)[0]).toMatchObject({ 'stickiness.periods': 1, 'stickiness.users': 3 });
  });

  it('cannot be followed beside sessions, and make no cohort of users', async () => {
    const funnel = (more: string) =>
      `seconds_to_convert: 60\nsteps:\n  - {name: a, action: pageview, target: /}\n  - {name: b, action: pageview, target: /b}\nsluice: {${more}}\n`;
    const folder = folderOf({
      'events.ndjson': events,
      'funnels/both.yaml': funnel('by: session, follow: company'),
      'funnels/firms.yaml': funnel('follow: company'),
      'queries/firms_in.yaml': 'cohort: {reached: {funnel: firms}}\n',
    });
    const both = await folder.sluice(['funnel', 'check']);
    expect([both.code, both.stdout]).toEqual([2, expect.stringContaining('follows sessions and values of company')]);
    const members = await folder.sluice(['query', 'firms_in.users', ...source]);
    expect([members.code, members.stderr]).toEqual([
      2,
      expect.stringContaining('The funnel "firms" follows values of company, not users.'),
    ]);
  });
});

import { truncateSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../../src/run/duckdb/reading/event-files.ts';
import type { SurveyOrder } from '../../../src/run/duckdb/reading/survey.ts';
import { openFactKeeper } from '../../../src/run/kept/keep-facts.ts';
import { openKeptFiles } from '../../../src/run/kept/kept-files.ts';
import { runs } from '../../runs.ts';
import { scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const everything: SurveyOrder = { ends: true, sessions: true };

interface Event {
  readonly utcTime: string;
  readonly event_id: string;
  readonly projectId: string;
  readonly session_id: string;
  readonly userId: string;
}

const event: fc.Arbitrary<Event> = fc.record({
  utcTime: fc.integer({ min: 0, max: 99 }).map((minute) => new Date(minute * 60_000).toISOString()),
  event_id: fc.constantFrom('', 'a', 'b', 'c'),
  projectId: fc.constantFrom('1', '2'),
  session_id: fc.constantFrom('', 's'),
  userId: fc.constantFrom('', 'ann'),
});

const ndjson = (events: readonly Event[]) => events.map((one) => `${JSON.stringify(one)}\n`).join('');
const csv = (events: readonly Event[]) =>
  ['utcTime,event_id,projectId,session_id,userId', ...events.map((one) => Object.values(one).join(','))].join('\n');

/** Counts the statements that read events; `of` the engine. */
function counted(engine: Engine): { readonly engine: Engine; statements: number } {
  const counter = {
    statements: 0,
    engine: {
      ...engine,
      rows: (...[text, values]: Parameters<Engine['rows']>) => {
        if (text.includes('surveyed')) counter.statements += 1;
        return engine.rows(text, values);
      },
    },
  };
  return counter;
}

describe('a survey of files', () => {
  it('finds what a look at each event finds', async () => {
    await using engine = await openEngine({ threads: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 8 }),
        fc.array(event, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        async (one, other, ends, sessions) => {
          const all = [...one, ...other];
          const paths = [folder.write('one.ndjson', ndjson(one)), folder.write('other.csv', csv(other))];
          const found = await (await openEventFiles(engine, paths, 'anonymous')).survey({ ends, sessions });
          const times = all.map(({ utcTime }) => utcTime).toSorted();
          expect(found.span).toEqual(
            ends ? { first: times[0], last: times.at(-1) } : { first: undefined, last: undefined },
          );
          const repeats = all.filter(
            ({ event_id, projectId }, index) =>
              event_id !== '' &&
              all.slice(0, index).some((before) => before.event_id === event_id && before.projectId === projectId),
          ).length;
          expect(found.repeated.map((text) => Number.parseInt(text, 10))).toEqual(repeats === 0 ? [] : [repeats]);
          const sessionless = all.filter(({ session_id, userId }) => session_id === '' && userId === '');
          const byProject = Map.groupBy(sessionless, ({ projectId }) => projectId);
          expect(found.sessionless).toEqual(
            sessions ? new Map([...byProject].map(([project, events]) => [project, events.length])) : undefined,
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('reads the events once, and again only for what it does not know or what changed', async () => {
    await using opened = await openEngine({ threads: 1 });
    const counter = counted(opened);
    const unique = { utcTime: '2024-03-08T10:00:00.000Z', projectId: '1', session_id: 's', userId: '' };
    const path = folder.write('once.ndjson', ndjson([{ ...unique, event_id: 'a' }]));
    const events = await openEventFiles(counter.engine, [path], 'anonymous');
    await events.survey({ ends: true, sessions: false });
    expect(counter.statements).toBe(1);
    const found = await Promise.all([events.survey(everything), events.survey(everything)]);
    expect([counter.statements, found[0]!.sessionless, found[1]]).toEqual([2, new Map(), found[0]]);
    folder.write(
      'once.ndjson',
      ndjson([
        { ...unique, event_id: 'a' },
        { ...unique, event_id: 'b', session_id: '' },
      ]),
    );
    await events.refresh();
    expect((await events.survey(everything)).sessionless).toEqual(new Map([['1', 1]]));
    // The second statement counts by project.
    expect(counter.statements).toBe(4);
  });

  it('is kept beyond the process, each fact by itself', async () => {
    const now = () => Date.now() + 60_000;
    const facts = openFactKeeper(openKeptFiles({ folder: `${folder.path}/kept`, now }), 'circumstances', now);
    const path = folder.write('kept.ndjson', ndjson(fc.sample(event, { numRuns: 20, seed: 3 })));
    const look = async (order: SurveyOrder) => {
      await using opened = await openEngine({ threads: 1 });
      const counter = counted(opened);
      const events = await openEventFiles(counter.engine, [path], 'anonymous', 'events', { facts });
      const { span, repeated, sessionless } = await events.survey(order);
      return { span, repeated, sessionless, isRead: counter.statements > 0 };
    };
    const whole = await look(everything);
    expect(whole.isRead).toBe(true);
    expect(await look(everything)).toEqual({ ...whole, isRead: false });
    expect(await look({ ends: true, sessions: false })).toEqual({ ...whole, sessionless: undefined, isRead: false });
  });

  it('says what it does not look for in files that take minutes', async () => {
    await using engine = await openEngine({ threads: 1 });
    const path = folder.write('large.ndjson', ndjson(fc.sample(event, { numRuns: 2_000, seed: 4 })));
    const events = await openEventFiles(engine, [path], 'anonymous');
    truncateSync(path, 5 * 2 ** 30);
    expect(await events.survey(everything)).toEqual({
      span: { first: undefined, last: undefined },
      repeated: [
        'Files of this size are not searched for their first and last event, events with the same ID, or events in no session. Load them with `sluice ingest`: the store knows them, and keeps each ID once.',
      ],
      sessionless: undefined,
    });
  });
});

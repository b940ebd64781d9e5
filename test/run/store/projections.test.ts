import { runs, shareOf } from '../../runs.ts';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LocalBackend } from '../../../src/run/backend.ts';
import { findRepeats } from '../../../src/run/duckdb/store/id-hashes.ts';
import { openWriter } from '../../../src/run/duckdb/store/open-writer.ts';
import { open as openLibrary, type Sluice } from '../../../src/use/index.ts';
import { isUntouched, writtenAt } from '../../../src/run/store/projection-files.ts';
import { readStore } from '../../../src/run/store/store-contents.ts';
import { manifestPath } from '../../../src/run/store/store-manifest.ts';
import { askedActivity } from '../../contract/arbitrary-activity.ts';
import { askedFunnel } from '../../contract/arbitrary-funnel.ts';
import { type Asking, localAsking as asking, world } from '../../contract/arbitrary-world.ts';
import { writeNdjson } from '../../contract/exported-events.ts';
import { ingestInChild, writeMany } from './child-writer.ts';
import { lines, scratchStore, type ScratchStore } from './scratch-store.ts';
import {
  asked,
  type Clock,
  expectSame,
  marchNoon,
  openPair,
  openStore,
  type Pair,
  plain,
  plansOf,
  tell,
  used,
  withoutProjections,
} from './with-and-without.ts';

const seed = fc.readConfigureGlobal()?.seed ?? 1;
const modelRuns = Number(process.env['TEST_MODEL_RUNS'] ?? runs(4));

const perDay: Asking['query'] = {
  measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-03-05', '2024-03-08'] }],
};

const two = (name: string, from = 0) =>
  lines(
    ...[0, 1, 40, 50].map((minute, index) => ({
      minute: from + minute,
      eventId: `${name}${index}`,
      userAnonymousId: index % 2 === 0 ? name : 'both',
      sessionId: `s-${name}-${index % 2}`,
      docPath: '/',
      eventType: 'pageview',
    })),
  );

/** Changes the hash form of IDs in the manifest, as if another engine had written it. */
function hashOtherwise(folder: string): void {
  const manifest = join(folder, 'manifest.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replaceAll(/"form":"1 \d+"/g, '"form":"1 7"'));
  expect(readFileSync(manifest, 'utf8')).not.toBe(text);
}

describe('hashes of ids', () => {
  const made = (ids: readonly string[], project?: string) =>
    lines(
      ...ids.map((eventId, minute) => ({ minute: minute % 500, eventId, project_id: project, userAnonymousId: 'u' })),
    );
  const hashFiles = ({ folder }: ScratchStore) =>
    readdirSync(join(folder, 'projections')).flatMap((name) =>
      name.endsWith('.hashes') ? [join(folder, 'projections', name)] : [],
    );
  const harms: Readonly<Record<string, (store: ScratchStore) => void>> = {
    nothing: () => undefined,
    'no file': (store) => rmSync(hashFiles(store)[0]!),
    'a file that was cut off': (store) => truncateSync(hashFiles(store)[0]!, 4),
    'hashes of another engine': ({ folder }) => hashOtherwise(folder),
    'a store without hashes': ({ folder }) => {
      const manifest = join(folder, 'manifest.json');
      const written = JSON.parse(readFileSync(manifest, 'utf8')) as { segments: { projections: { ids?: unknown } }[] };
      for (const { projections } of written.segments) delete projections.ids;
      writeFileSync(manifest, JSON.stringify(written));
    },
  };

  it.each(Object.keys(harms))('find each id that comes again, and no other, with %s', async (name) => {
    const store = scratchStore();
    const known = new Set<string>();
    const idsOf = (from: number, count: number) => Array.from({ length: count }, (_, index) => `id ${from + index}`);
    const ingest = async (file: string, ids: readonly string[]) => {
      const report = await store.ingest([store.write(`${file}.ndjson`, made(ids))]);
      const fresh = new Set(ids.filter((id) => !known.has(id)));
      expect(report).toMatchObject({ added: fresh.size, known: ids.length - fresh.size });
      for (const id of fresh) known.add(id);
    };
    await ingest('large', idsOf(0, 3000));
    await ingest('small', idsOf(5000, 3));
    harms[name]!(store);
    await ingest('fresh', idsOf(10_000, 200));
    for (const file of hashFiles(store)) expect(readFileSync(file).length).toBeGreaterThan(4);
    expect(readFileSync(join(store.folder, 'manifest.json'), 'utf8')).not.toContain('"form":"1 7"');
    expect(hashFiles(store)).toHaveLength((await readStore(store.folder))!.segments.length);
    harms[name]!(store);
    await ingest('mixed', [...idsOf(2999, 2), ...idsOf(5002, 2), ...idsOf(20_000, 1), ...idsOf(20_000, 1)]);
    // IDs are unique per project.
    const report = await store.ingest([store.write('other.ndjson', made(idsOf(0, 50), 'another'))]);
    expect(report).toMatchObject({ added: 50, known: 0 });
  });

  it('leave alone the segments that have none of the ids', async () => {
    const store = scratchStore();
    const files = ['a', 'b', 'c'].map((name) =>
      store.write(`${name}.ndjson`, made(Array.from({ length: 400 }, (_, index) => `${name}${index}`))),
    );
    for (const file of files) await store.ingest([file]);
    const [first, second, third] = (await readStore(store.folder))!.segments;
    // Reading the IDs of these would fail.
    for (const { path } of [first!, third!]) truncateSync(path, 10);
    const late = store.write('late.ndjson', made(['b7', 'new']));
    await using writer = await openWriter({
      folder: store.folder,
      now: Date.now,
      holder: 'a test',
      randomText: () => 'name',
    });
    const part = join(store.folder, 'part.parquet');
    await writer.rows(
      `COPY (SELECT NULL::VARCHAR AS project_id, eventId AS event_id FROM read_json('${late}')) TO '${part}' (FORMAT parquet)`,
    );
    const found = await findRepeats(writer, { paths: [part], rows: 2 }, writer.manifest.segments);
    rmSync(part);
    expect(found.segments.map(({ name }) => name)).toEqual([second!.path.split('/').at(-1)]);
    expect(found).toMatchObject({ within: false, unknown: [] });
  });

  it('go with the ids', async () => {
    const store = scratchStore();
    const before = lines({ eventId: 'kept', userAnonymousId: 'ann' });
    await store.ingest([
      store.write('a.ndjson', before + lines({ minute: 1, eventId: 'gone', userAnonymousId: 'bob' })),
    ]);
    await store.forget('bob');
    const [after] = hashFiles(store).map((file) => readFileSync(file));
    const alone = scratchStore();
    await alone.ingest([alone.write('a.ndjson', before)]);
    expect(hashFiles(store)).toHaveLength(1);
    expect(after).toEqual(readFileSync(hashFiles(alone)[0]!));
    await store.prune(Date.parse('2030-01-01T00:00:00Z'));
    expect(hashFiles(store)).toEqual([]);
  });
});

/** The library over stores of random events, and over the same stores without projections. */
async function* openWorlds() {
  for (const [number, { events, now, zone: timezone, ...settings }] of fc
    .sample(world, { seed, numRuns: modelRuns })
    .entries()) {
    const store = scratchStore();
    const half = events.length >> 1;
    for (const [name, part] of [events.slice(half), events.slice(0, half)].entries())
      await store.ingest([store.write(`${name}.ndjson`, writeNdjson(part))]);
    const steps =
      'seconds_to_convert: 60\nsteps: [{name: a, action: pageview, target: /}, {name: b, action: pageview, target: /a}]\n';
    store.write('queries/back.yaml', 'retention: {}\n');
    const workspace = dirname(dirname(store.write('funnels/steps.yaml', steps)));
    const given = {
      ...settings,
      timezone,
      workspace,
      env: {},
      now: () => now,
      cache: false,
      onNote: () => undefined,
    };
    await using projected = await openLibrary({ ...given, store: store.folder });
    await using bare = await openLibrary({ ...given, store: withoutProjections(store.folder) });
    yield { number, user: settings.user, projected, bare };
  }
}

describe('projections of a store', () => {
  it('answer as the events do, whatever was done to the store', { timeout: 60_000 + modelRuns * 60_000 }, async () => {
    let questionsAsked = 0;
    let projected = 0;
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.array(asking, { minLength: 24, maxLength: 24 }),
        fc.shuffledSubarray(['file', 'late', 'window', 'revision', 'forget', 'prune', 'many'] as const, {
          minLength: 4,
        }),
        async ({ events, ...clock }, questions, steps) => {
          const store = scratchStore();
          const parts = Array.from({ length: 8 }, (_, index) => events.filter((_event, at) => at % 8 === index));
          const ingest = async (name: string, part: (typeof parts)[number] = []) => {
            if (part.length > 0) await store.ingest([store.write(`${name}.ndjson`, writeNdjson(part))]);
          };
          await store.ingest([store.write('first.ndjson', writeNdjson(parts[0]!))]);
          await using pair = await openPair(store);
          for (const [index, step] of steps.entries()) {
            if (step === 'file' || step === 'late') await ingest(step, parts[step === 'file' ? 1 : 2]);
            else if (step === 'window' || step === 'revision') {
              const revision = step === 'window' ? 1 : 2;
              const text = writeNdjson(
                [...(parts[3] ?? []), ...(revision === 1 ? [] : (parts[4] ?? []))].slice(revision - 1),
              );
              await store.ingest([store.writeWindow(`w${index}.ndjson`, text, { revision })]);
            } else if (step === 'many')
              for (let part = 5; part < 8; part += 1) await ingest(`many-${part}`, parts[part]);
            else if (step === 'forget') await store.forget('u2');
            else await store.prune(Date.parse('2024-03-10T00:07:00Z'));
            const some = questions.slice(index * 3, index * 3 + (index === steps.length - 1 ? 24 : 3));
            questionsAsked += some.length;
            projected += await expectSame(store, some, clock, pair);
          }
        },
      ),
      { numRuns: modelRuns },
    );
    // Generated questions that list single events, or have odd ranges or other members, need the events.
    expect(projected / questionsAsked).toBeGreaterThan(0.2);
  });

  it('keep sessions as late events join, split and share them', { timeout: 60_000 + modelRuns * 60_000 }, async () => {
    const event = fc.record({
      minute: fc.nat(90).map((steps) => steps * 7 + (steps % 5)),
      userAnonymousId: fc.constantFrom('u1', 'u2', undefined),
      sessionId: fc.constantFrom(undefined, undefined, 's1', 's2', ''),
      projectId: fc.constantFrom('42', undefined),
      eventId: fc.constantFrom('a', 'b', undefined),
      eventType: fc.constantFrom('pageview', 'page_view', 'click', undefined),
    });
    const files = fc.array(fc.array(event, { minLength: 1, maxLength: 7 }), { minLength: 9, maxLength: 11 });
    const [S, R] = ['Sessions.', 'ReturningUsers.'];
    const measures = [
      ...['count', 'uniqueUsersCount', 'usersCount', 'averageDurationMinutes', 'averagePerUser'],
      ...['pageViewsCount', 'averagePageViews', 'bouncedCount', 'bounceRate'],
    ].map((name) => S + name);
    const timeDimensions = [
      { dimension: `${S}startAt`, granularity: 'minute' as const, dateRange: ['2024-03-06', '2024-03-06'] as const },
    ];
    const questions: readonly Asking['query'][] = [
      { measures },
      { measures, dimensions: [`${S}derived`, `${S}projectId`] },
      { measures, timeDimensions },
      { measures, timeDimensions: [{ dimension: `${S}endAt`, granularity: 'second' }] },
      {
        measures: ['count', 'returningUsersCount', 'allSessionsCount', 'returningUserPercentage'].map(
          (name) => R + name,
        ),
      },
      { measures: [`${R}count`], timeDimensions: [{ dimension: `${R}first_timestamp`, granularity: 'second' }] },
    ];
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom(undefined, '42'), async (parts, project) => {
        const store = scratchStore();
        let pair: Pair | undefined;
        try {
          for (const [index, part] of parts.entries()) {
            const unique = part.map((one, at) => ({
              ...one,
              ...(one.eventId && { eventId: `${one.eventId}${index}-${at}` }),
            }));
            await store.ingest([store.write(`${index}.ndjson`, lines(...unique))]);
            pair ??= await openPair(store);
            if (index === 5) await store.forget('u2');
            if (index === 8) await store.prune(Date.parse('2024-03-06T02:00:00Z'));
            if (index !== 0 && index !== 3 && index !== 5 && index < 8) continue;
            const kept = await expectSame(store, questions.map(asked), { ...marchNoon, project }, pair);
            const { segments } = (await readStore(store.folder))!;
            expect(kept).toBe(segments.length > 0 ? questions.length : 0);
          }
        } finally {
          await pair?.[Symbol.asyncDispose]();
        }
      }),
      { numRuns: modelRuns },
    );
  });

  it('are chosen for what they give exactly, and explained', async () => {
    const store = scratchStore();
    await store.ingest([store.write('a.ndjson', two('ann'))]);
    await using backend = await openStore(store.folder);
    const explain = async (change: Partial<Asking['query']>, clock: Partial<Clock> = {}) => {
      const [plan] = plansOf({ ...perDay, ...change }, { ...marchNoon, ...clock });
      const projection = await used(backend, plan!);
      return projection?.name ?? projection?.why;
    };
    const range = (...dateRange: [string, string]) => ({
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' as const, dateRange }],
    });
    expect(await explain({})).toBe('days');
    expect(await explain({}, { zone: 'Africa/Abidjan', project: '42' })).toBe('days');
    expect(await explain({ dimensions: ['TrackedEvents.agentName'] })).toBe('days');
    expect(await explain({}, { zone: 'Asia/Kathmandu' })).toBe('counts');
    expect(await explain({ dimensions: ['TrackedEvents.eventType'] })).toBe('counts');
    expect(await explain({ measures: ['TrackedEvents.count'] })).toBe('hours');
    const hourly = { dimension: 'TrackedEvents.utcTime', granularity: 'hour' as const };
    expect(await explain({ timeDimensions: [hourly] })).toBe('counts');
    expect(await explain(range('2024-03-05T12:00:00', '2024-03-08T11:59:59.999'))).toBe('counts');
    expect(await explain({ dimensions: ['TrackedEvents.agentName', 'TrackedEvents.eventName'] })).toBe('counts');
    expect(await explain({ dimensions: ['TrackedEvents.hourOfDay', 'TrackedEvents.weekday'] })).toBe('counts');
    expect(await explain({ dimensions: ['TrackedEvents.docPath'] })).toBe('pages');
    expect(await explain(range('2024-03-05T00:15:00', '2024-03-06T00:44:59.999'))).toBe('counts');
    expect(await explain({ dimensions: ['TrackedEvents.pageTitle'] })).toBe('It lacks page_title.');
    expect(await explain({ segments: ['TrackedEvents.bots'] })).toBe('It lacks useragent.');
    expect(await explain({ dimensions: ['TrackedEvents.userAnonymousId'] })).toBe('It lacks user_anonymous_id.');
    expect(await explain(range('2024-03-05T00:10:00', '2024-03-06T23:59:59.999'))).toBe(
      'The range does not begin and end on a quarter of an hour.',
    );
    expect(await explain({ timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'minute' }] })).toBe(
      'Its 15-minute slots do not fit these periods.',
    );
    const sessions = (change: Partial<Asking['query']>) =>
      explain({ measures: ['Sessions.count'], timeDimensions: [], ...change });
    expect(await sessions({})).toBe('sessions');
    expect(await sessions({ measures: ['Sessions.averagePerUser'], dimensions: ['Sessions.derived'] })).toBe(
      'sessions',
    );
    expect(await sessions({ dimensions: ['Sessions.weekday'] })).toBe('sessions');
    expect(await sessions({ dimensions: ['Sessions.agentName'] })).toBe('It lacks agent_name.');
    expect(await sessions({ dimensions: ['Sessions.landingPage'] })).toBe('It lacks landing_page.');
    expect(await sessions({ measures: ['ReturningUsers.returningUserPercentage'] })).toBe('sessions');
    expect(await explain({ ungrouped: true })).toBe('The query lists single events.');
  });

  it('leave times to the events where a clock was not on a quarter of an hour', async () => {
    const store = scratchStore();
    // Monrovia was 44:30 behind UTC until 1972.
    await store.ingest([
      store.write(
        'old.ndjson',
        ['1971-12-31T00:44:29.000', '1971-12-31T00:44:31.000', '1972-01-08T00:01:00.000']
          .map((utcTime) => `${JSON.stringify({ utcTime, userAnonymousId: 'u' })}\n`)
          .join(''),
      ),
    ]);
    const query: Asking['query'] = {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
    };
    const clock = { ...marchNoon, zone: 'Africa/Monrovia' };
    expect(await expectSame(store, [asked(query)], clock)).toBe(0);
    expect(await expectSame(store, [asked(query)], { ...marchNoon, zone: 'Europe/Berlin' })).toBe(1);
  });

  it('do not remember who was forgotten, pruned or replaced', async () => {
    const store = scratchStore();
    const stale = lines({
      minute: -100_000,
      eventId: 'old',
      userAnonymousId: 'pruned-person',
      sessionId: 'pruned-session',
    });
    await store.ingest([store.write('a.ndjson', two('forgotten-person') + stale)]);
    await store.ingest([store.write('b.ndjson', two('staying-person', 100))]);
    await store.ingest([store.writeWindow('w.ndjson', two('replaced-person', 200), { revision: 1 })]);
    const names = ['forgotten-person', 'pruned-person', 'replaced-person', 'staying-person'];
    /** The names found in the projections, which are written without packing for this test. */
    const remembered = async () => {
      const folder = join(store.folder, 'projections');
      const found = new Set<string>();
      for (const file of readdirSync(folder)) {
        const rows = file.endsWith('.parquet') ? await store.ask(`FROM read_parquet('${join(folder, file)}')`) : [];
        const text = `${JSON.stringify(rows, plain)}${readFileSync(join(folder, file), 'latin1')}`;
        for (const name of names) if (text.includes(name)) found.add(name);
      }
      return [...found].sort();
    };
    expect(await remembered()).toEqual([...names].sort());
    await store.forget('forgotten-person');
    expect(await remembered()).toEqual(['pruned-person', 'replaced-person', 'staying-person']);
    await store.prune(Date.parse('2024-03-01T00:00:00Z'));
    expect(await remembered()).toEqual(['replaced-person', 'staying-person']);
    await store.ingest([store.writeWindow('w.ndjson', two('other-person', 200), { revision: 2 })]);
    expect(await remembered()).toEqual(['staying-person']);
    await store.forget('staying-person');
    expect(await remembered()).toEqual([]);
    await store.prune(Date.parse('2030-01-01T00:00:00Z'));
    expect(readdirSync(join(store.folder, 'projections'))).toEqual([]);
  });

  it.each([
    ['is missing', (file: string) => rmSync(file)],
    ['was cut off', (file: string) => truncateSync(file, 100)],
    [
      'has a byte that was changed',
      (file: string) => {
        const content = readFileSync(file);
        content[20] = content[20]! ^ 1;
        writeFileSync(file, content);
      },
    ],
  ])('are not believed if a file %s, and the next write mends them', async (_, harm) => {
    for (const kind of [/-(?:days|counts|pages)\./, /-days\./, /-users\./]) {
      const store = scratchStore();
      await store.ingest([store.write('a.ndjson', two('ann'))]);
      await using open = await openStore(store.folder);
      const [plan] = plansOf(perDay);
      const before = await tell(open, plan!);
      const folder = join(store.folder, 'projections');
      for (const file of readdirSync(folder)) if (kind.test(file)) harm(join(folder, file));
      // As if the disk had lost it, without a later modification time.
      await setTimeout(20);
      utimesSync(manifestPath(store.folder), new Date(), new Date());
      await using fresh = await openStore(store.folder);
      const left = kind.test('-users.') ? 'days' : kind.test('-pages.') ? undefined : 'counts';
      expect((await used(fresh, plan!))?.name).toBe(left);
      expect(await tell(fresh, plan!)).toEqual(before);
      // A store that was checked before meets the damage, or still has the file open.
      expect(await tell(open, plan!)).toEqual(before);
      await store.ingest([store.write('b.ndjson', two('bob', 10))]);
      expect((await used(fresh, plan!))?.name).toBe('days');
      expect(await expectSame(store, [asked(perDay)], marchNoon)).toBe(1);
      expect((await tell(fresh, plan!)) as { rows: unknown }).toMatchObject({ rows: [[expect.anything(), 8, 3]] });
    }
  });

  it('are read by a commit that does not use them if they changed since the last one, else only looked at', async () => {
    const store = scratchStore();
    await store.ingest([store.write('a.ndjson', two('ann'))]);
    const { segments } = (await readStore(store.folder))!;
    const pages = segments[0]!.projections!['pages']!;
    const path = join(store.folder, 'projections', pages.name);
    const content = readFileSync(path);
    content[20] = content[20]! ^ 1;
    writeFileSync(path, content);
    const changed = await writtenAt(path);
    expect(await isUntouched(store.folder, pages, changed)).toBe(false);
    expect(await isUntouched(store.folder, pages, changed + 1n)).toBe(true);
    truncateSync(path, 100);
    expect(await isUntouched(store.folder, pages, 2n ** 63n)).toBe(false);
    rmSync(path);
    expect(await isUntouched(store.folder, pages, 2n ** 63n)).toBe(false);
  });

  it('follow users through funnels as the events do', { timeout: 60_000 + modelRuns * 30_000 }, async () => {
    let followed = 0;
    for await (const { number, user, projected, bare } of openWorlds()) {
      const usedBy = async (sluice: Sluice) =>
        (await sluice.explain({ measures: ['steps.count'], dimensions: ['steps.step'] }))[0]!.projection?.name;
      expect(await usedBy(bare)).toBeUndefined();
      expect(await usedBy(projected)).toBe(user === 'anonymous' ? 'pages' : undefined);
      for (const { funnel, options } of fc.sample(askedFunnel, { seed: seed + number, numRuns: 12 })) {
        const ask = async (sluice: Sluice) => {
          const answer = await sluice.funnel(funnel as never, options as never).catch(String);
          if (typeof answer === 'string') return { rows: [], error: answer };
          return { rows: answer.rows(), notes: answer.provenance.notes };
        };
        const told = await ask(projected);
        if (told.rows.some((row) => Object.values(row).some((value) => Number(value) > 1))) followed += 1;
        expect({ funnel, options, ...told }).toEqual({ funnel, options, ...(await ask(bare)) });
      }
    }
    expect(followed).toBeGreaterThan(0);
  });

  it('tell the activity of users as the events do', { timeout: 60_000 + modelRuns * 30_000 }, async () => {
    let active = 0;
    for await (const { number, user, projected, bare } of openWorlds()) {
      const usedBy = async (sluice: Sluice) =>
        (await sluice.explain({ measures: ['back.users'], dimensions: ['back.period'] }))[0]!.projection?.name;
      expect(await usedBy(bare)).toBeUndefined();
      expect(await usedBy(projected)).toBe(user === 'anonymous' ? 'pages' : undefined);
      for (const { asked: one, range } of fc.sample(askedActivity, { seed: seed + number, numRuns: 24 })) {
        const ask = async (sluice: Sluice) => {
          const answer = await sluice.analysis(one.analysis, one.definition, { range }).catch(String);
          if (typeof answer === 'string') return { rows: [], error: answer };
          const { notes, lacking, uncounted } = answer.provenance;
          return { rows: answer.rows(), notes, lacking, uncounted };
        };
        const told = await ask(projected);
        if (
          told.rows.some((row) =>
            Object.entries(row).some(([key, value]) => key.endsWith('.users') && Number(value) > 1),
          )
        )
          active += 1;
        expect({ one, range, ...told }).toEqual({ one, range, ...(await ask(bare)) });
      }
    }
    expect(active).toBeGreaterThan(modelRuns);
  });

  it('come to a store that an earlier version wrote with its next write', async () => {
    const store = scratchStore();
    await store.ingest([store.write('a.ndjson', two('ann'))]);
    const manifest = join(store.folder, 'manifest.json');
    const written = JSON.parse(readFileSync(manifest, 'utf8')) as {
      projections?: unknown;
      segments: { projections?: unknown }[];
    };
    delete written.projections;
    for (const segment of written.segments) delete segment.projections;
    writeFileSync(manifest, JSON.stringify(written));
    rmSync(join(store.folder, 'projections'), { recursive: true });
    const [plan] = plansOf(perDay);
    await using backend = await openStore(store.folder);
    expect((await used(backend, plan!))?.why).toContain('The store has no projections');
    const before = await tell(backend, plan!);
    expect(before).toMatchObject({ rows: [[expect.anything(), 4, 2]] });
    await store.ingest([store.write('b.ndjson', two('bob', 10))]);
    expect((await used(backend, plan!))?.name).toBe('days');
    expect(await expectSame(store, [asked(perDay)], marchNoon)).toBe(1);
  });

  it('are right after a writer was killed at any moment', { timeout: 120_000 }, async () => {
    const store = scratchStore();
    const files = ['one', 'two', 'three'].map((name) => {
      const file = store.write(`${name}.ndjson`, '');
      writeMany(file, name, 400);
      return file;
    });
    const whole = await ingestInChild(store.folder, 400, files);
    rmSync(store.folder, { recursive: true });
    const query = { ...perDay, dimensions: ['TrackedEvents.docPath'] };
    for (const share of shareOf([0.75, 0.5, 0.65, 0.85, 0.95], 0, 2)) {
      await ingestInChild(store.folder, 400, files, Math.round(whole.ms * share));
      if (existsSync(join(store.folder, 'manifest.json'))) await expectSame(store, [asked(query)], marchNoon);
    }
    await ingestInChild(store.folder, 400, files);
    expect(await expectSame(store, [asked(query)], marchNoon)).toBe(1);
    const contents = (await readStore(store.folder))!;
    const named = [
      ...contents.projections!.users,
      ...contents.projections!.sessions!,
      ...contents.projections!.days!.flatMap(({ files }) => files),
      ...contents.segments.flatMap(({ projections }) => Object.values(projections!)),
    ].map(({ name }) => name);
    expect(readdirSync(join(store.folder, 'projections')).sort()).toEqual(named.sort());
  });

  it.each(['ingest', 'compact', 'revise', 'forget', 'prune'] as const)(
    'are right for others while a process is at it, and after it was killed at any moment: %s',
    { timeout: 300_000 },
    async (work) => {
      const store = scratchStore();
      // One more would be merged with all of them.
      const parts = work === 'compact' ? 7 : 3;
      for (let part = 0; part < parts; part += 1)
        await store.ingest([store.write(`${part}.ndjson`, two(`u${part}`, part * 700))]);
      await store.ingest([store.writeWindow('w.ndjson', two('replaced', 100), { revision: 1 })]);
      const file =
        work === 'revise'
          ? store.writeWindow('w.ndjson', two('other', 200) + two('another', 900), { revision: 2 })
          : store.write('more.ndjson', two('more', 20));
      const time = String(Date.parse('2024-03-06T10:00:00Z'));
      const act = (folder: string, killAfter?: number) =>
        work === 'forget' || work === 'prune'
          ? ingestInChild(folder, work, [work === 'forget' ? 'u1' : time], killAfter)
          : ingestInChild(folder, 1000, [file], killAfter);
      const [before, done] = [join(store.folder, '..', 'before'), join(store.folder, '..', 'done')];
      for (const copy of [before, done]) cpSync(store.folder, copy, { recursive: true });
      const { ms } = await act(done);
      const questions = ['TrackedEvents.docPath', 'TrackedEvents.eventType'].map((dimension) =>
        asked({ ...perDay, dimensions: [dimension] }),
      );
      questions.push(asked(perDay), asked({ measures: ['Sessions.count', 'Sessions.uniqueUsersCount'] }));
      const plans = questions.flatMap(({ query }) => plansOf(query));
      const tellAll = async (backend: LocalBackend) =>
        Promise.all(plans.map(async (plan) => ((await tell(backend, plan)) as { readonly rows: unknown }).rows));
      const states: unknown[][] = [];
      for (const folder of [before, done]) {
        await using backend = await openStore(folder);
        states.push(await tellAll(backend));
      }
      expect(states[0]).not.toEqual(states[1]);
      for (const share of fc.sample(fc.double({ min: 0.3, max: 1, noNaN: true }), { seed, numRuns: runs(4, 8) })) {
        rmSync(store.folder, { recursive: true });
        cpSync(before, store.folder, { recursive: true });
        await using reader = await openStore(store.folder);
        let isOver = false;
        const killed = act(store.folder, Math.round(ms * share)).finally(() => (isOver = true));
        while (!isOver) {
          const told = await tellAll(reader);
          // Each answer is of one state, although a commit may happen between two answers.
          told.forEach((rows, index) => expect([states[0]![index], states[1]![index]]).toContainEqual(rows));
        }
        await killed;
        expect(states).toContainEqual(await tellAll(reader));
        expect(await expectSame(store, questions, marchNoon)).toBe(questions.length);
        await act(store.folder);
        expect(await tellAll(reader)).toEqual(states[1]);
        expect(await expectSame(store, questions, marchNoon)).toBe(questions.length);
      }
    },
  );

  it('are right after a process that forgot a user was killed at any moment', { timeout: 120_000 }, async () => {
    const store = scratchStore();
    const files = ['one', 'two'].map((name) => {
      const file = store.write(`${name}.ndjson`, '');
      writeMany(file, name, 1200);
      return file;
    });
    for (const file of files) await store.ingest([file]);
    const whole = join(store.folder, '..', 'whole');
    cpSync(store.folder, whole, { recursive: true });
    const { ms } = await ingestInChild(store.folder, 'forget', ['u7']);
    const query = { ...perDay, dimensions: ['TrackedEvents.docPath'] };
    const both = [asked(query), asked(perDay)];
    for (const share of shareOf([0.75, 0.6, 0.9], 0, 2)) {
      rmSync(store.folder, { recursive: true });
      cpSync(whole, store.folder, { recursive: true });
      await ingestInChild(store.folder, 'forget', ['u7'], Math.round(ms * share));
      const [[left] = []] = await store.ask("SELECT count(*)::INTEGER FROM events WHERE user_anonymous_id = 'u7'");
      expect([0, 4]).toContain(left);
      expect(await expectSame(store, both, marchNoon)).toBe(2);
      await store.forget('u7');
      expect(await store.ask("SELECT count(*)::INTEGER FROM events WHERE user_anonymous_id = 'u7'")).toEqual([[0]]);
      expect(await expectSame(store, both, marchNoon)).toBe(2);
      const again = store.write('again.ndjson', lines({ eventId: 'new', userAnonymousId: 'u7' }));
      expect(await store.ingest([again])).toMatchObject({ added: 0, forgotten: 1 });
    }
  });
});

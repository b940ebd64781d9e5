import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Cohort, CohortRule } from '../../src/ask/cohort/cohort.ts';
import type { Query } from '../../src/ask/query/query.ts';
import { analyses } from '../../src/plan/analysis/analyses.ts';
import { withCohortMembers } from '../../src/plan/analysis/cohort/cohort-members.ts';
import { withComputedCubes } from '../../src/plan/analysis/computed-cubes.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { openEmbedded } from '../../src/run/duckdb/answer/open-embedded.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { beside, costsOf, writeEvents } from './funnel.ts';
import type { Measured } from './main.ts';

const million = 1_000_000;

/** BENCH_COHORT=full uses ten million events. */
const size = process.env['BENCH_COHORT'] === 'full' ? 10 : 2;

const did = (event: string, events: number, during?: string): CohortRule => ({
  path: [],
  kind: 'did',
  match: { event, targets: [], where: [] },
  times: { operator: '>=', events },
  during,
});

const cohorts: readonly Cohort[] = [
  { name: 'active', title: undefined, rule: did('pageview', 5, 'last 30 days') },
  {
    name: 'nested',
    title: undefined,
    rule: {
      path: [],
      kind: 'group',
      all: [{ path: [], kind: 'cohort', name: 'active' }],
      any: [did('link_click', 1), { path: [], kind: 'first_seen', during: 'last 60 days' }],
      except: [did('link_click', 20)],
    },
  },
];

/** Cohorts compared with a plain count of distinct users over the same events. */
export async function* measureCohort(): AsyncGenerator<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  const model = withCohortMembers(
    withComputedCubes(analyses.cohort, builtInModel, cohorts, 'here', withCohortMembers(builtInModel, cohorts)),
    cohorts,
  );
  try {
    const file = path.join(folder, 'events.parquet');
    const engine: Engine = await openEngine({});
    await writeEvents(engine, file, size * million);
    await using backend = await openEmbedded({
      events: [file],
      engine: Promise.resolve(engine),
      workingDirectory: folder,
    });
    const ask = (query: Query) => async () => {
      const bound = bind(query, model, { now: Date.parse('2026-10-20T00:00Z'), limits: 'none' });
      if (!bound.ok) throw new Error(bound.issues[0]?.message);
      const answer = await backend.run(bound.value[0]!);
      for await (const _batch of answer.batches);
    };
    const works = [
      async () => void (await engine.rows('SELECT count(DISTINCT user_key) FROM events')),
      ask({ measures: ['active.users'] }),
      ask({ measures: ['nested.users'] }),
      ask({ measures: ['TrackedEvents.uniqueUsersCount'], dimensions: ['TrackedEvents.cohorts.active'] }),
    ];
    const names = [
      'size of a cohort',
      'size of a cohort of four conditions, one of them another cohort,',
      'unique users by cohort',
    ];
    const targets = [1, 2.5, 3];
    // The first question creates the table of events.
    await works[1]?.();
    const [bare, ...others] = await costsOf(works);
    for (const [index, cost] of others.entries())
      yield {
        what: `${names[index]!} on ${size} million events, compared with a count of unique users (CPU time)`,
        ratio: cost.cpu / bare!.cpu,
        target: targets[index]!,
        better: 'lower',
        detail: beside(cost.cpu, bare!.cpu),
      };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, detail } of measureCohort()) console.log(`${ratio.toFixed(2)} ${what} (${detail})`);
}

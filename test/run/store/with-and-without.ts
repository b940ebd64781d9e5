import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bind } from '../../../src/plan/bind/bind.ts';
import { enginePlans } from '../../../src/plan/groups.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import type { LocalBackend, UsedProjection } from '../../../src/run/backend.ts';
import { openEmbedded } from '../../../src/run/duckdb/answer/open-embedded.ts';
import type { Asking } from '../../contract/arbitrary-world.ts';
import type { ScratchStore } from './scratch-store.ts';

export interface Clock {
  readonly now: number;
  readonly zone?: string;
  readonly weekStart?: 'monday' | 'sunday';
  readonly project?: string | undefined;
}

export const marchNoon = { now: Date.parse('2024-03-20T12:00:00Z') };

export function plansOf(query: Asking['query'], { now, zone, weekStart, project }: Clock = marchNoon): readonly Plan[] {
  const bound = bind(query, builtInModel, {
    now,
    ...(zone === undefined ? {} : { zone }),
    ...(weekStart === undefined ? {} : { weekStart }),
    ...(project === undefined ? {} : { project }),
    limits: 'none',
  });
  return bound.ok ? bound.value.flatMap(enginePlans) : [];
}

export function openStore(folder: string): Promise<LocalBackend> {
  return openEmbedded({ store: folder, workingDirectory: folder });
}

/** Everything that an answer contains, or its error. */
export async function tell(backend: LocalBackend, plan: Plan): Promise<unknown> {
  try {
    const answer = await backend.run(plan);
    const rows: unknown[][] = [];
    for await (const { rowCount, columns } of answer.batches)
      for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((values) => values[row]));
    return { rows, facts: answer.facts(), types: answer.types };
  } catch (error) {
    return String(error);
  }
}

export async function used(backend: LocalBackend, plan: Plan): Promise<UsedProjection | undefined> {
  return (await backend.explain(plan)).projection;
}

/** The same store without its projections. */
export function withoutProjections(folder: string): string {
  const bare = `${folder}-bare`;
  rmSync(bare, { recursive: true, force: true });
  cpSync(folder, bare, { recursive: true });
  rmSync(join(bare, 'projections'), { recursive: true, force: true });
  return bare;
}

export interface Pair extends AsyncDisposable {
  readonly projected: LocalBackend;
  /** Over a copy of the store that contains only its events. */
  readonly bare: LocalBackend;
}

export async function openPair({ folder }: ScratchStore): Promise<Pair> {
  const projected = await openStore(folder);
  const bare = await openStore(withoutProjections(folder));
  return {
    projected,
    bare,
    async [Symbol.asyncDispose]() {
      await projected[Symbol.asyncDispose]();
      await bare[Symbol.asyncDispose]();
    },
  };
}

/** The projection that answered a plan. Both halves of a pair must give the same answer. */
export async function expectSamePlan(
  { projected, bare }: Pair,
  plan: Plan,
  about: unknown,
): Promise<string | undefined> {
  expect((await used(bare, plan))?.name).toBeUndefined();
  const [counted, events] = [await tell(projected, plan), await tell(bare, plan)];
  if (JSON.stringify(counted, plain) !== JSON.stringify(events, plain))
    expect({ about, told: counted }).toEqual({ about, told: events });
  return (await used(projected, plan))?.name;
}

/** The number of plans that a projection answered. */
export async function expectSame(
  store: ScratchStore,
  asked: readonly Asking[],
  clock: Clock,
  open?: Pair,
): Promise<number> {
  await using own = open ? undefined : await openPair(store);
  if (open) withoutProjections(store.folder);
  let projections = 0;
  for (const { query } of asked) {
    for (const plan of plansOf(query, clock))
      if ((await expectSamePlan(open ?? own!, plan, { query, clock })) !== undefined) projections += 1;
  }
  return projections;
}

export const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

export const asked = (query: Asking['query']): Asking => ({ query, fill: 'none', fillWith: undefined });

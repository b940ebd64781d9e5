import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { type Answer, type Batch, type LocalBackend, nothingRejected } from '../../../src/run/backend.ts';
import { keepAnswers } from '../../../src/run/kept/keep-answers.ts';
import { openKeptFiles } from '../../../src/run/kept/kept-files.ts';
import { planOf } from '../../plan/ask.ts';

const plan = planOf({ measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.eventType'] }, builtInModel);

/** A backend that counts its questions, over data in the state `state`. */
function openCounting() {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-kept-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const world = { state: 'one', asked: 0 };
  async function* batches(): AsyncGenerator<Batch> {
    yield { rowCount: 2, columns: [['click', 'pageview'], Float64Array.of(world.asked, 7)] };
  }
  const run = async (): Promise<Answer> => {
    world.asked += 1;
    return { batches: batches(), types: undefined, facts: () => ({ uncounted: [], rejected: nothingRejected }) };
  };
  const open = () =>
    keepAnswers({
      open: async () => ({ run, [Symbol.asyncDispose]: async () => undefined }) as unknown as LocalBackend,
      identity: async () => ({ text: world.state, files: '', isSettled: true }),
      files: openKeptFiles({ folder: path.join(root, 'cache'), now: Date.now }),
      circumstances: '',
      now: Date.now,
    });
  return { world, open };
}

async function rowsOf(answer: Answer): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  for await (const batch of answer.batches) batches.push(batch);
  return batches;
}

it('an answer is computed once, in this process and in others, until the data are others', async () => {
  const { world, open } = openCounting();
  const first = open();
  const computed = await rowsOf(await first.run(plan));
  expect(await rowsOf(await first.run(plan))).toEqual(computed);
  await first[Symbol.asyncDispose]();
  await using other = open();
  expect(await rowsOf(await other.run(plan))).toEqual(computed);
  expect(world.asked).toBe(1);
  world.state = 'two';
  expect(await rowsOf(await other.run(plan))).not.toEqual(computed);
  expect(world.asked).toBe(2);
});

it('a program that changes the rows that it was given changes no kept answer', async () => {
  const { world, open } = openCounting();
  await using backend = open();
  const computed = structuredClone(await rowsOf(await backend.run(plan)));
  for (let turn = 0; turn < 3; turn += 1) {
    const given = await rowsOf(await backend.run(plan));
    expect(given).toEqual(computed);
    for (const { columns } of given) for (const values of columns) (values as unknown[]).fill(0);
  }
  expect(world.asked).toBe(1);
});

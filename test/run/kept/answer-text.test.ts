import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Cube, Model } from '../../../src/plan/model/model.ts';
import { withProperties } from '../../../src/plan/model/properties.ts';
import type { PropertyProfile } from '../../../src/plan/model/property-members.ts';
import { writePlan } from '../../../src/run/kept/answer-text.ts';
import { planOf } from '../../plan/ask.ts';

const profiles = (change: Partial<PropertyProfile> = {}): readonly PropertyProfile[] =>
  Array.from({ length: 200 }, (_, index) => ({
    path: [`p${index}`],
    type: 'number',
    events: 9,
    numbers: 9,
    large: 0,
    rounded: 0,
    scale: 0,
    wholeDigits: 1,
    example: '1',
    ...(index === 7 && change),
  }));

const question: Query = {
  measures: ['TrackedEvents.sum(props.p7)'],
  formulas: { 'TrackedEvents.each': 'sum(props.p7) / uniqueUsersCount rolling 7 days' },
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-03-01', '2024-03-09'] }],
};

const written = (read: readonly PropertyProfile[], model: Model = builtInModel, query = question) => {
  const plan = planOf(query, withProperties(model, { read }));
  return writePlan(plan.derived?.base ?? plan);
};

/** The built-in model with another definition of events. */
function changed(change: (events: Cube) => Partial<Cube>): Model {
  return {
    ...builtInModel,
    cubes: builtInModel.cubes.map((cube) => (cube.name === 'TrackedEvents' ? { ...cube, ...change(cube) } : cube)),
  };
}

describe('a plan as text', () => {
  it('is short and the same for the same properties, however often the model is made', async () => {
    const text = await written(profiles());
    expect(await written(profiles())).toBe(text);
    expect(text?.length).toBeLessThan(1000);
  });

  it('is another one for whatever changes the answer', async () => {
    const others = [
      written(profiles({ type: 'string', numbers: 8 })),
      written(profiles({ scale: 2 })),
      written(profiles().slice(1)),
      written(profiles(), builtInModel, { ...question, formulas: { 'TrackedEvents.each': 'count rolling 7 days' } }),
      written(profiles(), builtInModel, { ...question, measures: ['TrackedEvents.sum(props.p8)'] }),
      written(
        profiles(),
        changed(({ title }) => ({ title: `${title}!` })),
      ),
      written(
        profiles(),
        changed(({ segments }) => ({ segments: segments.slice(1) })),
      ),
    ];
    const texts = [await written(profiles()), ...(await Promise.all(others))];
    expect(texts).not.toContain(undefined);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('does not depend on the present, also within the plans that it is made of', async () => {
    const plan = planOf(
      { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.perUser.count'] },
      builtInModel,
    );
    const later = (one: typeof plan): typeof plan => ({
      ...one,
      now: one.now + 1,
      subQueries: one.subQueries?.map((each) => ({ ...each, plan: later(each.plan) })),
    });
    expect(plan.subQueries).toHaveLength(1);
    expect(await writePlan(later(plan))).toBe(await writePlan(plan));
  });
});

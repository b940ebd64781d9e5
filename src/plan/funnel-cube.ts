import type { Funnel } from '../ask/funnel/funnel.ts';
import { defineCube } from './model/define-cube.ts';
import type { Cube, FunnelSource, Model } from './model/model.ts';

/** A funnel as a cube of its name: `count` by `step`, and `date`, which only filters. Source: the platform's cubes of funnels. */
export function toFunnelCube(funnel: Funnel, { computed, events }: Pick<FunnelSource, 'computed' | 'events'>): Cube {
  const who = funnel.by === 'session' ? 'sessions' : 'users';
  const steps = funnel.steps.map(({ name }, index) => `${index + 1} ${name}`).join(', ');
  return defineCube({
    name: funnel.name,
    description: `Funnel: ${who} who went through its steps within ${funnel.secondsToConvert} seconds. One row a step.`,
    source: { kind: 'funnel', funnel, computed, events },
    timeMember: 'date',
    measures: {
      // Those who reached a step reached the ones before it, too: figures of several steps are not to be added up.
      count: { description: `Number of ${who} who reached at least this step. Only by step.`, type: 'max', sql: '{CUBE}.reached' },
    },
    dimensions: {
      step: { description: `Number of the step: ${steps}.`, type: 'number', sql: '{CUBE}.step' },
      date: { description: 'When the events happened, UTC. Only to filter by, with inDateRange or beforeDate.', type: 'time', sql: '{CUBE}.date' },
    },
    segments: {},
  });
}

/** Whether a cube's rows are those of a funnel. */
export function isFunnelCube(cube: Cube): cube is Cube & { readonly source: FunnelSource } {
  return cube.source.kind === 'funnel';
}

/** `server`: the model is what a server said that it knows. `silent-server`: it says nothing. */
export type FunnelPlace = 'here' | 'server' | 'silent-server';

/** The model with a cube for each funnel, whose filters name members of `events`. A server's own cube of a funnel's name is the funnel's. */
export function withFunnels(model: Model, funnels: readonly Funnel[], place: FunnelPlace, events: Model): Model {
  if (funnels.length === 0) return model;
  const known = new Set(model.cubes.map(({ name }) => name));
  const computedAt = (name: string) => (place === 'here' ? 'here' : place === 'silent-server' || known.has(name) ? 'by-server' : 'nowhere');
  const names = new Set(funnels.map(({ name }) => name));
  return { cubes: [...model.cubes.filter(({ name }) => !names.has(name)), ...funnels.map((funnel) => toFunnelCube(funnel, { computed: computedAt(funnel.name), events }))] };
}

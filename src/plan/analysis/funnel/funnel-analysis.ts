import { countedWords, type Funnel, spellHeld } from '../../../ask/funnel/funnel.ts';
import type { Analysis } from '../../analysis.ts';
import { type BoundFunnel, bindFunnel, checkFunnel } from './bind-funnel.ts';
import { defineCube } from '../../model/define-cube.ts';
import { eventLabel } from '../../model/member-label.ts';
import type { ComputedSource, Cube } from '../../model/model.ts';

/**
 * A funnel as a cube of its name, with `count` by `step`, and `date` for filters only. Source: the platform's cubes of
 * funnels.
 */
function toFunnelCube(funnel: Funnel, place: Pick<ComputedSource, 'analysis' | 'computed' | 'events'>): Cube {
  const { many: who, title } = countedWords(funnel);
  const held = funnel.hold.length === 0 ? '' : `, all with the same ${spellHeld(funnel.hold)}`;
  const steps = funnel.steps.map(({ name }, index) => `${index + 1} ${name}`).join(', ');
  return defineCube({
    name: funnel.name,
    description:
      `Funnel: ${who} who went through its steps within ${funnel.secondsToConvert}` +
      ` seconds${held}. One row per step.`,
    source: { kind: 'computed', definition: funnel, ...place },
    timeMember: 'date',
    measures: {
      // Users who reach a step have also reached the steps before it, so counts of several steps must not be summed.
      count: {
        label: title,
        description: `Number of ${who} who reached at least this step. Requires the dimension step.`,
        type: 'max',
        sql: '{CUBE}.reached',
      },
    },
    dimensions: {
      step: { label: 'Step', description: `Number of the step: ${steps}.`, type: 'number', sql: '{CUBE}.step' },
      ...(funnel.breakdown &&
        place.computed === 'here' && {
          breakdown: {
            label: eventLabel(funnel.breakdown.dimension, place.events),
            description: `${funnel.breakdown.dimension} of the events.`,
            sql: '{CUBE}.breakdown',
          },
        }),
      date: {
        label: 'Time',
        description: 'When the events happened, UTC. For filters only, with inDateRange or beforeDate.',
        type: 'time',
        sql: '{CUBE}.date',
      },
    },
    segments: {},
  });
}

/** True if the cube's rows are those of a funnel. */
export function isFunnelCube(cube: Cube): cube is Cube & { readonly source: ComputedSource<Funnel> } {
  return cube.source.kind === 'computed' && cube.source.analysis.name === 'funnel';
}

/** Steps that users take one after another. */
export const funnelAnalysis: Analysis<Funnel, BoundFunnel> = {
  name: 'funnel',
  onServers: true,
  loadReader: async () => (await import('../../../ask/funnel/read-funnel.ts')).funnelReader,
  toCube: (funnel, place) => toFunnelCube(funnel, { ...place, analysis: funnelAnalysis }),
  toUsualQuestion({ name, breakdown }) {
    const [count, step, value] = [`${name}.count`, `${name}.step`, `${name}.breakdown`];
    if (!breakdown)
      return { query: { measures: [count], dimensions: [step], order: [[step, 'asc']] }, chart: 'funnel' };
    return {
      query: {
        measures: [count],
        dimensions: [value, step],
        order: [
          [value, 'asc'],
          [step, 'asc'],
        ],
      },
      table: { rows: [value], across: step, values: [count] },
    };
  },
  bind: bindFunnel,
  check: checkFunnel,
};

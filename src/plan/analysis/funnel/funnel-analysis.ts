import type { Funnel } from '../../../ask/funnel/funnel.ts';
import type { Analysis } from '../../analysis.ts';
import { type BoundFunnel, bindFunnel, checkFunnel } from './bind-funnel.ts';
import { toFunnelCube } from './funnel-cube.ts';

/** Steps that users take one after the other. */
export const funnelAnalysis: Analysis<Funnel, BoundFunnel> = {
  name: 'funnel',
  onServers: true,
  loadReader: async () => (await import('../../../ask/funnel/read-funnel.ts')).funnelReader,
  toCube: (funnel, place) => toFunnelCube(funnel, { ...place, analysis: funnelAnalysis }),
  toUsualQuestion: ({ name }) => ({
    query: { measures: [`${name}.count`], dimensions: [`${name}.step`], order: [[`${name}.step`, 'asc']] },
    chart: 'funnel',
  }),
  bind: bindFunnel,
  check: checkFunnel,
};

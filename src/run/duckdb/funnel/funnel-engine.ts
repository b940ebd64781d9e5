import type { FunnelFollower } from '../../followed-funnel.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { answerFunnel, funnelStatement } from './answer-funnel.ts';
import { findReached } from './find-reached.ts';
import { followFunnel, streamFunnelUsers } from './follow-funnel.ts';

/** Funnels, by following users over the events. */
export const funnelEngine: EngineAnalysis = {
  answer: answerFunnel,
  toStatement: funnelStatement,
  openFurther: (session): FunnelFollower => ({
    follow: async (plan, options) => followFunnel(session, await findReached(session, plan, options?.signal), options),
    streamUsers: async (plan, options) =>
      streamFunnelUsers(session, await findReached(session, plan, options?.signal), options),
  }),
};

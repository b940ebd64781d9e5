import type { FunnelFollower } from '../../followed-funnel.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { answerFunnel, funnelStatement } from './answer-funnel.ts';
import { followFunnel, streamFunnelUsers } from './follow-funnel.ts';

/** Funnels, by following users over the events. */
export const funnelEngine: EngineAnalysis = {
  answer: answerFunnel,
  toStatement: funnelStatement,
  openFurther: (session): FunnelFollower => ({
    follow: (plan, options) => followFunnel(session, plan, options),
    streamUsers: (plan, options) => streamFunnelUsers(session, plan, options),
  }),
};

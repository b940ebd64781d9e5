import type { FunnelFollower } from '../../followed-funnel.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { answerFunnel, funnelStatement, projectedFunnel } from './answer-funnel.ts';
import { withReached } from './find-reached.ts';
import { followFunnel, streamFunnelUsers } from './follow-funnel.ts';

/** Funnels computed by following users over the events. */
export const funnelEngine: EngineAnalysis = {
  answer: answerFunnel,
  toStatement: (plan) => funnelStatement(plan),
  overProjection: projectedFunnel,
  openFurther: (session): FunnelFollower => ({
    follow: (plan, options) =>
      withReached(session, plan, options?.signal, (ready) => followFunnel(session, ready, options)),
    streamUsers: (plan, options) =>
      withReached(session, plan, options?.signal, (ready) => streamFunnelUsers(session, ready, options)),
  }),
};

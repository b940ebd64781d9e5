import type { Retention } from '../../../ask/activity/retention.ts';
import type { Analysis } from '../../analysis.ts';
import { type BoundRetention, bindRetention, checkRetention } from './bind-retention.ts';
import { askRetention, toRetentionCube } from './retention-cube.ts';
import { judgeRetention } from './retention-frame.ts';

/** Who comes back in each period after they started. */
export const retentionAnalysis: Analysis<Retention, BoundRetention> = {
  name: 'retention',
  onServers: false,
  loadReader: async () => (await import('../../../ask/activity/read-retention.ts')).retentionReader,
  toCube: (retention, place) => toRetentionCube(retention, { ...place, analysis: retentionAnalysis }),
  toUsualQuestion: askRetention,
  bind: bindRetention,
  check: checkRetention,
  openPartialJudge: judgeRetention,
};

import { granularities, isGranularity } from '../../../ask/time/granularity.ts';
import type { RollingWindow, WindowReach } from '../model.ts';
import type { WrittenMeasure } from './model-schema.ts';
import { below, reportError, type Findings, type Site } from './site.ts';

/** `rolling_window: {trailing: 7 day, leading: unbounded, offset: start}`. Where `offset` is not set, windows end with the bucket. */
export function readWindow(written: NonNullable<WrittenMeasure['rolling_window']>, site: Site, unsupported: (reason: string, hint: string) => void, findings: Findings): RollingWindow | undefined {
  const kind = written.type ?? 'fixed';
  if (kind !== 'fixed' || written.granularity != null) {
    const message = 'Rolling windows that start anew with each unit (`type: to_date`) are not supported.';
    unsupported(message, 'Supported are `trailing`, `leading` and `offset`.');
    return undefined;
  }
  const offset = written.offset ?? 'end';
  if (offset !== 'start' && offset !== 'end') {
    reportError(findings, below(site, 'offset'), 'bad-window', 'A rolling window\'s `offset` is `start` or `end`.');
    return undefined;
  }
  const trailing = readReach(written.trailing, below(site, 'trailing'), findings);
  const leading = readReach(written.leading, below(site, 'leading'), findings);
  if (written.trailing == null && written.leading == null) {
    const hint = 'Write `trailing: 7 day`, or `trailing: unbounded` for a running total.';
    reportError(findings, site, 'bad-window', 'A rolling window needs `trailing` or `leading`.', hint);
  }
  return { trailing, leading, offset };
}

function readReach(written: unknown, site: Site, findings: Findings): WindowReach | undefined {
  if (written == null) return undefined;
  if (written === 'unbounded') return 'unbounded';
  const [, amount, unit] = /^\s*([1-9]\d{0,5})\s+([a-z]+?)s?\s*$/.exec(String(written)) ?? [];
  if (amount !== undefined && unit !== undefined && isGranularity(unit)) return { amount: Number(amount), unit };
  const message = 'A rolling window reaches `unbounded` or a number of units: `7 day`.';
  reportError(findings, site, 'bad-window', message, `Units are ${granularities.join(', ')}.`);
  return undefined;
}

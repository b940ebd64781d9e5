import { chartKinds, type ChartKind } from '../../ask/query/chart-wish.ts';
import type { ThemeName } from '../../show/chart/palette.ts';

/** The flags of commands that draw charts. */
export interface ChartFlags {
  readonly chart?: ChartKind;
  readonly theme?: ThemeName;
  readonly ascii?: boolean;
}

export const chartFlagChoices = { chart: chartKinds, theme: ['light', 'dark'] } as const;

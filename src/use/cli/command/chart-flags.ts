import { type ChartKind, chartKinds } from '../../../ask/chart/chart-preference.ts';
import type { ThemeName } from '../../../show/chart/palette.ts';
import { type PictureProtocol, pictureProtocols } from '../../../show/terminal/chart/write-picture.ts';

/** The flags of commands that draw charts. */
export interface ChartFlags {
  readonly chart?: ChartKind;
  readonly theme?: ThemeName;
  readonly ascii?: boolean;
  readonly picture?: PictureProtocol | 'auto';
}

export const chartFlagChoices = {
  chart: chartKinds,
  theme: ['light', 'dark'],
  picture: ['auto', ...pictureProtocols],
} as const;

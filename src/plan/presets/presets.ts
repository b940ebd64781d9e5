import { didYouMean } from '../../ask/suggest.ts';
import { ConfigError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { Preset } from '../mapping/preset.ts';
import { accessLog } from './access-log.ts';
import { amplitude } from './amplitude.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import { ga4 } from './ga4.ts';
import { matomo } from './matomo.ts';
import { mixpanel } from './mixpanel.ts';
import { plausible, plausibleFigures } from './plausible.ts';
import { posthog } from './posthog.ts';
import { rudderstack, segment } from './segment.ts';
import { snowplow } from './snowplow.ts';
import { traefik } from './traefik.ts';
import { umami } from './umami.ts';

export const presets: readonly Preset[] = [
  accessLog,
  amplitude,
  caddy,
  cloudflare,
  ga4,
  matomo,
  mixpanel,
  plausible,
  plausibleFigures,
  posthog,
  rudderstack,
  segment,
  snowplow,
  traefik,
  umami,
];

/** `none`: files are read only by the names of their columns. */
export const noPreset = 'none';

/** Names for `preset:` and --preset. */
export const presetNames: readonly string[] = [
  ...presets.filter(({ refusal }) => !refusal).map(({ name }) => name),
  noPreset,
];

/** Throws `preset-unknown`. */
export function presetCalled(name: string): Preset {
  const preset = presets.find((one) => one.name === name);
  if (preset) return preset;
  throw new ConfigError(`There is no preset ${quote(name)}.`, {
    code: 'preset-unknown',
    hint: didYouMean(name, presetNames) ?? `Presets: ${presetNames.join(', ')}.`,
  });
}

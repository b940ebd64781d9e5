import type { Vendor } from './vendor.ts';
import {
  albLog,
  caddyLog,
  cloudflareNano,
  cloudflareText,
  cloudfrontLog,
  combinedLog,
  commonLog,
  elbLog,
  haproxyLog,
  iisLog,
  jsonLog,
  s3Log,
  squidLog,
  traefikLog,
  vhostLog,
} from './vendors/access-log.ts';
import { amplitude, amplitudeTable } from './vendors/amplitude.ts';
import { ga4Numbers, ga4Texts } from './vendors/ga4.ts';
import { matomo, matomoLines } from './vendors/matomo.ts';
import { mixpanel } from './vendors/mixpanel.ts';
import { plausibleCsv, plausibleJson } from './vendors/plausible.ts';
import { posthog } from './vendors/posthog.ts';
import { rudderstack, segment } from './vendors/segment.ts';
import {
  snowplowMobile,
  snowplowMobileMajor,
  snowplowTable,
  snowplowUnified,
  snowplowWeb,
} from './vendors/snowplow.ts';
import { umamiApi, umamiTable } from './vendors/umami.ts';

/** An export of every tracker with a preset, in each of its formats. */
export const vendors: readonly Vendor[] = [
  snowplowWeb,
  snowplowTable,
  snowplowMobile,
  snowplowMobileMajor,
  snowplowUnified,
  segment,
  rudderstack,
  posthog,
  mixpanel,
  amplitude,
  amplitudeTable,
  ga4Texts,
  ga4Numbers,
  plausibleJson,
  plausibleCsv,
  umamiTable,
  umamiApi,
  matomo,
  matomoLines,
  commonLog,
  combinedLog,
  vhostLog,
  jsonLog,
  haproxyLog,
  s3Log,
  squidLog,
  cloudfrontLog,
  iisLog,
  albLog,
  elbLog,
  caddyLog,
  traefikLog,
  cloudflareNano,
  cloudflareText,
];
